//! A transaction whose connection to PostgreSQL is lost.

use std::time::Duration;

use kit::Code;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use testing::silent_proxy::SilentProxy;

use super::support::{Fixture, Note};

#[testing::database_test]
async fn a_commit_that_is_not_answered_has_an_unknown_outcome(pool: PgPool) {
    let proxy = SilentProxy::start(&pool).await.unwrap();
    let through = PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(1))
        .connect_lazy_with(proxy.options(&pool));
    let fixture = Fixture::over(&pool, through).await;
    fixture.set("a").await;
    proxy.fall_silent_at("commit and chain");
    let fault = fixture.write(Note::Set("a".to_owned())).await.unwrap_err();
    // There is no `retry_after`: a client that retries automatically could write twice.
    assert_eq!((fault.code, fault.retry_after), (Code::OutcomeUnknown, None));
}

#[testing::database_test]
async fn a_transaction_that_does_not_begin_is_unavailable(pool: PgPool) {
    let proxy = SilentProxy::start(&pool).await.unwrap();
    let through = PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(1))
        .connect_lazy_with(proxy.options(&pool));
    let fixture = Fixture::over(&pool, through).await;
    proxy.fall_silent();
    let fault = fixture.write(Note::Set("a".to_owned())).await.unwrap_err();
    assert_eq!(fault.code, Code::Unavailable);
}
