//! Every page of an account says which call of the API gives the same, or that none does.

use http::Method;
use sqlx::PgPool;
use web::layers::access::Access;
use web::router::routes;

use crate::full_account::FullAccount;

#[testing::database_test(web::MIGRATOR)]
async fn every_page_of_an_account_names_its_call(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let mut pages = 0;
    for route in routes() {
        let is_member = matches!(route.access, Access::Member(_));
        if !is_member || !route.methods.contains(&Method::GET) {
            continue;
        }
        let page = owner.get(&full.own(route.path)).await;
        let media_type = page.headers.get("content-type");
        if media_type.is_none_or(|it| it != "text/html; charset=utf-8") {
            continue;
        }
        page.assert(200, "<p class=\"api\">");
        pages += 1;
    }
    assert!(pages > 25, "{pages}");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_calls_are_those_of_the_account_api(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let endpoint = full.own("{endpoint}");
    for (page, call) in [
        (
            "/accounts/{account}/keys",
            "GET /v1/account/keys<".to_owned(),
        ),
        (
            "/accounts/{account}/keys/{key}",
            full.own("GET /v1/account/keys/{key}"),
        ),
        (
            "/accounts/{account}/usage",
            "GET /v1/account/usage?days=".to_owned(),
        ),
        (
            "/accounts/{account}/webhooks",
            "GET /v1/account/endpoints<".to_owned(),
        ),
        (
            "/accounts/{account}/webhooks/{endpoint}/deliveries",
            format!("GET /v1/account/deliveries?endpoint={endpoint}"),
        ),
        (
            "/accounts/{account}/team",
            "No call of the API gives this.".to_owned(),
        ),
    ] {
        let shown = owner.get(&full.own(page)).await;
        shown.assert(200, &call);
        if call.starts_with("GET") {
            shown.assert(200, "data-copy aria-label=\"Copy the call GET /v1/account/");
            let link = "<a href=\"/docs/reference\" hreflang=\"en\"><code>GET /v1/account/";
            shown.assert(200, link);
        }
    }
}
