//! A refused form is shown again with what was typed, and its errors are tied to their fields. A form that the table lacks fails the test.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::Page;
use crate::full_account::{FullAccount, forms};
use crate::support::{ADA, Site};
use crate::typed_forms::{BUTTONS, NEW_ACCOUNT, OF_ACCOUNTS, OF_PEOPLE, TypedForm, holder};

/// Every error is named by the field that it stands beside, and there is the one that is expected.
#[track_caller]
fn assert_tied(form: &TypedForm, page: &Page) {
    let (_, _, field) = form.wrong;
    let text = &page.text;
    if field == "*" {
        assert!(text.contains("role=\"alert\""), "{}: {text}", form.action);
    } else {
        let error = format!("id=\"{field}-error\"");
        assert!(
            text.contains(&error),
            "{}: no {error} in {text}",
            form.action
        );
    }
    // The summary at the top leads to each field.
    let summary = text.split_once("problem summary");
    assert!(summary.is_some(), "{}: {text}", form.action);
    let summary = summary.and_then(|(_, rest)| rest.split_once("</div>"));
    let links = summary
        .map_or("", |(links, _)| links)
        .split("<a href=\"#")
        .skip(1);
    for id in links.filter_map(|rest| rest.split('"').next()) {
        let field = format!(" id=\"{id}\"");
        assert!(
            text.contains(&field),
            "{}: no {field} in {text}",
            form.action
        );
    }
    let ids = text.split("class=\"error\" id=\"").skip(1);
    for id in ids.filter_map(|rest| rest.split('"').next()) {
        let named = text.split("aria-describedby=\"").skip(1);
        let mut named = named.filter_map(|rest| rest.split('"').next());
        let is_named = named.any(|names| names.split(' ').any(|name| name == id));
        assert!(
            is_named,
            "{}: nothing is described by {id}: {text}",
            form.action
        );
        let is_marked =
            text.contains("aria-invalid=\"true\"") || text.contains("<fieldset aria-describedby");
        assert!(is_marked, "{}: {text}", form.action);
    }
}

#[test]
fn every_form_is_tried() {
    let tables = OF_PEOPLE.iter().chain(OF_ACCOUNTS).chain([&NEW_ACCOUNT]);
    let mut known: Vec<&str> = tables.map(|form| form.action).collect();
    known.extend(BUTTONS);
    for route in forms() {
        assert!(
            known.contains(&route.path),
            "add {} to typed_forms.rs",
            route.path
        );
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_form_of_an_account_keeps_what_was_typed(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let before = full.state().await;
    let mut owner = full.owner.clone();
    for form in OF_ACCOUNTS {
        let shown = owner.get(&full.own(form.page)).await;
        shown.assert(200, "<form");
        let fields = form.typed(&shown.hidden(), true);
        let page = form.post(&mut owner, &full, &fields).await;
        assert_eq!(page.status, 422, "{}: {}", form.action, page.text);
        assert_tied(form, &page);
        form.assert_kept(&page, &fields);
    }
    assert_eq!(full.state().await, before);
    full.owner.get("/you").await.assert(200, ADA);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_form_of_a_person_keeps_what_was_typed(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    for form in OF_PEOPLE {
        let mut browser = holder(&full, form, &full.hooks.site).await;
        let shown = browser.get(&full.own(form.page)).await;
        shown.assert(200, "<form");
        let fields = form.typed(&shown.hidden(), true);
        let page = form.post(&mut browser, &full, &fields).await;
        assert_eq!(page.status, 422, "{}: {}", form.action, page.text);
        assert_tied(form, &page);
        form.assert_kept(&page, &fields);
        assert!(!page.text.contains("value=\"baobab"), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_account_keeps_its_name(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let form = browser.get("/accounts").await.hidden()["form"].clone();
    let long = "x".repeat(81);
    let fields = [("form", form.as_str()), ("name", &long)];
    let page = browser.post("/accounts", &fields).await;
    page.assert(422, &format!("value=\"{long}\""));
    assert_tied(&NEW_ACCOUNT, &page);
    // The form works once it is right.
    let form = page.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("name", "Savanna")];
    browser.post("/accounts", &fields).await.location();
    site.account(ada, Role::Owner).await;
    browser.get("/accounts").await.assert(200, "Savanna");
}
