//! The team of an account.

use std::sync::atomic::Ordering;

use contracts::common::v1::Mode;
use contracts::gateway::v1::{Key, KeyKind, KeyRequestState};
use futures::future::join_all;
use kit::api::timestamp;
use kit::ids;
use sqlx::PgPool;
use web::domain::role::Role;
use web::store::links::{self, LinkTarget};
use web::store::members;

use crate::browser::{Browser, Page};
use crate::support::{ADA, BOB, PASSWORD, START, Site};
use crate::typed_forms::Needs;
use crate::webhook_service::WebhookSite;

const CAROL: &str = "carol@new.example";

#[testing::database_test(web::MIGRATOR)]
async fn people_are_invited_by_mail(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.person(BOB).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    for (email, role) in [(BOB, "editor"), (CAROL, "developer")] {
        owner.invite(account, email, role).await.location();
    }
    owner.get(&team).await.assert(200, CAROL);
    // Bob has a password: he signs in and accepts. Nobody else can accept.
    let link = site.link(BOB).await;
    owner.get(&link).await.assert(403, "For another person");
    owner.post(&link, &[]).await.assert(403, "For another person");
    assert!(site.browser().get(&link).await.location().starts_with("/sign-in?next=%2Flink"));
    let mut bob = site.signed_in(BOB).await;
    bob.get(&link).await.assert(200, "Join Savanna");
    bob.get(&team).await.assert(404, "");
    assert_eq!(bob.post(&link, &[]).await.location(), format!("/accounts/{account}"));
    bob.get(&team).await.assert(200, "editor");
    // Carol is new: she sets a password with the link.
    let link = site.link(CAROL).await;
    let mut carol = site.browser();
    carol.get(&link).await.assert(200, "Join Savanna");
    let joined = carol.post(&link, &[("password", PASSWORD)]).await;
    assert_eq!(joined.location(), format!("/accounts/{account}"));
    carol.get(&format!("/accounts/{account}/keys/new")).await.assert(200, "Create a key");
    owner.invite(account, BOB, "owner").await.assert(422, "in the team already");
    owner.invite(account, "x", "king").await.assert(422, "Choose a role");
}

