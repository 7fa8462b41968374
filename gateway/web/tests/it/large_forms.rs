//! Forms with more fields than any form of the site.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::support::{ADA, Site};

/// Fields of one name, each with another value.
fn many<'a>(name: &'a str, values: &'a [String]) -> Vec<(&'a str, &'a str)> {
    values.iter().map(|value| (name, value.as_str())).collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_has_five_hundred_fields_at_most(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let values: Vec<String> = (0..501).map(|number| format!("{number:05x}")).collect();
    let base = format!("/accounts/{account}");
    for (path, name) in [
        ("listings/new/game", "genres"),
        ("listings/new/game", "links.x"),
        ("listings/game/okoto/edit", "platforms"),
        ("listings/game/okoto/pictures/arrange", "url"),
        ("webhooks", "events"),
        ("team/invite", "email"),
    ] {
        let path = format!("{base}/{path}");
        let page = browser.post(&path, &many(name, &values)).await;
        page.assert(413, "more text than is allowed");
    }
    // The limit also applies to signed-out visitors.
    let page = site.browser().post("/sign-in", &many("email", &values)).await;
    page.assert(413, "more text than is allowed");
    // A form at the limit is shown again, with each value once.
    let path = format!("{base}/listings/new/game");
    let mut fields = many("genres", &values[..400]);
    fields.extend(many("genres", &values[..50]));
    let page = browser.post(&path, &fields).await;
    page.assert(422, "value=\"0018f\"");
    assert_eq!(page.text.matches("value=\"00001\"").count(), 1);
}
