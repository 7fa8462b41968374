//! What remains of a deleted person: closed accounts, and accounts of other owners.

use std::sync::atomic::Ordering;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyRequestState;
use kit::ids;
use sqlx::PgPool;
use web::domain::role::Role;
use web::store::links::{self, LinkTarget};
use web::store::members;

use crate::browser::Browser;
use crate::full_account::FullAccount;
use crate::held_open::until_one_waits;
use crate::support::{ADA, BOB, PASSWORD, Site};
use crate::webhook_service::{WebhookSite, insert_account};

const DELETE: [(&str, &str); 1] = [("password", PASSWORD)];

#[testing::database_test(web::MIGRATOR)]
async fn an_account_without_people_has_no_key_no_request_for_one_no_claim_and_no_webhook(
    pool: PgPool,
) {
    let full = FullAccount::new(pool).await;
    let (site, mut owner) = (&full.hooks.site, full.owner.clone());
    let page = owner.get("/you/delete").await;
    page.assert(200, "every key is revoked");
    site.gateway.is_down.store(true, Ordering::Relaxed);
    owner.post("/you/delete", &DELETE).await.assert(503, "");
    site.gateway.is_down.store(false, Ordering::Relaxed);
    let gone = owner.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    let requests = site.gateway.requests.lock().unwrap().clone();
    assert!(requests.iter().all(|it| it.state() == KeyRequestState::Rejected));
    let keys = site.gateway.keys.lock().unwrap().clone();
    assert!(keys.iter().all(|it| it.revoked_at.is_some()));
    let left = site.app.webhooks.endpoints(full.hooks.account).await;
    assert_eq!(left.unwrap().endpoints, []);
    let withdrawn = format!("withdraw the claims of {}", full.hooks.account);
    assert!(site.listings.recorded().contains(&withdrawn));
}

/// Signs up; returns the browser and the path of the account.
async fn sign_up(site: &Site, email: &str) -> (Browser, String) {
    let mut browser = site.browser();
    browser.post("/sign-up", &[("email", email)]).await;
    let link = site.link(email).await;
    let fields = [("account_name", "Dunes"), ("password", PASSWORD)];
    let account = browser.post(&link, &fields).await.location().to_owned();
    (browser, account)
}

#[testing::database_test(web::MIGRATOR)]
async fn a_reused_address_gets_no_account_of_a_deleted_person(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let site = &hooks.site;
    let (mut first, old) = sign_up(site, BOB).await;
    let id = old.rsplit('/').next().unwrap().to_owned();
    insert_account(&site.pool, id.parse().unwrap(), "build").await;
    let gone = first.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    // The e-mail address belongs to another person now, who gets a new account.
    let (mut second, new) = sign_up(site, BOB).await;
    assert_ne!(new, old);
    second.get(&old).await.assert(404, "");
    second.get(&new).await.assert(200, "Dunes");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_deletion_leaves_no_account_without_an_owner(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let (site, account) = (&hooks.site, hooks.account);
    let bob = site.person(BOB).await;
    let mut owner = hooks.browser.clone();
    site.gateway.keys.lock().unwrap().push(proto::Key {
        id: kit::ids::row_id().to_string(),
        account_id: account.to_string(),
        ..proto::Key::default()
    });
    // An editor joins while the deletion, which saw no other member, works at other services.
    let mut transaction = kit::pg::begin(&site.pool).await.unwrap();
    members::lock(&mut transaction, account).await.unwrap();
    let commit = async {
        until_one_waits(&site.pool).await;
        let now = site.clock.now();
        let joined = members::insert(&mut *transaction, account, bob, Role::Editor, now);
        joined.await.unwrap();
        transaction.commit().await.unwrap();
    };
    let (page, ()) = futures::join!(owner.post("/you/delete", &DELETE), commit);
    page.assert(422, "last owner");
    let keys = site.gateway.keys.lock().unwrap().clone();
    assert!(keys.iter().all(|key| key.revoked_at.is_none()), "{keys:?}");
    owner.get("/you").await.assert(200, ADA);
    let role = members::role(&site.pool, account, bob).await.unwrap();
    assert_eq!(role, Some(Role::Editor));
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_joins_an_account_while_its_owner_is_deleted(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let (mut owner, mut invited) = (site.signed_in(ADA).await, site.signed_in(BOB).await);
    owner.invite(account, BOB, "editor").await.location();
    let link = site.link(BOB).await;
    let mut transaction = kit::pg::begin(&site.pool).await.unwrap();
    members::lock(&mut transaction, account).await.unwrap();
    let commit = async {
        until_one_waits(&site.pool).await;
        let gone = sqlx::query!("delete from web.person where id = $1", ada);
        gone.execute(&mut *transaction).await.unwrap();
        transaction.commit().await.unwrap();
    };
    let (page, ()) = futures::join!(invited.post(&link, &[]), commit);
    page.assert(410, "does not work any more");
    let role = members::role(&site.pool, account, bob).await.unwrap();
    assert_eq!(role, None);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_deletion_holds_no_connection_during_its_calls(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let site = &hooks.site;
    let mut owner = hooks.browser.clone().with_router(&site.with_one_connection());
    let mut other = owner.clone();
    let waits = site.gateway.new_keys_wait.lock().await;
    site.gateway.keys.lock().unwrap().push(proto::Key {
        id: kit::ids::row_id().to_string(),
        account_id: hooks.account.to_string(),
        ..proto::Key::default()
    });
    let meanwhile = async {
        let is_called = async || site.gateway.keys.lock().unwrap()[0].revoked_at.is_some();
        testing::wait_until("the gateway closes the account", is_called).await;
        other.get("/you").await.assert(200, ADA);
        drop(waits);
    };
    let (gone, ()) = futures::join!(owner.post("/you/delete", &DELETE), meanwhile);
    assert_eq!(gone.location(), "/?done=deleted");
}

#[testing::database_test(web::MIGRATOR)]
async fn older_invitations_for_a_deleted_person_end(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Editor).await;
    let invited = LinkTarget::Invite { by: Some(ada), account, role: Role::Owner };
    let now = site.clock.now();
    links::insert(&site.pool, ids::row_id(), BOB, &invited, None, now).await.unwrap();
    let mut editor = site.signed_in(BOB).await;
    let gone = editor.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    let left = links::invitations(&site.pool, account, now).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}
