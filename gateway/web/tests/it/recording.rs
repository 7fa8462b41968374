//! When the activity of an account cannot be recorded, a form whose work is done still succeeds.

use sqlx::PgPool;

use crate::full_account::FullAccount;
use crate::typed_forms::OF_ACCOUNTS;

#[expect(clippy::disallowed_methods, reason = "it renames a table")]
async fn without_activity(full: &FullAccount) {
    sqlx::query("alter table web.activity rename to activity_away")
        .execute(&full.hooks.site.pool)
        .await
        .unwrap();
}

#[testing::database_test(web::MIGRATOR)]
async fn no_form_fails_after_its_work_is_done(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    without_activity(&full).await;
    let mut owner = full.owner.clone();
    // An invitation and its record are one transaction, as are a new account and its record.
    let forms = OF_ACCOUNTS.iter().filter(|form| !form.action.ends_with("/team/invite"));
    for form in forms {
        let page = form.send(&mut owner, &full, false).await;
        assert!(!page.status.is_server_error(), "{}: {}", form.action, page.text);
    }
    let listing = full.own("/accounts/{account}/listings/{kind}/{name}");
    let revision = owner.get(&listing).await.hidden()["revision"].clone();
    let seen = [("revision", revision.as_str())];
    for (action, fields) in [
        (format!("{listing}/pictures/cover/remove"), &[][..]),
        (format!("{listing}/take-down"), &seen[..]),
        (full.own("/accounts/{account}/keys/{key}/revoke"), &[][..]),
    ] {
        owner.post(&action, fields).await.location();
    }
    let reveal = full.own("/accounts/{account}/keys/requests/{request}/reveal");
    owner.post(&reveal, &[]).await.assert(200, "svc_live_");
}
