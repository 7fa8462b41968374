//! The team of an account.

use futures::future::join_all;
use sqlx::PgPool;
use web::domain::role::Role;
use web::store::links::{self, LinkTarget};

use crate::browser::{Browser, Page};
use crate::support::{ADA, BOB, PASSWORD, Site};

const CAROL: &str = "carol@new.example";

/// Sends the form of an invitation, as the page has it.
async fn invite(owner: &mut Browser, team: &str, email: &str, role: &str) -> Page {
    let form = owner.get(team).await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("email", email), ("role", role)];
    owner.post(&format!("{team}/invite"), &fields).await
}

#[testing::database_test(web::MIGRATOR)]
async fn people_are_invited_by_mail(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.person(BOB).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    for (email, role) in [(BOB, "editor"), (CAROL, "developer")] {
        invite(&mut owner, &team, email, role).await.location();
    }
    owner.get(&team).await.assert(200, CAROL);
    // Bob has a password: he signs in, and presses the button. Nobody else can.
    let link = site.link(BOB).await;
    owner.get(&link).await.assert(403, "For another person");
    owner
        .post(&link, &[])
        .await
        .assert(403, "For another person");
    assert!(
        site.browser()
            .get(&link)
            .await
            .location()
            .starts_with("/sign-in?next=%2Flink")
    );
    let mut bob = site.signed_in(BOB).await;
    bob.get(&link).await.assert(200, "Join Savanna");
    bob.get(&team).await.assert(404, "");
    assert_eq!(
        bob.post(&link, &[]).await.location(),
        format!("/accounts/{account}")
    );
    bob.get(&team).await.assert(200, "editor");
    // Carol is new: the link gives her a password.
    let link = site.link(CAROL).await;
    let mut carol = site.browser();
    carol.get(&link).await.assert(200, "Join Savanna");
    let joined = carol.post(&link, &[("password", PASSWORD)]).await;
    assert_eq!(joined.location(), format!("/accounts/{account}"));
    carol
        .get(&format!("/accounts/{account}/keys/new"))
        .await
        .assert(200, "Create a key");
    invite(&mut owner, &team, BOB, "owner")
        .await
        .assert(422, "in the team already");
    invite(&mut owner, &team, "x", "king")
        .await
        .assert(422, "Choose a role");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_team_has_a_number_of_people_and_invitations_at_most(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Editor).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    let target = LinkTarget::Invite {
        by: Some(ada),
        account,
        role: Role::Editor,
    };
    for number in 0..97 {
        let address = format!("{number}@new.example");
        let invited = links::insert(&site.pool, &address, &target, site.clock.now()).await;
        invited.unwrap();
    }
    invite(&mut owner, &team, CAROL, "editor").await.location();
    let refused = invite(&mut owner, &team, "dan@new.example", "editor").await;
    refused.assert(422, "A team has at most 100 people and invitations.");
    refused.assert(422, "value=\"dan@new.example\"");
    // Who has lost the mail is invited again: the new invitation replaces the old one.
    invite(&mut owner, &team, CAROL, "editor").await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn forms_that_are_sent_at_once_invite_no_more_people(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let target = LinkTarget::Invite {
        by: Some(ada),
        account,
        role: Role::Editor,
    };
    for number in 0..98 {
        let address = format!("{number}@old.example");
        let invited = links::insert(&site.pool, &address, &target, site.clock.now()).await;
        invited.unwrap();
    }
    let owner = site.signed_in(ADA).await;
    let sent = (0..6).map(|number| {
        let (mut owner, team) = (owner.clone(), &team);
        let address = format!("{number}@new.example");
        async move { invite(&mut owner, team, &address, "editor").await }
    });
    let sent = join_all(sent).await;
    let (good, refused): (Vec<Page>, Vec<Page>) = sent
        .into_iter()
        .partition(|page| page.status.is_redirection());
    assert_eq!(good.len(), 1);
    for page in refused {
        page.assert(422, "A team has at most 100 people and invitations.");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_is_withdrawn(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    invite(&mut owner, &team, CAROL, "editor").await.location();
    let page = owner.get(&team).await;
    let (_, rest) = page.text.split_once(&format!("{team}/invites/")).unwrap();
    let id = rest.split('/').next().unwrap();
    owner
        .post(&format!("{team}/invites/{id}/withdraw"), &[])
        .await
        .location();
    let link = site.link(CAROL).await;
    site.browser().get(&link).await.assert(410, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_last_owner_stays(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let (mut one, mut two) = (site.signed_in(ADA).await, site.signed_in(BOB).await);
    // Each removes the other at once: one succeeds.
    let (of_bob, of_ada) = (
        format!("{team}/{bob}/remove"),
        format!("{team}/{ada}/remove"),
    );
    let (first, second) = futures::join!(one.post(&of_bob, &[]), two.post(&of_ada, &[]));
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from web.member"#);
    assert_eq!(
        count.fetch_one(&site.pool).await.unwrap(),
        1,
        "{first:?} {second:?}"
    );
    let left = sqlx::query_scalar!("select person_id from web.member");
    let left = left.fetch_one(&site.pool).await.unwrap();
    let mut last = site.signed_in(if left == ada { ADA } else { BOB }).await;
    let role = format!("{team}/{left}/role");
    last.post(&role, &[("role", "editor")])
        .await
        .assert(422, "at least one owner");
    last.post(&format!("{team}/leave"), &[])
        .await
        .assert(422, "at least one owner");
    last.post(&role, &[("role", "owner")]).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn an_owner_who_is_removed_leaves_no_invitation_to_come_back_by(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut removed = site.signed_in(BOB).await;
    invite(&mut removed, &team, CAROL, "owner").await.location();
    let link = site.link(CAROL).await;
    let mut owner = site.signed_in(ADA).await;
    owner
        .post(&format!("{team}/{bob}/remove"), &[])
        .await
        .location();
    site.browser().get(&link).await.assert(410, "");
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
    owner
        .post(&format!("{team}/{bob}/role"), &[("role", "editor")])
        .await
        .location();
    developer.get(&new).await.assert(403, "");
    owner
        .post(&format!("{team}/{bob}/remove"), &[])
        .await
        .location();
    developer.get(&new).await.assert(404, "");
    owner
        .get(&format!("/accounts/{account}/activity"))
        .await
        .assert(200, "removed bob@games.example");
}

/// Changes the address of a person, by the link.
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
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    invite(&mut owner, &team, BOB, "editor").await.location();
    let link = site.link(BOB).await;
    let mut invited = site.signed_in(BOB).await;
    change_address(&site, &mut invited, CAROL).await;
    // Somebody else gets the old address, and is not the one who was invited.
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
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    invite(&mut owner, &team, BOB, "editor").await.location();
    let link = site.link(BOB).await;
    let mut browser = site.signed_in(CAROL).await;
    let page = browser.get(&link).await;
    page.assert(403, &format!("This invitation is for {BOB}."));
    page.assert(403, &format!("You are signed in as {CAROL}."));
    let next = link.replace('/', "%2F");
    let action = format!("/sign-out?next={next}");
    page.assert(403, "Sign out and go on");
    page.assert(403, "action=\"/sign-out?next=");
    assert_eq!(browser.post(&action, &[]).await.location(), link);
    // The sign-in page knows why, also after a typing error.
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
    let gone = browser.get(&link).await;
    gone.assert(410, "ask the person who invited you");
    // The page of other links has no such sentence, and signing out leads nowhere else.
    let page = site.browser().get("/sign-in?next=%2Faccounts").await;
    assert!(!page.text.contains("to join"), "{}", page.text);
    let out = browser.post("/sign-out?next=%2F%2Fevil.example", &[]).await;
    assert_eq!(out.location(), "/accounts");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_member_is_removed_while_everything_is_read_only(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    site.gateway.switched.lock().unwrap().insert("read_only");
    let role = format!("{team}/{bob}/role");
    let refused = owner.post(&role, &[("role", "editor")]).await;
    refused.assert(503, "read-only for a while");
    let removed = owner.post(&format!("{team}/{bob}/remove"), &[]).await;
    assert_eq!(removed.location(), team);
}

/// The part of a page that is open only after a question.
fn behind_a_question(page: &Page) -> String {
    let parts = page.text.split("<details class=\"question\">").skip(1);
    let parts = parts.filter_map(|part| part.split("</details>").next());
    parts.collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn what_cannot_be_undone_is_behind_a_question(pool: PgPool) {
    let full = crate::full_account::FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    for (page, actions) in [
        (
            "/accounts/{account}/keys/{key}",
            &["/accounts/{account}/keys/{key}/revoke"][..],
        ),
        (
            "/accounts/{account}/webhooks/{endpoint}",
            &["/accounts/{account}/webhooks/{endpoint}/remove"],
        ),
        (
            "/accounts/{account}/team",
            &[
                "/accounts/{account}/team/{person}/remove",
                "/accounts/{account}/team/leave",
            ],
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
