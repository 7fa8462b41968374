//! Forms sent twice, as by a double click, take effect once. The second response leads to the page that shows the effect.

use std::sync::atomic::Ordering;

use contracts::gateway::v1 as proto;
use sqlx::PgPool;
use web::domain::action::Action;
use web::domain::role::Role;
use web::store::activity::{self, NewEntry};

use crate::browser::{Browser, Page};
use crate::full_account::{CAROL, FullAccount};
use crate::second_factor::offered;
use crate::support::{ADA, PASSWORD, START, Site};

/// Opens `page`, and posts its form twice concurrently to `action`.
async fn send_twice(
    browser: &mut Browser,
    page: &str,
    action: &str,
    fields: &[(&str, &str)],
) -> [Page; 2] {
    let hidden = browser.get(page).await.hidden();
    let mut all = fields.to_vec();
    for name in ["form", "base"] {
        if let Some(value) = hidden.get(name) {
            all.push((name, value));
        }
    }
    let mut again = browser.clone();
    let (one, two) = futures::join!(browser.post(action, &all), again.post(action, &all));
    for page in [&one, &two] {
        let is_good = page.status.is_success() || page.status.is_redirection();
        assert!(is_good, "{action}: {} {}", page.status, page.text);
    }
    [one, two]
}

/// Posts a form twice concurrently: one response leads to `before`, whose page has this notice. Returns the other response.
async fn send_once(
    browser: &mut Browser,
    page: &str,
    action: &str,
    (before, notice): (&str, &str),
    fields: &[(&str, &str)],
) -> Page {
    let pages = send_twice(browser, page, action, fields).await;
    let is_second = |page: &Page| page.status == 303 && page.location().ends_with(before);
    let (second, mut first): (Vec<Page>, Vec<Page>) = pages.into_iter().partition(is_second);
    assert_eq!(second.len(), 1, "{action}: {first:?}");
    browser.get(second[0].location()).await.assert(200, notice);
    first.remove(0)
}

const CREATED_BEFORE: (&str, &str) =
    ("?done=key-created-before", "This form has already created the key");

const ROTATED_BEFORE: (&str, &str) =
    ("?done=key-rotated-before", "This form has already rotated the key");
const REVEALED_BEFORE: (&str, &str) =
    ("?done=key-revealed-before", "The secret was already shown to you");

/// The secret that a page shows.
fn secret(page: &Page) -> String {
    page.assert(200, "svc_whsec_");
    let (_, rest) = page.text.split_once("svc_whsec_").unwrap();
    rest.split(['"', '<']).next().unwrap().to_owned()
}

