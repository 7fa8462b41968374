//! The activity of an account cannot be recorded: what was done is done, and is answered as such.

use contracts::gateway::v1 as proto;
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
    // An invitation is one transaction with its record.
    let forms = OF_ACCOUNTS
        .iter()
        .filter(|form| !form.action.ends_with("/team/invite"));
    for form in forms {
        let page = form.send(&mut owner, &full, false).await;
        assert!(
            !page.status.is_server_error(),
            "{}: {}",
            form.action,
            page.text
        );
    }
    let listing = full.own("/accounts/{account}/listings/{kind}/{name}");
    let removed = [("url", "https://mchezo.example/pictures/a.jpg")];
    for (action, fields) in [
        (format!("{listing}/pictures/cover/remove"), &removed[..]),
        (format!("{listing}/take-down"), &[][..]),
        (full.own("/accounts/{account}/keys/{key}/revoke"), &[][..]),
    ] {
        owner.post(&action, fields).await.location();
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_live_key_is_asked_for_and_shown(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    without_activity(&full).await;
    let mut owner = full.owner.clone();
    let requests = || full.hooks.site.gateway.requests.lock().unwrap().len();
    let before = requests();
    let keys = full.own("/accounts/{account}/keys");
    let form = owner.get(&format!("{keys}/new")).await.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", "server"),
        ("mode", "live"),
        ("kind", "account"),
    ];
    assert_eq!(owner.post(&keys, &fields).await.location(), keys);
    assert_eq!(requests(), before + 1);
    let form = owner.get(&keys).await.hidden()["form"].clone();
    let reveal = full.own("/accounts/{account}/keys/requests/{request}/reveal");
    let page = owner.post(&reveal, &[("form", &form)]).await;
    page.assert(200, "svc_live_");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_account_is_made_all_the_same(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    without_activity(&full).await;
    let mut owner = full.owner.clone();
    let form = owner.get("/accounts/new").await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("name", "Karoo")];
    let made = owner.post("/accounts", &fields).await;
    owner.get(made.location()).await.assert(200, "Karoo");
    let accounts = full.hooks.site.gateway.accounts.lock().unwrap();
    let made = |account: &&proto::Account| account.name == "Karoo";
    assert_eq!(accounts.values().filter(made).count(), 1);
}
