//! The switches (§7.3): while everything is read-only, and while submissions are paused, forms say so and keep what was typed.

use sqlx::PgPool;

use crate::full_account::{CAROL, FullAccount, every_field, person_id};
use crate::support::{BOB, PASSWORD};
use crate::typed_forms::{BUTTONS, OF_ACCOUNTS};

const READ_ONLY: &str = "read-only for a while";

/// A key that has leaked ends at any time.
const REVOKE: &str = "/accounts/{account}/keys/{key}/revoke";
/// A member who must go can be removed at any time. The account's only owner cannot.
const REMOVE: &str = "/accounts/{account}/team/{person}/remove";
const UPLOAD: &str = "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}";

async fn read_only(pool: PgPool) -> FullAccount {
    let full = FullAccount::new(pool).await;
    let switched = &full.hooks.site.gateway.switched;
    switched.lock().unwrap().insert("read_only");
    full
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_that_is_closed_says_so_and_keeps_what_was_typed(pool: PgPool) {
    let full = read_only(pool).await;
    let before = full.state().await;
    let mut owner = full.owner.clone();
    for form in OF_ACCOUNTS {
        let shown = owner.get(&full.own(form.page)).await;
        shown.assert(200, READ_ONLY);
        let fields = form.typed(&shown.hidden(), false);
        let page = form.post(&mut owner, &full, &fields).await;
        assert_eq!(page.status, 503, "{}: {}", form.action, page.text);
        page.assert(503, READ_ONLY);
        form.assert_kept(&page, &fields);
    }
    assert_eq!(full.state().await, before);
    // The same forms are taken afterwards.
    let switched = &full.hooks.site.gateway.switched;
    switched.lock().unwrap().clear();
    for form in OF_ACCOUNTS {
        let page = form.send(&mut owner, &full, false).await;
        assert!(
            !page.status.is_server_error(),
            "{}: {}",
            form.action,
            page.text
        );
        assert!(!page.text.contains(READ_ONLY), "{}", form.action);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn buttons_are_closed_too_except_the_end_of_a_key(pool: PgPool) {
    let full = read_only(pool).await;
    let before = full.state().await;
    let fields = every_field();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let mut owner = full.owner.clone();
    let of_account = BUTTONS.iter().filter(|it| it.contains("{account}"));
    let is_open = |action: &str| [REVOKE, REMOVE].contains(&action);
    for action in of_account.filter(|it| !is_open(it) && **it != UPLOAD) {
        let page = owner.post(&full.own(action), &fields).await;
        page.assert(503, READ_ONLY);
    }
    let file = "--b\r\nContent-Disposition: form-data; name=\"picture\"\r\n\r\nJPEG\r\n--b--\r\n";
    let form = "multipart/form-data; boundary=b";
    let page = owner.post_body(&full.own(UPLOAD), form, file).await;
    page.assert(503, READ_ONLY);
    assert_eq!(full.state().await, before);
    let last = owner.post(&full.own(REMOVE), &[]).await;
    last.assert(422, "at least one owner");
    owner.post(&full.own(REVOKE), &[]).await.location();
    let keys = full.hooks.site.gateway.keys.lock().unwrap().clone();
    assert!(keys.iter().all(|key| key.revoked_at.is_some()));
}

#[testing::database_test(web::MIGRATOR)]
async fn no_account_is_made_while_everything_is_read_only(pool: PgPool) {
    let full = read_only(pool).await;
    let site = &full.hooks.site;
    let accounts = site.gateway.accounts.lock().unwrap().len();
    let mut browser = site.browser();
    browser
        .post("/sign-up", &[("email", "new@studio.example")])
        .await
        .assert(200, "");
    let link = site.link("new@studio.example").await;
    let fields = [("account_name", "Typed name"), ("password", PASSWORD)];
    let page = browser.post(&link, &fields).await;
    page.assert(503, READ_ONLY);
    page.assert(503, "value=\"Typed name\"");
    // A person who is there may look, sign in and change the password.
    let mut owner = site.signed_in(crate::support::ADA).await;
    let fields = [
        ("current", PASSWORD),
        ("password", "another lorry teapot nine"),
    ];
    owner.post("/you/password", &fields).await.location();
    assert_eq!(site.gateway.accounts.lock().unwrap().len(), accounts);
    site.gateway.switched.lock().unwrap().clear();
    let fields = [("account_name", "Typed name"), ("password", PASSWORD)];
    browser.post(&link, &fields).await.location();
    assert_eq!(site.gateway.accounts.lock().unwrap().len(), accounts + 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_joins_a_team_or_deletes_themselves_while_everything_is_read_only(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    site.person(BOB).await;
    let mut owner = full.owner.clone();
    let team = full.own("/accounts/{account}/team");
    let form = owner.get(&team).await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("email", BOB), ("role", "editor")];
    let invite = format!("{team}/invite");
    owner.post(&invite, &fields).await.location();
    let (mut bob, mut carol) = (site.signed_in(BOB).await, site.browser());
    let (of_bob, of_carol) = (site.link(BOB).await, site.link(CAROL).await);
    let switched = &site.gateway.switched;
    switched.lock().unwrap().insert("read_only");
    let before = full.state().await;
    let delete = [("password", PASSWORD)];
    for (browser, path, fields) in [
        (&mut bob, of_bob.as_str(), &[][..]),
        (&mut carol, &of_carol, &delete),
        (&mut owner, "/you/delete", &delete),
    ] {
        browser.get(path).await.assert(200, READ_ONLY);
        browser.post(path, fields).await.assert(503, READ_ONLY);
    }
    assert_eq!(full.state().await, before);
    switched.lock().unwrap().clear();
    bob.post(&of_bob, &[]).await.location();
    carol.post(&of_carol, &delete).await.location();
    let role = format!("{team}/{}/remove", person_id(&site.pool, CAROL).await);
    owner.post(&role, &[]).await.location();
    let role = format!("{team}/{}/remove", person_id(&site.pool, BOB).await);
    owner.post(&role, &[]).await.location();
    let gone = owner.post("/you/delete", &delete).await;
    assert_eq!(gone.location(), "/?done=deleted");
}

#[testing::database_test(web::MIGRATOR)]
async fn while_submissions_are_paused_new_games_and_events_wait(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let switched = &full.hooks.site.gateway.switched;
    switched.lock().unwrap().insert("submissions");
    let mut owner = full.owner.clone();
    let before = full.state().await;
    for kind in ["game", "event"] {
        let path = format!("/accounts/{}/listings/new/{kind}", full.account);
        let shown = owner.get(&path).await;
        shown.assert(200, "are not accepted for a while");
        let form = shown.hidden()["form"].clone();
        let fields = [("form", form.as_str()), ("title", "Typed title")];
        let page = owner.post(&path, &fields).await;
        page.assert(503, "are not accepted for a while");
        page.assert(503, "value=\"Typed title\"");
    }
    assert_eq!(full.state().await, before);
    // What is listed can still be changed, and pages can be submitted.
    let path = format!("/accounts/{}/listings/new/page", full.account);
    let form = owner.get(&path).await.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", "A page"),
        ("kind", "studio"),
    ];
    owner.post(&path, &fields).await.location();
    for form in OF_ACCOUNTS
        .iter()
        .filter(|form| !form.action.contains("/new/"))
    {
        let page = form.send(&mut owner, &full, false).await;
        assert!(
            !page.status.is_server_error(),
            "{}: {}",
            form.action,
            page.text
        );
    }
}
