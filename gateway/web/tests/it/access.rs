//! A second account at every path of the first. The paths come from the router, so that a new page is in it.

use http::Method;
use sqlx::PgPool;
use web::domain::role::Role;
use web::layers::access::Access;
use web::router::routes;

use crate::support::{ADA, BOB, Site};

/// A path with these values in the places of its parameters.
fn fill(path: &str, account: &str, other: &str) -> String {
    let segments = path.split('/').map(|segment| match segment {
        "{account}" => account,
        _ if segment.starts_with('{') => other,
        _ => segment,
    });
    segments.collect::<Vec<_>>().join("/")
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_reaches_the_account_of_another(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    let bob = site.person(BOB).await;
    site.account(bob, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    let key = make_key(&mut owner, &account).await;
    let mut stranger = site.browser();
    let mut neighbour = site.signed_in(BOB).await;
    let before = state(&site).await;
    let mut tried = 0;
    for route in routes() {
        if !matches!(route.access, Access::Member(_)) {
            continue;
        }
        for other in [key.as_str(), &ada.to_string()] {
            let path = fill(route.path, &account, other);
            for method in &route.methods {
                let fields = [("role", "editor"), ("email", BOB), ("name", "Taken")];
                let page = if *method == Method::GET {
                    neighbour.get(&path).await
                } else {
                    neighbour.post(&path, &fields).await
                };
                assert_eq!(page.status, 404, "{method} {path}: {}", page.text);
                assert!(
                    !page.text.contains("Savanna") && !page.text.contains(ADA),
                    "{path}"
                );
                if *method == Method::GET {
                    let page = stranger.get(&path).await;
                    assert!(page.location().starts_with("/sign-in"), "{path}");
                } else {
                    let page = stranger.post(&path, &fields).await;
                    page.assert(401, "You are signed out");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 30, "{tried}");
    assert_eq!(state(&site).await, before);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_key_of_another_account_is_not_found_under_ones_own(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    let key = make_key(&mut site.signed_in(ADA).await, &account).await;
    let bob = site.person(BOB).await;
    let own = site.account(bob, Role::Owner).await.to_string();
    let mut neighbour = site.signed_in(BOB).await;
    let page = neighbour.get(&format!("/accounts/{own}/keys/{key}")).await;
    page.assert(404, "Not found");
    let path = format!("/accounts/{own}/keys/{key}/revoke");
    neighbour.post(&path, &[]).await.assert(404, "Not found");
    let person = format!("/accounts/{own}/team/{ada}/remove");
    neighbour.post(&person, &[]).await.assert(404, "Not found");
    let keys = site.gateway.keys.lock().unwrap();
    assert!(keys.iter().all(|key| key.revoked_at.is_none()));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_role_reaches_only_what_it_may(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Editor).await;
    let mut editor = site.signed_in(BOB).await;
    for route in routes() {
        let Access::Member(permission) = route.access else {
            continue;
        };
        let path = fill(route.path, &account.to_string(), &ada.to_string());
        if Role::Editor.may(permission) || !route.methods.contains(&Method::POST) {
            continue;
        }
        let page = editor.post(&path, &[("role", "owner")]).await;
        page.assert(403, "Your role does not allow this");
    }
    let keys = editor.get(&format!("/accounts/{account}/keys")).await;
    assert!(!keys.text.contains("/keys/new"), "{}", keys.text);
}

/// Makes a key; returns its id.
async fn make_key(owner: &mut crate::browser::Browser, account: &str) -> String {
    let form = owner.get(&format!("/accounts/{account}/keys/new")).await;
    let id = &form.hidden()["form"];
    let fields = [
        ("form", id.as_str()),
        ("name", "server"),
        ("kind", "account"),
    ];
    let page = owner
        .post(&format!("/accounts/{account}/keys"), &fields)
        .await;
    let (_, rest) = page.text.split_once("svc_test_").unwrap();
    rest.split('<').next().unwrap().trim().to_owned()
}

/// Everything that a form could have changed.
async fn state(site: &Site) -> String {
    let members = sqlx::query_scalar!(
        r#"select string_agg(m::text, ' ' order by m) as "rows" from web.member m"#
    );
    let members = members.fetch_one(&site.pool).await.unwrap();
    let links = sqlx::query_scalar!(r#"select count(*) as "count!" from web.link"#);
    let links = links.fetch_one(&site.pool).await.unwrap();
    let keys = site.gateway.keys.lock().unwrap();
    let accounts = site.gateway.accounts.lock().unwrap();
    format!("{members:?} {links} {keys:?} {accounts:?}")
}
