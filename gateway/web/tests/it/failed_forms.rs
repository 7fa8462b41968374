//! Every form of the router, and every way in which a form fails. A refused form is shown again with its errors; any other failure shows an error
//! page that can send the same fields again. A form that `typed_forms.rs` lacks fails a test.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::PgPool;
use tokio::net::TcpListener;
use web::admission::pages::FORMS;
use web::domain::subject::Subject;
use web::upstream::Gateway;

use crate::browser::{Browser, Page};
use crate::full_account::{CAROL, FullAccount, every_field, forms, person_id};
use crate::outages::without;
use crate::support::{ADA, BOB, PASSWORD, Site};
use crate::typed_forms::{
    BUTTONS, LONG, NEW_ACCOUNT, Needs, OF_ACCOUNTS, OF_PEOPLE, TypedForm, holder,
};

const READ_ONLY: &str = "read-only for a while";
const AWAY: &str = "Try again";
/// The buttons that still work in read-only mode.
const ALWAYS_OPEN: [&str; 3] = [
    "/accounts/{account}/keys/{key}/revoke",
    "/accounts/{account}/team/{person}/remove",
    "/accounts/{account}/team/leave",
];
const UPLOAD: &str = "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}";

/// A form with its typed fields.
type Filled = (&'static TypedForm, Vec<(String, String)>);

/// Opens and fills in all forms of the account.
async fn fill_in(full: &FullAccount) -> Vec<Filled> {
    let mut owner = full.owner.clone();
    let mut filled = Vec::new();
    for form in OF_ACCOUNTS {
        let page = owner.get(&full.own(form.page)).await;
        page.assert(200, "<form");
        filled.push((form, form.typed(&page.hidden(), false)));
    }
    filled
}

/// Sends forms that must fail with an error page that can send the typed fields again.
async fn assert_fail<'a>(
    full: &FullAccount,
    browser: &mut Browser,
    forms: impl IntoIterator<Item = &'a Filled>,
    (status, says): (u16, &str),
) {
    for (form, fields) in forms {
        let page = form.post(browser, full, fields).await;
        page.assert(status, says);
        let action = full.own(form.action);
        page.assert(status, &format!("<form method=\"post\" action=\"{action}\">"));
        form.assert_kept(&page, fields);
    }
}

/// Presses the buttons of the account except those of [`ALWAYS_OPEN`]; each must fail.
async fn assert_buttons_fail(full: &FullAccount, browser: &mut Browser, says: &str) {
    let fields = every_field();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let buttons = BUTTONS.iter().filter(|it| it.contains("{account}"));
    for action in buttons.filter(|it| !ALWAYS_OPEN.contains(it) && **it != UPLOAD) {
        browser.post(&full.own(action), &fields).await.assert(503, says);
    }
    let file = "--b\r\nContent-Disposition: form-data; name=\"cover\"\r\n\r\nJPEG\r\n--b--\r\n";
    let form = "multipart/form-data; boundary=b";
    let page = browser.post_body(&full.own(UPLOAD), form, file).await;
    page.assert(503, says);
}

/// Ends Ada's sessions from another device; returns that device's browser.
async fn end_sessions(site: &Site) -> Browser {
    let mut other = site.signed_in(ADA).await;
    other.post("/you/sessions/end-others", &[]).await.location();
    other
}

