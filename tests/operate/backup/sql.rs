//! Queries of a server whose schema the compiler does not know.

use e2e::eventually;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Postgres};

pub(crate) async fn scalar(connection: &mut PgConnection, sql: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
    let query = sqlx::query_scalar::<Postgres, Option<String>>(AssertSqlSafe(sql));
    query.fetch_optional(connection).await.unwrap().flatten()
}

/// The text in the first row, from a database.
pub(crate) async fn text(url: &str, sql: &str) -> Option<String> {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let value = scalar(&mut connection, sql).await;
    connection.close().await.unwrap();
    value
}

/// PostgreSQL's time in a later second than now: pgBackRest cannot restore to the second in which a backup ended.
pub(crate) async fn time_in_a_later_second(url: &str) -> String {
    let second = "select floor(extract(epoch from clock_timestamp()))::text";
    let now = text(url, second).await;
    eventually("a second has passed", async || (text(url, second).await != now).then_some(()))
        .await;
    let time =
        "select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US') || '+00'";
    text(url, time).await.unwrap()
}