#[testing::database_test(web::MIGRATOR)]
async fn one_key_one_invitation_and_one_endpoint(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let mut owner = full.owner.clone();
    let keys = full.own("/accounts/{account}/keys");
    let new = format!("{keys}/new");
    let counted = || {
        let (keys, requests) = (&site.gateway.keys, &site.gateway.requests);
        (keys.lock().unwrap().len(), requests.lock().unwrap().len())
    };
    let (made, asked) = counted();
    let fields = [("name", "server"), ("kind", "account")];
    let shown = send_once(&mut owner, &new, &keys, CREATED_BEFORE, &fields).await;
    shown.assert(200, "svc_test_");
    let fields = [("name", "live"), ("kind", "account"), ("mode", "live")];
    for shown in send_twice(&mut owner, &new, &keys, &fields).await {
        assert_eq!(shown.location(), keys);
    }
    assert_eq!(counted(), (made + 1, asked + 1));
    let rotate = full.own("/accounts/{account}/keys/{key}/rotate");
    let page = full.own("/accounts/{account}/keys/{key}");
    let shown = send_once(&mut owner, &page, &rotate, ROTATED_BEFORE, &[]).await;
    shown.assert(200, "svc_test_new_");
    // The second answer leads to the new key, whose page leads to another secret.
    let new = site.gateway.keys.lock().unwrap().last().unwrap().id.clone();
    let before = format!("{keys}/{new}{}", ROTATED_BEFORE.0);
    owner.get(&before).await.assert(200, &format!("action=\"{keys}/{new}/rotate\""));

    let team = full.own("/accounts/{account}/team");
    let invite = format!("{team}/invite");
    let fields = [("email", "dan@new.example"), ("role", "editor")];
    for shown in send_twice(&mut owner, &team, &invite, &fields).await {
        assert_eq!(shown.location(), team);
    }
    let mails = site.mails().await;
    let mails = mails.iter().filter(|mail| mail.0 == "dan@new.example");
    assert_eq!(mails.count(), 1);

    let hooks = full.own("/accounts/{account}/webhooks");
    let (account, webhooks) = (full.hooks.account, &site.app.webhooks);
    let endpoints = async || webhooks.endpoints(account).await.unwrap().endpoints.len();
    let url = full.hooks.receiver.url.as_str();
    let (new, fields) = (format!("{hooks}/new"), [("url", url), ("events", "tip.paid")]);
    let [one, two] = send_twice(&mut owner, &new, &hooks, &fields).await;
    assert_eq!(secret(&one), secret(&two));
    assert_eq!(endpoints().await, 2);
    let page = full.own("/accounts/{account}/webhooks/{endpoint}");
    let test = format!("{page}/test");
    let [one, two] = send_twice(&mut owner, &page, &test, &[("event", "ping")]).await;
    assert!(one.location().contains("/deliveries/"), "{one:?}");
    assert_eq!(one.location(), two.location());
    let rotate = format!("{page}/rotate");
    let [one, two] = send_twice(&mut owner, &page, &rotate, &[]).await;
    assert_eq!(secret(&one), secret(&two));
    let remove = format!("{page}/remove");
    for shown in send_twice(&mut owner, &page, &remove, &[]).await {
        assert_eq!(shown.location(), format!("{hooks}?done=webhook-removed"));
    }
    assert_eq!(endpoints().await, 1);

    let activity = owner.get(&full.own("/accounts/{account}/activity")).await;
    for what in ["created the key", "requested the live key", "invited dan@", "removed the webhook"]
    {
        let count = activity.text.matches(what).count();
        assert_eq!(count, 1, "{what}: {}", activity.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_key_is_revealed_once_and_a_form_id_is_bound_to_its_account(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let approved = proto::KeyRequestState::Approved;
    let id = site.gateway.add_request(&account.to_string(), "reader", approved).id;
    let mut owner = site.signed_in(ADA).await;
    let keys = format!("/accounts/{account}/keys");
    let reveal = format!("{keys}/requests/{id}/reveal");
    let shown = send_once(&mut owner, &keys, &reveal, REVEALED_BEFORE, &[]).await;
    shown.assert(200, &format!("svc_live_{id}"));
    let again = owner.post(&reveal, &[]).await;
    assert_eq!(again.location(), format!("{keys}/{id}{}", REVEALED_BEFORE.0));
    // In another account the same id is another form.
    let form = kit::ids::row_id().to_string();
    let fields = [("form", form.as_str()), ("name", "server"), ("kind", "account")];
    owner.post(&keys, &fields).await.assert(200, "svc_test_");
    let bob = site.person(crate::support::BOB).await;
    let theirs = site.account(bob, Role::Owner).await;
    let mut other = site.signed_in(crate::support::BOB).await;
    let page = other.post(&format!("/accounts/{theirs}/keys"), &fields).await;
    page.assert(200, "svc_test_");
    // A form without an id is refused.
    let page = owner.post(&keys, &fields[1..]).await;
    page.assert(400, "Unreadable form");
}

/// The recovery codes that a page shows.
fn codes(page: &Page) -> Vec<&str> {
    page.assert(200, "Recovery codes");
    let codes = page.text.split("<li>").skip(1).filter_map(|code| code.split('<').next());
    codes.filter(|code| code.len() == 19).collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_double_click_loses_neither_recovery_codes_nor_the_session(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let app_secret = offered(&site, &mut owner).await;
    let code = app_secret.code(site.clock.now());
    let form = owner.get("/you/totp").await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("code", &code), ("password", PASSWORD)];
    let (mut one, mut two) = (owner.clone(), owner.clone());
    let (first, second) =
        futures::join!(one.post("/you/totp", &fields), two.post("/you/totp", &fields));
    assert_eq!(codes(&first).len(), 10);
    assert_eq!(codes(&first), codes(&second));
    for browser in [&mut one, &mut two] {
        browser.get("/you").await.assert(200, "10 recovery codes left");
    }
    // The earlier session has ended.
    let old = owner.get("/you").await;
    assert!(old.location().starts_with("/sign-in"), "{old:?}");
    // Who has seen none of the answers is told how to get codes.
    let late = one.post("/you/totp", &fields).await;
    one.get(late.location()).await.assert(200, "create new ones");

    site.clock.advance(time::Duration::seconds(30));
    let code = app_secret.code(site.clock.now());
    let form = one.get("/you/totp/codes").await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("code", &code), ("password", PASSWORD)];
    let mut again = one.clone();
    let (new, same) = futures::join!(
        one.post("/you/totp/codes", &fields),
        again.post("/you/totp/codes", &fields)
    );
    assert_eq!(codes(&new), codes(&same));
    assert_ne!(codes(&new), codes(&first));
    // Once other codes have replaced them, the form shows nothing.
    site.clock.advance(time::Duration::seconds(30));
    let code = app_secret.code(site.clock.now());
    let other = one.get("/you/totp/codes").await.hidden()["form"].clone();
    let replacing = [("form", other.as_str()), ("code", &code), ("password", PASSWORD)];
    codes(&one.post("/you/totp/codes", &replacing).await);
    let outdated = one.post("/you/totp/codes", &fields).await;
    outdated.assert(422, "This code is wrong");
}

/// An owner, the path of the keys, and the form id of a new key.
async fn owner_with_form(site: &Site) -> (Browser, String, String) {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    let keys = format!("/accounts/{account}/keys");
    let form = owner.get(&format!("{keys}/new")).await.hidden()["form"].clone();
    (owner, keys, form)
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_whose_answer_was_lost_leads_to_the_key_that_it_created(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut owner, keys, form) = owner_with_form(&site).await;
    let fields = [("form", form.as_str()), ("name", "server"), ("kind", "account")];
    site.gateway.loses_new_keys.store(true, Ordering::Relaxed);
    let lost = owner.post(&keys, &fields).await;
    assert!(lost.status.is_server_error(), "{lost:?}");
    let again = owner.post(&keys, &fields).await;
    let key = site.gateway.keys.lock().unwrap()[0].id.clone();
    assert_eq!(again.location(), format!("{keys}/{key}{}", CREATED_BEFORE.0));
    assert_eq!(site.gateway.keys.lock().unwrap().len(), 1);
    // The first answer has not recorded it, and a third one does not record it again.
    owner.post(&keys, &fields).await.location();
    let activity = owner.get(&keys.replace("/keys", "/activity")).await;
    let recorded = activity.text.matches("created the key server").count();
    assert_eq!(recorded, 1, "{}", activity.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_slow_service_holds_no_connection_of_the_pool(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut owner, keys, form) = owner_with_form(&site).await;
    owner = owner.with_router(&site.with_one_connection());
    let mut other = owner.clone();
    let fields = [("form", form.as_str()), ("name", "server"), ("kind", "account")];
    let waits = site.gateway.new_keys_wait.lock().await;
    let meanwhile = async {
        let is_called = async || !site.gateway.keys.lock().unwrap().is_empty();
        testing::wait_until("the gateway makes the key", is_called).await;
        other.get("/you").await.assert(200, ADA);
        drop(waits);
    };
    let (made, ()) = futures::join!(owner.post(&keys, &fields), meanwhile);
    made.assert(200, "svc_test_");
}

/// Makes storing mails fail, or succeed again.
#[expect(clippy::disallowed_methods, reason = "a statement of a test")]
async fn fail_mails(pool: &PgPool, fails: bool) {
    let check = if fails {
        "alter table web.mail add constraint failing check (false) not valid"
    } else {
        "alter table web.mail drop constraint failing"
    };
    sqlx::query(check).execute(pool).await.unwrap();
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_whose_work_failed_can_be_sent_again(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    let team = format!("/accounts/{account}/team");
    let id = owner.get(&team).await.hidden()["form"].clone();
    let invitation = [("form", id.as_str()), ("email", CAROL), ("role", "editor")];
    let keys = format!("/accounts/{account}/keys");
    let id = owner.get(&format!("{keys}/new")).await.hidden()["form"].clone();
    let named = |name| [("form", id.as_str()), ("name", name), ("kind", "account")];
    let secret = offered(&site, &mut owner).await;
    let code = secret.code(site.clock.now());
    let id = owner.get("/you/totp").await.hidden()["form"].clone();
    let factor = [("form", id.as_str()), ("code", &code), ("password", PASSWORD)];
    let invite = format!("{team}/invite");
    owner.post(&keys, &named("")).await.assert(422, "name-error");
    fail_mails(&site.pool, true).await;
    let failed = owner.post(&invite, &invitation).await;
    assert!(failed.status.is_server_error(), "{failed:?}");
    let failed = owner.post("/you/totp", &factor).await;
    assert!(failed.status.is_server_error(), "{failed:?}");
    fail_mails(&site.pool, false).await;
    let made = owner.post(&keys, &named("server")).await;
    made.assert(200, "svc_test_");
    assert_eq!(owner.post(&invite, &invitation).await.location(), team);
    let page = owner.post("/you/totp", &factor).await;
    page.assert(200, "Recovery codes");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_repeated_change_changes_nothing(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let listing = full.own("/accounts/{account}/listings/game/okoto");
    let base = owner.get(&format!("{listing}/edit")).await.hidden()["base"].clone();
    let fields = [
        ("base", base.as_str()),
        ("title", "Okoto II"),
        ("creator", "studio"),
        ("genres", "puzzle"),
        ("release_year", "2026"),
    ];
    for _ in 0..2 {
        let saved = owner.post(&format!("{listing}/edit"), &fields).await;
        assert_eq!(saved.location(), format!("{listing}?done=listing-changed"));
    }
    let activity = owner.get(&full.own("/accounts/{account}/activity")).await;
    assert_eq!(activity.text.matches("changed okoto").count(), 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_activity_has_each_effect_once(pool: PgPool) {
    let (account, made, other) = (kit::ids::row_id(), kit::ids::row_id(), kit::ids::row_id());
    let action = Action::WebhookSecretRotated;
    let entry = NewEntry::of_staff(account, action, "https://a.example");
    for (id, entries) in [(made, 1), (made, 1), (other, 2)] {
        activity::insert_once(&pool, entry, Some(id), START).await.unwrap();
        let all = activity::of_account(&pool, account, START, None, 10).await;
        assert_eq!(all.unwrap().len(), entries);
    }
}
