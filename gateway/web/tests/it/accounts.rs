//! People create accounts: several, one per form, and a used form gives no access.

use std::sync::atomic::Ordering;

use contracts::listings::v1::{Game, State};
use futures::future::join_all;
use sqlx::PgPool;
use web::domain::role::Role;
use web::store::members;

use crate::browser::Browser;
use crate::support::{ADA, BOB, Site};
use crate::webhook_service::WebhookSite;

const NEW: &str = "/accounts/new";

/// Opens the form of a new account, and returns its fields.
async fn fields(browser: &mut Browser, name: &'static str) -> [(&'static str, String); 2] {
    let form = browser.get(NEW).await.hidden()["form"].clone();
    [("form", form), ("name", name.to_owned())]
}

fn borrowed<'a>(fields: &'a [(&'static str, String); 2]) -> [(&'static str, &'a str); 2] {
    fields.each_ref().map(|(name, value)| (*name, value.as_str()))
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_with_an_account_creates_another_one(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let first = site.account(ada, Role::Editor).await;
    let mut browser = site.signed_in(ADA).await;
    // With one account, the list redirects to it; the page of the person links to the form.
    let list = browser.get("/accounts").await;
    assert_eq!(list.location(), format!("/accounts/{first}"));
    browser.get("/you").await.assert(200, "href=\"/accounts/new\"");
    for name in ["Karoo", "Sahel"] {
        let fields = fields(&mut browser, name).await;
        let made = browser.post("/accounts", &borrowed(&fields)).await;
        browser.get(made.location()).await.assert(200, name);
    }
    assert_eq!(site.gateway.accounts.lock().unwrap().len(), 3);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_that_failed_halfway_creates_the_same_account(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = fields(&mut browser, "Karoo").await;
    #[expect(clippy::disallowed_methods, reason = "it changes a table")]
    let run = async |sql: &'static str| sqlx::query(sql).execute(&site.pool).await.unwrap();
    // The gateway has created the account, but PostgreSQL refuses the membership.
    run("alter table web.member add constraint away check (false)").await;
    let failed = browser.post("/accounts", &borrowed(&fields)).await;
    assert!(failed.status.is_server_error(), "{}", failed.text);
    run("alter table web.member drop constraint away").await;
    let made = browser.post("/accounts", &borrowed(&fields)).await;
    let again = browser.post("/accounts", &borrowed(&fields)).await;
    assert_eq!(made.location(), again.location());
    browser.get(made.location()).await.assert(200, "Karoo");
    assert_eq!(site.gateway.accounts.lock().unwrap().len(), 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_used_form_gives_no_access_to_its_account(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let mut browser = site.signed_in(ADA).await;
    let fields = fields(&mut browser, "Karoo").await;
    let made = browser.post("/accounts", &borrowed(&fields)).await;
    let path = made.location().to_owned();
    let account = path.rsplit('/').next().unwrap().parse().unwrap();
    site.join(account, bob, Role::Owner).await;
    let mut other = site.signed_in(BOB).await;
    let remove = format!("{path}/team/{ada}/remove");
    other.post(&remove, &[]).await.location();
    let again = browser.post("/accounts", &borrowed(&fields)).await;
    again.assert(422, "Open the page again");
    browser.get(&path).await.assert(404, "Not found");
    // The form id of another person does not lead into the account either.
    let theirs = other.post("/accounts", &borrowed(&fields)).await;
    assert_ne!(theirs.location(), path);
    browser.post("/accounts", &[("name", "no form")]).await.assert(422, "Open the page again");
}

#[testing::database_test(web::MIGRATOR)]
async fn concurrent_forms_do_not_exceed_the_limit_of_accounts(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    for _ in 0..19 {
        site.account(ada, Role::Owner).await;
    }
    let mut browser = site.signed_in(ADA).await;
    let mut forms = Vec::new();
    for _ in 0..6 {
        forms.push(fields(&mut browser, "Karoo").await);
    }
    let sent = forms.iter().map(|form| {
        let mut browser = browser.clone();
        async move { browser.post("/accounts", &borrowed(form)).await }
    });
    let made = join_all(sent).await;
    let made = made.iter().filter(|page| page.status.is_redirection());
    assert_eq!(made.count(), 1);
    let owned = members::of_person(&site.pool, ada).await.unwrap();
    assert_eq!(owned.len(), 20);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_belongs_to_a_number_of_accounts_at_most(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    owner.invite(account, BOB, "editor").await.location();
    let mut last = account;
    for _ in 0..members::MAX_ACCOUNTS {
        last = site.account(bob, Role::Editor).await;
    }
    let link = site.link(BOB).await;
    let mut browser = site.signed_in(BOB).await;
    let most = "You belong to 100 accounts already, which is the most.";
    let fields = fields(&mut browser, "Karoo").await;
    let refused = browser.post("/accounts", &borrowed(&fields)).await;
    refused.assert(422, most);
    browser.post(&link, &[]).await.assert(409, most);
    // The link still works after the person has left another account.
    site.join(last, ada, Role::Owner).await;
    let leave = format!("/accounts/{last}/team/leave");
    assert_eq!(browser.post(&leave, &[]).await.location(), "/accounts");
    let joined = browser.post(&link, &[]).await;
    assert_eq!(joined.location(), format!("/accounts/{account}"));
}

#[testing::database_test(web::MIGRATOR)]
async fn an_account_that_has_nothing_is_closed_by_its_last_owner(pool: PgPool) {
    let mut hooks = WebhookSite::new(pool).await;
    let endpoint = hooks.add().await;
    let (site, account) = (&hooks.site, hooks.account);
    let (mut owner, base) = (hooks.browser.clone(), format!("/accounts/{account}"));
    site.listings.has_no_pages.store(true, Ordering::Relaxed);
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Editor).await;
    let fields = [("name", "server"), ("kind", "account")];
    let new = format!("{base}/keys/new");
    owner.submit(&new, &format!("{base}/keys"), &fields).await.assert(200, "svc_test_");
    let key = site.gateway.keys.lock().unwrap()[0].id.clone();
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    let close = format!("{base}/close");
    owner.post(&close, &[]).await.assert(422, "has other people");
    let remove = format!("{base}/team/{bob}/remove");
    owner.post(&remove, &[]).await.location();
    owner.post(&close, &[]).await.assert(422, "has keys that work");
    owner.post(&format!("{base}/keys/{key}/revoke"), &[]).await.location();
    owner.post(&close, &[]).await.assert(422, "has webhooks");
    owner.submit(&endpoint, &format!("{endpoint}/remove"), &[]).await.location();
    owner.post(&close, &[]).await.assert(422, "has pages, games or events");
    // Nobody has to care for what is rejected or taken down, however many pages of it there are.
    site.listings.game(&account.to_string(), "zuri", "Zuri");
    site.listings.has_more.store(true, Ordering::Relaxed);
    let change = |slug, state| {
        let changed = |game: &mut Game| game.set_state(state);
        site.listings.change(&account.to_string(), slug, changed);
    };
    change("okoto", State::Rejected);
    for state in [State::Published, State::Unspecified] {
        change("zuri", state);
        owner.post(&close, &[]).await.assert(422, "has pages, games or events");
    }
    change("zuri", State::Removed);
    owner.invite(account, "carol@new.example", "owner").await.location();
    let link = site.link("carol@new.example").await;
    let settings = owner.get(&format!("{base}/settings")).await;
    settings.assert(200, &format!("action=\"{close}\""));
    assert_eq!(owner.post(&close, &[]).await.location(), "/accounts");
    owner.get(&base).await.assert(404, "");
    site.browser().get(&link).await.assert(410, "");
    let members = members::of_account(&site.pool, account).await.unwrap();
    assert!(members.is_empty(), "{members:?}");
    let withdrawn = format!("withdraw the claims of {account}");
    assert!(site.listings.recorded().contains(&withdrawn));
}
