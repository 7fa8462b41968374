//! The token of a session changes with the credentials of its person.

use sqlx::PgPool;

use crate::support::{ADA, PASSWORD, Site};

#[testing::database_test(web::MIGRATOR)]
async fn the_token_changes_with_the_credentials(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let new = "another lorry teapot nine";
    for (path, fields) in [
        (
            "/you/password",
            &[("current", PASSWORD), ("password", new)][..],
        ),
        ("/you/sessions/end-others", &[]),
    ] {
        let mut before = browser.clone();
        browser.post(path, fields).await.location();
        assert_ne!(before.cookie, browser.cookie, "{path}");
        browser.get("/you").await.assert(200, ADA);
        let old = before.get("/you").await;
        assert!(old.location().starts_with("/sign-in"), "{path}: {old:?}");
    }
}
