//! Pages of an account say which call of the API gives the same.

use sqlx::PgPool;

use crate::full_account::FullAccount;

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
    ] {
        let shown = owner.get(&full.own(page)).await;
        shown.assert(200, &call);
        shown.assert(200, "data-copy aria-label=\"Copy the call GET /v1/account/");
        let link = "<p class=\"api\">Same in the account API: <a href=\"/docs/reference\" hreflang=\"en\"><code>GET /v1/account/";
        shown.assert(200, link);
    }
    // No call gives this.
    let team = owner.get(&full.own("/accounts/{account}/team")).await;
    team.assert(200, "Team");
    assert!(!team.text.contains("class=\"api\""), "{}", team.text);
}