#[test]
fn every_form_is_tried() {
    let tables = OF_PEOPLE.iter().chain(OF_ACCOUNTS).chain(NEW_ACCOUNT);
    let mut known: Vec<&str> = tables.map(|form| form.action).collect();
    known.extend(BUTTONS);
    for route in forms() {
        let is_known = known.contains(&route.path);
        assert!(is_known, "add {} to typed_forms.rs", route.path);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_that_fails_can_be_sent_again(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let filled = fill_in(&full).await;
    let before = full.state().await;
    for service in [Needs::Webhooks, Needs::Listings, Needs::Economy, Needs::Gateway] {
        let needs = |it: &&Filled| it.0.needs == service || service == Needs::Gateway;
        let mut owner = full.owner.clone().with_router(&without(site, service));
        let forms = filled.iter().filter(needs);
        assert_fail(&full, &mut owner, forms, (503, AWAY)).await;
    }
    // This gateway accepts connections and never responds.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let client = testing::client(&address, &site.app.lifecycle).unwrap();
    let slow = site.changed(|web| {
        web.gateway = Gateway::new(client, testing::LONG);
        web.timeout = Duration::ZERO;
    });
    let mut slow = full.owner.clone().with_router(&slow);
    assert_fail(&full, &mut slow, &filled, (503, "This took too long")).await;
    let mut owner = full.owner.clone();
    let switched = &site.gateway.switched;
    switched.lock().unwrap().insert("read_only");
    assert_fail(&full, &mut owner, &filled, (503, READ_ONLY)).await;
    switched.lock().unwrap().clear();
    assert_eq!(full.state().await, before);

    let mut again = end_sessions(site).await;
    let before = full.state().await;
    let says = "You are signed out";
    // The time from which deliveries are sent again is no text.
    let with_text = filled.iter().filter(|(form, _)| !form.action.ends_with("/recover"));
    assert_fail(&full, &mut owner, with_text, (401, says)).await;
    let person = person_id(&site.pool, ADA).await;
    site.use_up(FORMS.count(Subject::Person(person.parse().unwrap()))).await;
    let says = "Too many forms. Try again in ";
    assert_fail(&full, &mut again, &filled, (429, says)).await;
    assert_eq!(full.state().await, before);

    // The same fields are accepted once everything works again.
    site.clock.advance(time::Duration::minutes(16));
    for (form, fields) in &filled {
        let page = form.post(&mut again, &full, fields).await;
        let is_refused_by_its_rules = page.status == 422;
        let is_taken = page.status == 200 || page.status == 303;
        assert!(is_taken || is_refused_by_its_rules, "{}: {page:?}", form.action);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_button_is_not_offered_again_after_a_sign_out(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    end_sessions(&full.hooks.site).await;
    // A button of another page may have any of these, hidden or chosen.
    let fields = every_field();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let buttons = BUTTONS.iter().filter(|it| it.starts_with("/accounts/") && **it != UPLOAD);
    for action in buttons {
        let page = owner.post(&full.own(action), &fields).await;
        page.assert(401, "You are signed out");
        let form = format!("action=\"{}\"", full.own(action));
        assert!(!page.text.contains(&form), "{action}: {}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn without_postgresql_typed_fields_are_kept_except_secrets(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let mut filled = fill_in(&full).await;
    // The form for the code needs a person with a second factor, and is left out here.
    for form in OF_PEOPLE.iter().filter(|it| it.action != "/sign-in/code") {
        filled.push((form, form.typed(&BTreeMap::new(), false)));
    }
    let away = PgPool::connect_lazy("postgres://nobody@127.0.0.1:1/nothing").unwrap();
    away.close().await;
    let mut owner = full.owner.clone().with_router(&site.changed(|web| web.pool = away));
    assert_fail(&full, &mut owner, &filled, (503, "Try again")).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_form_keeps_its_fields_and_links_its_errors(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let before = full.state().await;
    for form in OF_ACCOUNTS {
        assert_refused(&full, &mut full.owner.clone(), form).await;
    }
    assert_eq!(full.state().await, before);
    for form in OF_PEOPLE {
        let mut browser = holder(&full, form, &full.hooks.site).await;
        assert_refused(&full, &mut browser, form).await;
    }
}

/// The letters of a text that is too long: a browser counts each as two, and sends it as 12 bytes.
fn too_long(field: &str) -> String {
    // The services accept 120 to 160 letters in a line, and 2,000 or 10,000 in a text.
    let letters = if ["evidence", "description"].contains(&field) { 10_001 } else { 1_000 };
    "\u{1e900}".repeat(letters)
}

#[testing::database_test(web::MIGRATOR)]
async fn a_text_that_is_too_long_in_any_script_is_shown_again_whole(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let mut tried = 0;
    for form in OF_ACCOUNTS {
        let shown = owner.get(&full.own(form.page)).await;
        let mut fields = form.typed(&shown.hidden(), true);
        let texts =
            fields.iter_mut().filter(|(_, value)| value.starts_with("Typed") || *value == LONG);
        for (name, value) in texts {
            *value = too_long(name);
            tried += 1;
        }
        let page = form.post(&mut owner, &full, &fields).await;
        assert_eq!(page.status, 422, "{}", form.action);
        form.assert_kept(&page, &fields);
    }
    assert_eq!(tried, 7);
}

async fn assert_refused(full: &FullAccount, browser: &mut Browser, form: &TypedForm) {
    let shown = browser.get(&full.own(form.page)).await;
    shown.assert(200, "<form");
    let fields = form.typed(&shown.hidden(), true);
    let page = form.post(browser, full, &fields).await;
    assert_eq!(page.status, 422, "{}: {}", form.action, page.text);
    let in_title = ["<title>Error: ", "<title>2 errors: "].map(|title| page.text.contains(title));
    assert!(in_title.contains(&true), "{}", page.text);
    assert_tied(form, &page);
    form.assert_kept(&page, &fields);
}

/// Asserts that every error is linked to its field, and that the expected error is among them.
#[track_caller]
fn assert_tied(form: &TypedForm, page: &Page) {
    let (_, _, field) = form.wrong;
    let (action, text) = (form.action, &page.text);
    let expected = match field {
        "*" => "role=\"alert\"".to_owned(),
        field => format!("id=\"{field}-error\""),
    };
    page.assert(422, &expected);
    // The summary links to each field.
    let summary = text.split_once("problem summary");
    let (_, summary) = summary.expect(action);
    let (links, _) = summary.split_once("</div>").unwrap();
    let links = links.split("<a href=\"#").skip(1);
    for id in links.filter_map(|rest| rest.split('"').next()) {
        page.assert(422, &format!(" id=\"{id}\""));
    }
    let ids = text.split("class=\"error\" id=\"").skip(1);
    for id in ids.filter_map(|rest| rest.split('"').next()) {
        let mut named =
            text.split("aria-describedby=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let is_named = named.any(|names| names.split(' ').any(|name| name == id));
        assert!(is_named, "{action}: nothing is described by {id}: {text}");
        let is_marked =
            text.contains("aria-invalid=\"true\"") || text.contains("<fieldset aria-describedby");
        assert!(is_marked, "{action}: {text}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn in_read_only_mode_only_three_buttons_work(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let before = full.state().await;
    // Without the gateway the switch for read-only mode cannot be read.
    let mut owner = full.owner.clone().with_router(&without(site, Needs::Gateway));
    assert_buttons_fail(&full, &mut owner, AWAY).await;
    let mut owner = full.owner.clone();
    site.gateway.switched.lock().unwrap().insert("read_only");
    assert_buttons_fail(&full, &mut owner, READ_ONLY).await;
    assert_eq!(full.state().await, before);
    let [revoke, remove, leave] = ALWAYS_OPEN.map(|action| full.own(action));
    for action in [remove, leave] {
        let last = owner.post(&action, &[]).await;
        last.assert(422, "at least one owner");
    }
    owner.post(&revoke, &[]).await.location();
    let keys = site.gateway.keys.lock().unwrap().clone();
    assert!(keys.iter().all(|key| key.revoked_at.is_some()));
}

#[testing::database_test(web::MIGRATOR)]
async fn in_read_only_mode_nobody_joins_signs_up_or_is_deleted(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    site.person(BOB).await;
    let mut owner = full.owner.clone();
    owner.invite(&full.account, BOB, "editor").await.location();
    let (mut bob, mut carol, mut dan) = (site.signed_in(BOB).await, site.browser(), site.browser());
    let sign_up = [("email", "dan@new.example")];
    dan.post("/sign-up", &sign_up).await.assert(200, "");
    let (of_bob, of_carol) = (site.link(BOB).await, site.link(CAROL).await);
    let of_dan = site.link("dan@new.example").await;
    let password = [("password", PASSWORD)];
    let account = [("account_name", "Typed name"), ("password", PASSWORD)];
    let switched = &site.gateway.switched;
    switched.lock().unwrap().insert("read_only");
    let before = full.state().await;
    for (browser, path, fields) in [
        (&mut bob, of_bob.as_str(), &[][..]),
        (&mut carol, &of_carol, &password),
        (&mut dan, &of_dan, &account),
        (&mut owner, "/you/delete", &password),
    ] {
        browser.get(path).await.assert(200, READ_ONLY);
        let page = browser.post(path, fields).await;
        page.assert(503, READ_ONLY);
        assert!(!page.text.contains(PASSWORD), "{path}: {}", page.text);
    }
    assert_eq!(full.state().await, before);
    // The people of the site look after themselves.
    let mut phone = site.signed_in(ADA).await;
    let new = [("current", PASSWORD), ("password", "another lorry teapot nine")];
    phone.post("/you/password", &new).await.location();
    switched.lock().unwrap().clear();
    bob.post(&of_bob, &[]).await.location();
    carol.post(&of_carol, &password).await.location();
    dan.post(&of_dan, &account).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn paused_submissions_refuse_only_new_games_and_events(pool: PgPool) {
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
    // Listings can still be changed, and pages submitted.
    let path = format!("/accounts/{}/listings/new/page", full.account);
    let fields = [("name", "A page"), ("kind", "studio")];
    owner.submit(&path, &path, &fields).await.location();
    for form in OF_ACCOUNTS.iter().filter(|it| !it.action.contains("/new/")) {
        let page = form.send(&mut owner, &full, false).await;
        assert!(!page.status.is_server_error(), "{}: {page:?}", form.action);
    }
}

/// The next person at this computer must not leave the team or revoke a key by a click on a page that was left open.
#[testing::database_test(web::MIGRATOR)]
async fn a_signed_out_person_is_offered_no_button_and_no_file_again(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    end_sessions(&full.hooks.site).await;
    let mut owner = full.owner.clone();
    let leave = full.own("/accounts/{account}/team/leave");
    let remove = full.own("/accounts/{account}/webhooks/{endpoint}/remove");
    for (path, fields) in [
        (leave.as_str(), vec![]),
        ("/you/password", vec![("current", PASSWORD)]),
        (&remove, vec![("form", "abc")]),
        ("/sign-in/code", vec![("code", "123456"), ("next", "/you")]),
    ] {
        let page = owner.post(path, &fields).await;
        page.assert(401, "href=\"/sign-in\"");
        assert!(!page.text.contains("<form method=\"post\""), "{path}: {}", page.text);
    }
    let path = full.own(UPLOAD);
    let upload = owner.post_body(&path, "multipart/form-data; boundary=x", "--x--");
    let page = upload.await;
    page.assert(401, "href=\"/sign-in\"");
    assert!(!page.text.contains("<form method=\"post\""), "{}", page.text);
}
