//! A proxy drops the packets of open connections to PostgreSQL, while new connections work. Nothing hangs for ever.

use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};
use testing::silent_proxy::SilentProxy;

use super::support::Fixture;

/// A pool through the proxy with a short deadline. It does not ping before use, because a connection may fall silent just after a ping.
fn through(proxy: &SilentProxy, direct: &PgPool) -> PgPool {
    PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(1))
        .test_before_acquire(false)
        .connect_lazy_with(proxy.options(direct))
}

/// Writes change `seq`, as another replica does.
async fn write(pool: &PgPool, seq: i64) {
    let sql = format!(
        "insert into kit.note values ('{seq}', 1);
         insert into kit.feed (seq, entity, id, revision, event, announced, happening, at, state)
             values ({seq}, 'note', '{seq}', 1, 'set', true, false, now(), '');
         update kit.feed_head set seq = {seq}"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(pool).await.unwrap();
}

#[testing::database_test]
async fn a_stream_goes_on_when_its_connection_falls_silent(pool: PgPool) {
    let mut proxy = SilentProxy::start(&pool).await.unwrap();
    let fixture = Fixture::over(&pool, through(&proxy, &pool)).await;
    fixture.follow();
    write(&pool, 1).await;
    fixture.caught_up().await;
    // Only the stream's statement contains `bytes_before`.
    proxy.fall_silent_at("bytes_before");
    write(&pool, 2).await;
    proxy.dropped.changed().await.unwrap();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, fixture.notes().await);
}

#[testing::database_test]
async fn a_follower_goes_on_when_its_connection_falls_silent(pool: PgPool) {
    let mut proxy = SilentProxy::start(&pool).await.unwrap();
    let fixture = Fixture::start(&pool).await;
    // The follower reads its cursor first.
    proxy.fall_silent_at("feed_cursor");
    let _following = fixture.follow_into(&through(&proxy, &pool));
    proxy.dropped.changed().await.unwrap();
    write(&pool, 1).await;
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, fixture.notes().await);
}
