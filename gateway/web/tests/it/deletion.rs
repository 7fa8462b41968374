//! What a person leaves behind: closed accounts, accounts with an owner, and no token that works.

use std::sync::atomic::Ordering;

use sqlx::PgPool;
use web::domain::role::Role;
use web::jobs::revoke_tokens;
use web::store::members;

use crate::browser::Browser;
use crate::full_account::FullAccount;
use crate::gateway::PausedCall;
use crate::held_open::until_one_waits;
use crate::support::{ADA, BOB, PASSWORD, Site};
use crate::webhook_service::{WebhookSite, insert_account};

const DELETE: [(&str, &str); 1] = [("password", PASSWORD)];

/// Makes a token with this name.
async fn make_token(browser: &mut Browser, account: &str, name: &str) {
    let tokens = format!("/accounts/{account}/tokens");
    let form = browser.get(&tokens).await.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", name),
        ("scopes", "keys:read"),
    ];
    let made = browser.post(&tokens, &fields).await;
    made.assert(200, "svc_acct_");
}

/// The names of the tokens that work.
fn working_tokens(site: &Site) -> Vec<String> {
    let tokens = site.gateway.tokens.lock().unwrap().clone();
    let working = tokens.into_iter().filter(|it| it.revoked_at.is_none());
    working.map(|token| token.name).collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn an_account_without_people_has_no_token_and_no_request_for_a_key(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let (site, mut owner) = (&full.hooks.site, full.owner.clone());
    make_token(&mut owner, &full.account, "own").await;
    let page = owner.get("/you/delete").await;
    page.assert(200, "every token and every key is revoked");
    let gone = owner.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    assert!(working_tokens(site).is_empty());
    let requests = site.gateway.requests.lock().unwrap().clone();
    assert!(requests.iter().all(|it| it.state == "rejected"));
    let keys = site.gateway.keys.lock().unwrap().clone();
    assert!(keys.iter().all(|it| it.revoked_at.is_some()));
}

#[testing::database_test(web::MIGRATOR)]
async fn tokens_end_with_the_role_of_the_person_who_made_them(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let (path, team) = (account.to_string(), format!("/accounts/{account}/team"));
    let mut owner = site.signed_in(ADA).await;
    make_token(&mut owner, &path, "of-ada").await;
    let mut developer = site.signed_in(BOB).await;
    for change in ["role", "remove", "leave"] {
        site.join(account, bob, Role::Developer).await;
        make_token(&mut developer, &path, "of-bob").await;
        let tokens = owner.get(&format!("/accounts/{account}/tokens")).await;
        tokens.assert(200, BOB);
        let fields = [("role", "editor")];
        match change {
            "leave" => developer.post(&format!("{team}/leave"), &[]).await,
            _ => owner.post(&format!("{team}/{bob}/{change}"), &fields).await,
        }
        .location();
        assert_eq!(working_tokens(&site), ["of-ada"], "{change}");
        sqlx::query!("delete from web.member where person_id = $1", bob)
            .execute(&site.pool)
            .await
            .unwrap();
    }
    // Another role that may have tokens keeps them.
    site.join(account, bob, Role::Developer).await;
    make_token(&mut developer, &path, "of-bob").await;
    let role = format!("{team}/{bob}/role");
    owner.post(&role, &[("role", "owner")]).await.location();
    assert_eq!(working_tokens(&site), ["of-ada", "of-bob"]);
    // A deletion ends them as well.
    let gone = developer.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    assert_eq!(working_tokens(&site), ["of-ada"]);
    let tokens = owner.get(&format!("/accounts/{account}/tokens")).await;
    tokens.assert(200, "a former member");
    let activity = owner.get(&format!("/accounts/{account}/activity")).await;
    assert_eq!(activity.text.matches("left the team").count(), 2);
}

#[testing::database_test(web::MIGRATOR)]
async fn tokens_of_a_removed_person_end_when_the_gateway_is_back(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Developer).await;
    let mut developer = site.signed_in(BOB).await;
    make_token(&mut developer, &account.to_string(), "of-bob").await;
    let mut owner = site.signed_in(ADA).await;
    site.gateway.is_down.store(true, Ordering::Relaxed);
    let remove = format!("/accounts/{account}/team/{bob}/remove");
    owner.post(&remove, &[]).await.location();
    assert!(revoke_tokens::run(&site.app).await.is_err());
    assert_eq!(working_tokens(&site), ["of-bob"]);
    site.gateway.is_down.store(false, Ordering::Relaxed);
    assert_eq!(revoke_tokens::run(&site.app).await.unwrap(), 1);
    assert!(working_tokens(&site).is_empty());
    assert_eq!(revoke_tokens::run(&site.app).await.unwrap(), 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_token_that_is_made_while_its_maker_is_removed_does_not_work(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Developer).await;
    let (mut owner, mut developer) = (site.signed_in(ADA).await, site.signed_in(BOB).await);
    let tokens = format!("/accounts/{account}/tokens");
    let form = developer.get(&tokens).await.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", "late"),
        ("scopes", "keys:read"),
    ];
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go_on, may_go_on) = tokio::sync::oneshot::channel();
    *site.gateway.token_gate.lock().unwrap() = Some(PausedCall {
        begun,
        go_on: may_go_on,
    });
    let removed = async {
        has_begun.await.unwrap();
        let remove = format!("/accounts/{account}/team/{bob}/remove");
        owner.post(&remove, &[]).await.location();
        go_on.send(()).unwrap();
    };
    let (page, ()) = futures::join!(developer.post(&tokens, &fields), removed);
    page.assert(404, "Not found");
    assert!(!page.text.contains("svc_acct_"), "{}", page.text);
    assert!(working_tokens(&site).is_empty());
}