#[testing::database_test(web::MIGRATOR)]
async fn concurrent_forms_do_not_exceed_the_limit_of_invitations(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let target = LinkTarget::Invite { by: Some(ada), account, role: Role::Editor };
    for number in 0..98 {
        let address = format!("{number}@old.example");
        let invited =
            links::insert(&site.pool, ids::row_id(), &address, &target, None, site.clock.now())
                .await;
        invited.unwrap();
    }
    let owner = site.signed_in(ADA).await;
    let sent = (0..6).map(|number| {
        let mut owner = owner.clone();
        let address = format!("{number}@new.example");
        async move { owner.invite(account, &address, "editor").await }
    });
    let sent = join_all(sent).await;
    let (good, refused): (Vec<Page>, Vec<Page>) =
        sent.into_iter().partition(|page| page.status.is_redirection());
    assert_eq!(good.len(), 1);
    for page in refused {
        page.assert(422, "A team has at most 100 people and invitations.");
    }
    // Who has lost the mail is invited again: the new invitation replaces the old one.
    let mut owner = owner;
    let again = owner.invite(account, "0@old.example", "editor").await;
    again.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn the_last_owner_cannot_be_removed(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let (mut one, mut two) = (site.signed_in(ADA).await, site.signed_in(BOB).await);
    // Each removes the other concurrently; one succeeds.
    let (of_bob, of_ada) = (format!("{team}/{bob}/remove"), format!("{team}/{ada}/remove"));
    let (first, second) = futures::join!(one.post(&of_bob, &[]), two.post(&of_ada, &[]));
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from web.member"#);
    assert_eq!(count.fetch_one(&site.pool).await.unwrap(), 1, "{first:?} {second:?}");
    let left = sqlx::query_scalar!("select person_id from web.member")
        .fetch_one(&site.pool)
        .await
        .unwrap();
    let mut last = site.signed_in(if left == ada { ADA } else { BOB }).await;
    let role = format!("{team}/{left}/role");
    last.post(&role, &[("role", "editor")]).await.assert(422, "at least one owner");
    last.post(&format!("{team}/leave"), &[]).await.assert(422, "at least one owner");
    last.post(&role, &[("role", "owner")]).await.location();
    // The page of a refusal waits for no second connection.
    let mut last = last.with_router(&site.with_one_connection());
    last.post(&format!("{team}/leave"), &[]).await.assert(422, "at least one owner");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_removed_owner_leaves_no_invitation_to_return(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut removed = site.signed_in(BOB).await;
    removed.invite(account, CAROL, "owner").await.location();
    let link = site.link(CAROL).await;
    // Ada has invited Bob twice, once at an earlier address, and somebody else.
    let (old, other) = ("bob@old.example", "dora@new.example");
    let now = site.clock.now();
    let target = LinkTarget::Invite { by: Some(ada), account, role: Role::Editor };
    for email in [BOB, old, other] {
        let invited = links::insert(&site.pool, ids::row_id(), email, &target, None, now).await;
        invited.unwrap();
    }
    let bound = links::bind_invitations(&site.pool, old, bob).await;
    bound.unwrap();
    let mut owner = site.signed_in(ADA).await;
    owner.post(&format!("{team}/{bob}/remove"), &[]).await.location();
    site.browser().get(&link).await.assert(410, "");
    let left = links::invitations(&site.pool, account, now).await.unwrap();
    let [left] = left.try_into().unwrap();
    assert_eq!(left.email, other);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_removed_member_is_out_at_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Developer).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    let mut developer = site.signed_in(BOB).await;
    let new = format!("/accounts/{account}/keys/new");
    developer.get(&new).await.assert(200, "");
    owner.post(&format!("{team}/{bob}/role"), &[("role", "editor")]).await.location();
    developer.get(&new).await.assert(403, "");
    owner.post(&format!("{team}/{bob}/remove"), &[]).await.location();
    developer.get(&new).await.assert(404, "");
    owner
        .get(&format!("/accounts/{account}/activity"))
        .await
        .assert(200, "removed bob@games.example");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_end_that_is_sent_again_is_answered_as_the_first_time(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let carol = site.person(CAROL).await;
    let account = site.account(ada, Role::Owner).await;
    for person in [bob, carol] {
        site.join(account, person, Role::Developer).await;
    }
    let (base, team) = (format!("/accounts/{account}"), format!("/accounts/{account}/team"));
    let mut owner = site.signed_in(ADA).await;
    owner.invite(account, "dora@new.example", "editor").await.location();
    let invite = links::invitations(&site.pool, account, site.clock.now()).await.unwrap();
    let withdraw = format!("{team}/invites/{}/withdraw", invite[0].id);
    let (mut leaver, mut removed) = (site.signed_in(BOB).await, site.signed_in(CAROL).await);
    let remove = format!("{team}/{carol}/remove");
    for (browser, form, answer) in [
        (&owner, &withdraw, team.as_str()),
        (&owner, &remove, team.as_str()),
        (&leaver, &format!("{team}/leave"), "/accounts"),
    ] {
        let mut browser = browser.clone();
        // Two concurrent requests, and a third one from another tab.
        let mut again = browser.clone();
        let (one, two) = futures::join!(browser.post(form, &[]), again.post(form, &[]));
        let three = browser.post(form, &[]).await;
        for page in [one, two, three] {
            assert_eq!(page.location(), answer, "{form}");
        }
    }
    let activity = owner.get(&format!("{base}/activity")).await;
    for done in ["withdrew the invitation", "removed carol@", "left the team"] {
        assert_eq!(activity.text.matches(done).count(), 1, "{done}: {}", activity.text);
    }
    let removals = site.mails().await.into_iter().filter(|(to, ..)| to == CAROL);
    assert_eq!(removals.count(), 1);
    // Neither who was removed nor a stranger has left, and the account does not exist for them.
    removed.post(&format!("{team}/leave"), &[]).await.assert(404, "");
    leaver.post(&format!("{base}/close"), &[]).await.assert(404, "");
    leaver.get(&team).await.assert(404, "");
    let theirs = site.account(carol, Role::Owner).await;
    leaver.post(&format!("/accounts/{theirs}/team/leave"), &[]).await.assert(404, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_account_that_is_closed_twice_is_closed(pool: PgPool) {
    let full = WebhookSite::new(pool).await;
    full.site.listings.has_no_pages.store(true, Ordering::Relaxed);
    let mut owner = full.browser.clone();
    let close = format!("/accounts/{}/close", full.account);
    let mut again = owner.clone();
    let (one, two) = futures::join!(owner.post(&close, &[]), again.post(&close, &[]));
    let three = owner.post(&close, &[]).await;
    for page in [one, two, three] {
        assert_eq!(page.location(), "/accounts");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn names_of_accounts_are_read_by_one_call(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut accounts = Vec::new();
    for _ in 0..5 {
        accounts.push(site.account(ada, Role::Owner).await);
    }
    let mut owner = site.signed_in(ADA).await;
    let gateway = &site.gateway;
    let read = || {
        (gateway.names_read.load(Ordering::Relaxed), gateway.accounts_read.load(Ordering::Relaxed))
    };
    let before = read();
    let page = owner.get("/accounts").await;
    for account in &accounts {
        page.assert(200, &format!("/accounts/{account}\""));
    }
    assert!(page.text.contains("Savanna"), "{}", page.text);
    assert_eq!(read(), (before.0 + 1, before.1));
    // Without the gateway, the links still work.
    gateway.is_down.store(true, Ordering::Relaxed);
    let page = owner.get("/accounts").await;
    page.assert(200, &format!("/accounts/{}\"", accounts[4]));
}

const SEEN: &str = "Somebody has seen secrets of your account that still work";

/// The bodies of the mails to Ada about secrets that somebody has seen.
async fn mails_about_secrets(site: &Site) -> Vec<String> {
    let mails =
        site.mails().await.into_iter().filter(|(to, subject, _)| to == ADA && subject == SEEN);
    mails.map(|(_, _, body)| body).collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn owners_learn_which_secrets_a_person_has_seen_who_stops_working_with_them(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let (site, account) = (&hooks.site, hooks.account);
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Developer).await;
    let (mut owner, mut developer) = (hooks.browser.clone(), site.signed_in(BOB).await);
    let base = format!("/accounts/{account}");
    // Bob reveals a live key, and adds an address.
    let approved = KeyRequestState::Approved;
    let request = site.gateway.add_request(&account.to_string(), "server", approved).id;
    let key = format!("{base}/keys/{request}");
    let reveal = format!("{base}/keys/requests/{request}/reveal");
    developer.post(&reveal, &[]).await.assert(200, "svc_live_");
    let webhooks = format!("{base}/webhooks");
    let fields = [("url", hooks.receiver.url.as_str()), ("events", "tip.paid")];
    let new = format!("{webhooks}/new");
    developer.submit(&new, &webhooks, &fields).await.assert(200, "svc_whsec_");
    let endpoints = site.app.webhooks.endpoints(account).await.unwrap();
    let endpoint = format!("{webhooks}/{}", endpoints.endpoints[0].id);
    let (rotate, renew) = (
        format!("<a href=\"{key}\">Rotate server …abcd</a>"),
        format!("<a href=\"{endpoint}\">Create a new signing secret for "),
    );
    // A test key, a revoked one and a public one, which everybody may have, have no part in it.
    let others = [
        (Mode::Test, None, KeyKind::Account),
        (Mode::Live, Some(timestamp::encode(START)), KeyKind::Account),
        (Mode::Live, None, KeyKind::Public),
    ];
    for (mode, revoked_at, kind) in others {
        site.gateway.keys.lock().unwrap().push(Key {
            id: kit::ids::row_id().to_string(),
            account_id: account.to_string(),
            name: "other".to_owned(),
            mode: mode.into(),
            kind: kind.into(),
            revoked_at,
            seen_by: bob.to_string(),
            ..Key::default()
        });
    }
    let team = format!("{base}/team");
    let page = owner.get(&team).await;
    assert!(!page.text.contains("Former members"), "{}", page.text);

    let as_member = format!("{team}/{bob}");
    for end in ["leave", "role", "remove", "delete"] {
        let ended = match end {
            "leave" => developer.post(&format!("{team}/leave"), &[]).await,
            "role" => {
                let editor = [("role", "editor")];
                owner.post(&format!("{as_member}/role"), &editor).await
            }
            "remove" => owner.post(&format!("{as_member}/remove"), &[]).await,
            _ => {
                let password = [("password", PASSWORD)];
                developer.post("/you/delete", &password).await
            }
        };
        ended.location();
        let page = owner.get(&team).await;
        page.assert(200, &format!("{BOB} no longer has access to keys and webhooks"));
        for link in [&rotate, &renew] {
            assert_eq!(page.text.matches(link.as_str()).count(), 1, "{end}: {}", page.text);
        }
        assert!(!page.text.contains("other"), "{}", page.text);
        let mails = mails_about_secrets(site).await;
        let body = mails.last().unwrap();
        for part in [BOB, "Savanna", &key, &endpoint, &team] {
            assert!(body.contains(part), "{end}: {part}: {body}");
        }
        assert!(!body.contains("other"), "{end}: {body}");
        // Bob comes back.
        if end != "delete" {
            let mut connection = site.pool.acquire().await.unwrap();
            let left = members::set_role(&mut connection, account, bob, None);
            left.await.unwrap();
            site.join(account, bob, Role::Developer).await;
            let page = owner.get(&team).await;
            assert!(!page.text.contains("Former members"), "{}", page.text);
        }
    }
    assert_eq!(mails_about_secrets(site).await.len(), 4, "one for each");

    // While a service does not answer, the mail says what it does not know.
    let dora = site.person("dora@games.example").await;
    site.join(account, dora, Role::Developer).await;
    let mut developer = site.signed_in("dora@games.example").await;
    let approved = KeyRequestState::Approved;
    let request = site.gateway.add_request(&account.to_string(), "launcher", approved).id;
    let reveal = format!("{base}/keys/requests/{request}/reveal");
    developer.post(&reveal, &[]).await.assert(200, "svc_live_");
    let without = owner.clone().with_router(&crate::outages::without(site, Needs::Webhooks));
    let mut without = without;
    without.post(&format!("{team}/{dora}/remove"), &[]).await.location();
    let mails = mails_about_secrets(site).await;
    assert_eq!(mails.len(), 5);
    let body = mails.last().unwrap();
    for part in ["dora@games.example", "launcher", "we could not check the webhooks"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert!(mails[..4].iter().all(|mail| !mail.contains("could not check")), "{mails:?}");

    site.gateway.is_down.store(true, Ordering::Relaxed);
    let page = owner.get(&team).await;
    page.assert(200, "cannot check now");
    page.assert(200, &renew);
    // An editor sees nothing of it.
    site.gateway.is_down.store(false, Ordering::Relaxed);
    let carol = site.person(CAROL).await;
    site.join(account, carol, Role::Editor).await;
    let page = site.signed_in(CAROL).await.get(&team).await;
    assert!(!page.text.contains("Former members"), "{}", page.text);
}

/// Changes a person's address by its link.
async fn change_address(site: &Site, browser: &mut Browser, new: &str) {
    let fields = [("email", new), ("password", PASSWORD)];
    browser.post("/you/email", &fields).await.location();
    let link = site.link(new).await;
    browser.post(&link, &[]).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_stays_with_a_person_whose_address_changes(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    owner.invite(account, BOB, "editor").await.location();
    let link = site.link(BOB).await;
    let mut invited = site.signed_in(BOB).await;
    change_address(&site, &mut invited, CAROL).await;
    // Somebody else gets the old address, and must not be taken for the invited person.
    site.person(BOB).await;
    let mut heir = site.signed_in(BOB).await;
    heir.get(&link).await.assert(403, "For another person");
    heir.post(&link, &[]).await.assert(403, "");
    let mut elsewhere = site.browser();
    let sign_in = elsewhere.get(&link).await.location().to_owned();
    let page = elsewhere.get(&sign_in).await;
    page.assert(200, "Sign in to join Savanna.");
    assert!(!page.text.contains(CAROL), "{}", page.text);
    invited.get(&link).await.assert(200, "Join Savanna");
    invited.post(&link, &[]).await.location();
    let role = web::store::members::role(&site.pool, account, bob).await;
    assert_eq!(role.unwrap(), Some(Role::Editor));
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_in_another_browser_says_whom_it_is_for(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.person(BOB).await;
    site.person(CAROL).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    owner.invite(account, BOB, "editor").await.location();
    let link = site.link(BOB).await;
    let mut browser = site.signed_in(CAROL).await;
    let page = browser.get(&link).await;
    page.assert(403, &format!("This invitation is for {BOB}."));
    page.assert(403, &format!("You are signed in as {CAROL}."));
    let next = link.replace('/', "%2F");
    let action = format!("/sign-out?next={next}");
    assert_eq!(browser.post(&action, &[]).await.location(), link);
    // The sign-in page gives the reason, even after a wrong password.
    let sign_in = browser.get(&link).await.location().to_owned();
    let page = browser.get(&sign_in).await;
    let why = format!("Sign in as {BOB} to join Savanna.");
    page.assert(200, &why);
    page.assert(200, &format!("value=\"{BOB}\""));
    let wrong = [("email", BOB), ("password", "wrong"), ("next", &link)];
    browser.post("/sign-in", &wrong).await.assert(422, &why);
    let right = [("email", BOB), ("password", PASSWORD), ("next", &link)];
    assert_eq!(browser.post("/sign-in", &right).await.location(), link);
    browser.post(&link, &[]).await.location();
    let out = browser.post("/sign-out?next=%2F%2Fevil.example", &[]).await;
    assert_eq!(out.location(), "/accounts");
}

/// The parts of a page that are shown only after a question.
fn behind_a_question(page: &Page) -> String {
    let parts = page
        .text
        .split("<details class=\"question\">")
        .skip(1)
        .filter_map(|part| part.split("</details>").next());
    parts.collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn irreversible_actions_need_a_confirmation(pool: PgPool) {
    let full = crate::full_account::FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    for (page, actions) in [
        ("/accounts/{account}/keys/{key}", &["/accounts/{account}/keys/{key}/revoke"][..]),
        (
            "/accounts/{account}/webhooks/{endpoint}",
            &["/accounts/{account}/webhooks/{endpoint}/remove"],
        ),
        (
            "/accounts/{account}/team",
            &["/accounts/{account}/team/{person}/remove", "/accounts/{account}/team/leave"],
        ),
        (
            "/accounts/{account}/listings/{kind}/{name}",
            &["/accounts/{account}/listings/{kind}/{name}/take-down"],
        ),
    ] {
        let shown = owner.get(&full.own(page)).await;
        let hidden = behind_a_question(&shown);
        for action in actions {
            let form = format!("action=\"{}\"", full.own(action));
            assert_eq!(shown.text.matches(&form).count(), 1, "{form}");
            assert!(hidden.contains(&form), "{form} is not behind a question");
        }
    }
}
