//! Things of one account under the paths of another one. The paths come from the router, so that a new page is in it.

use sqlx::PgPool;
use web::domain::role::Role;
use web::layers::access::Access;
use web::router::routes;

use crate::full_account::{FullAccount, every_field, send};
use crate::support::BOB;
use crate::webhook_service::insert_account;

/// Files are named by the hash of their content, and the API shows them to everybody.
const PUBLIC: &str = "/accounts/{account}/pictures/{name}";

/// Parameters that name no thing of an account.
const OF_NOBODY: [&str; 2] = ["{account}", "{kind}"];

#[testing::database_test(web::MIGRATOR)]
async fn the_things_of_another_account_are_not_found_under_ones_own(pool: PgPool) {
    let mut full = FullAccount::new(pool).await;
    let site = &full.hooks.site;
    let bob = site.person(BOB).await;
    let own = site.account(bob, Role::Owner).await;
    insert_account(&site.pool, own, "build").await;
    let (own, mut neighbour) = (own.to_string(), site.signed_in(BOB).await);
    let before = full.state().await;
    let mut tried = 0;
    for route in routes() {
        let mut parameters = route.path.split('/').filter(|it| it.starts_with('{'));
        let names_a_thing = parameters.any(|it| !OF_NOBODY.contains(&it));
        let is_of_account = matches!(route.access, Access::Member(_));
        if !is_of_account || !names_a_thing || route.path == PUBLIC {
            continue;
        }
        for method in &route.methods {
            for account in [&own, &full.account] {
                let path = full.path(route.path, account);
                let page = send(&mut neighbour, method, &path, &every_field()).await;
                assert_eq!(page.status, 404, "{method} {path}: {}", page.text);
                for secret in ["Okoto", "adas-", "svc_", "hooks.example"] {
                    assert!(!page.text.contains(secret), "{path}: {}", page.text);
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 60, "{tried}");
    // One's own sessions, and links that were mailed to others.
    let end = full.own("/you/sessions/{session}/end");
    neighbour.post(&end, &[]).await.location();
    assert_eq!(full.state().await, before);
    full.owner.get("/you").await.assert(200, "Sign out");
}