/// Signs up, and returns the path of the account.
async fn sign_up(site: &Site, email: &str) -> (Browser, String) {
    let mut browser = site.browser();
    browser.post("/sign-up", &[("email", email)]).await;
    let link = site.link(email).await;
    let fields = [("account_name", "Dunes"), ("password", PASSWORD)];
    let account = browser.post(&link, &fields).await.location().to_owned();
    (browser, account)
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_gets_the_account_of_a_deleted_person(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let site = &hooks.site;
    let (mut first, old) = sign_up(site, BOB).await;
    let id = old.rsplit('/').next().unwrap().to_owned();
    insert_account(&site.pool, id.parse().unwrap(), "build").await;
    let gone = first.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    // The address has another holder now, who gets an account of their own.
    let (mut second, new) = sign_up(site, BOB).await;
    assert_ne!(new, old);
    second.get(&old).await.assert(404, "");
    second.get(&new).await.assert(200, "Dunes");
    let accounts = site.gateway.accounts.lock().unwrap().clone();
    assert_eq!(accounts[&id].email, format!("{id}@closed.invalid"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_deletion_leaves_no_account_without_an_owner(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let (site, account) = (&hooks.site, hooks.account);
    let bob = site.person(BOB).await;
    let mut owner = hooks.browser.clone();
    // An editor joins while the deletion, which saw no other member, works at other services.
    let mut transaction = site.pool.begin().await.unwrap();
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
    owner.get("/you").await.assert(200, ADA);
    let role = members::role(&site.pool, account, bob).await.unwrap();
    assert_eq!(role, Some(Role::Editor));
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_joins_an_account_while_its_owner_is_deleted(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let (mut owner, mut invited) = (site.signed_in(ADA).await, site.signed_in(BOB).await);
    let form = owner.get(&team).await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("email", BOB), ("role", "editor")];
    owner
        .post(&format!("{team}/invite"), &fields)
        .await
        .location();
    let link = site.link(BOB).await;
    let mut transaction = site.pool.begin().await.unwrap();
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
async fn a_deletion_that_is_refused_revokes_nothing(pool: PgPool) {
    let hooks = WebhookSite::new(pool).await;
    let (site, account) = (&hooks.site, hooks.account);
    let bob = site.person(BOB).await;
    let mut owner = hooks.browser.clone();
    make_token(&mut owner, &account.to_string(), "of-ada").await;
    let mut transaction = site.pool.begin().await.unwrap();
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
    assert_eq!(working_tokens(site), ["of-ada"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn tokens_are_revoked_although_those_of_another_account_cannot_be(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let mut developer = site.signed_in(BOB).await;
    let mut accounts = Vec::new();
    for name in ["first", "second"] {
        let account = site.account(ada, Role::Owner).await;
        site.join(account, bob, Role::Developer).await;
        make_token(&mut developer, &account.to_string(), name).await;
        accounts.push(account.to_string());
    }
    site.gateway
        .without_tokens
        .lock()
        .unwrap()
        .clone_from(&accounts[0]);
    let gone = developer.post("/you/delete", &DELETE).await;
    assert_eq!(gone.location(), "/?done=deleted");
    assert_eq!(working_tokens(&site), ["first"]);
    assert!(revoke_tokens::run(&site.app).await.is_err());
    site.gateway.without_tokens.lock().unwrap().clear();
    assert_eq!(revoke_tokens::run(&site.app).await.unwrap(), 1);
    assert!(working_tokens(&site).is_empty());
}
