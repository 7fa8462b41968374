//! Forms that one person has opened and another one sends from the same browser.

use http::Method;
use sqlx::PgPool;
use web::domain::role::Role;
use web::layers::access::Access;
use web::route::PathKind;
use web::router::routes;

use crate::full_account::{FullAccount, every_field, forms, person_id};
use crate::support::{ADA, BOB, PASSWORD};

const UPLOAD: &str = "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}";

/// Whether only a person who is signed in reaches a path.
fn is_signed_in(kind: PathKind) -> bool {
    matches!(kind, PathKind::Dashboard(Access::SignedIn | Access::Member(_)))
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_of_another_person_changes_nothing_and_says_who_is_signed_in(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let bob = site.person(BOB).await;
    // The second person may do everything that the first one may.
    site.join(full.account.parse().unwrap(), bob, Role::Owner).await;
    let ada = person_id(&site.pool, ADA).await;
    let mut browser = full.owner.clone();
    browser.post("/sign-out", &[("person", &ada)]).await.location();
    let signed_in = [("email", BOB), ("password", PASSWORD)];
    browser.post("/sign-in", &signed_in).await.location();
    let fields = every_field();
    let mut fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    fields.insert(0, ("person", &ada));
    let before = full.state().await;
    let mut tried = 0;
    for route in forms().filter(|route| is_signed_in(route.kind) && route.path != UPLOAD) {
        let page = browser.post(&full.own(route.path), &fields).await;
        page.assert(403, "Another person opened this form");
        page.assert(403, BOB);
        tried += 1;
    }
    assert!(tried > 35, "{tried}");
    let file = format!(
        "--b\r\nContent-Disposition: form-data; name=\"person\"\r\n\r\n{ada}\r\n\
         --b\r\nContent-Disposition: form-data; name=\"cover\"; filename=\"a.jpg\"\r\n\r\nJPEG\r\n\
         --b--\r\n"
    );
    let page = browser.post_body(&full.own(UPLOAD), "multipart/form-data; boundary=b", file).await;
    page.assert(403, "Another person opened this form");
    assert_eq!(full.state().await, before);
}

#[testing::database_test(web::MIGRATOR)]
async fn each_form_of_a_page_names_the_person_of_the_page(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let ada = person_id(&full.hooks.site.pool, ADA).await;
    let field = format!("><input type=\"hidden\" name=\"person\" value=\"{ada}\">");
    let mut found = 0;
    let pages = routes().into_iter().filter(|it| is_signed_in(it.kind));
    for route in pages.filter(|it| it.methods.contains(&Method::GET)) {
        let page = owner.get(&full.own(route.path)).await;
        for form in page.text.split("<form ").skip(1) {
            let (attributes, rest) = form.split_at(form.find('>').unwrap());
            let is_posted = attributes.contains("method=\"post\"");
            assert_eq!(rest.starts_with(&field), is_posted, "{}: {form}", route.path);
            found += usize::from(is_posted);
        }
    }
    assert!(found > 50, "{found}");
    let fields = [("person", ada.as_str()), ("language", "fr")];
    owner.post("/you/settings", &fields).await.location();
}
