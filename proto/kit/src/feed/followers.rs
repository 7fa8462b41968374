//! The registered followers of a feed, in the table `feed_follower`. Compaction waits for them.

use contracts::common::v1 as proto;
use sqlx::postgres::PgPool;
use sqlx::{PgConnection, Row as _};
use time::OffsetDateTime;

use super::Position;
use crate::pg::Schema;
use crate::timestamp;

/// A follower that was seen within this time is connected.
const CONNECTED: time::Duration = time::Duration::minutes(1);

/// Records that `follower` is alive, so that compaction does not expire it. Returns whether it is registered.
pub(super) async fn touch(
    connection: &mut PgConnection,
    schema: Schema,
    follower: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let sql = "update kit.feed_follower set seen_at = $2, expires_at = null where name = $1";
    let touched = schema
        .query(sql)
        .bind(follower)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(touched.rows_affected() == 1)
}

/// Registers `follower` at `position`, or moves it there.
pub(super) async fn register(
    connection: &mut PgConnection,
    schema: Schema,
    follower: &str,
    position: Position,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = "insert into kit.feed_follower (name, epoch, seq, seen_at) values ($1, $2, $3, $4)
         on conflict (name) do update set epoch = excluded.epoch, seq = excluded.seq, seen_at = excluded.seen_at,
             expires_at = null";
    schema
        .query(sql)
        .bind(follower)
        .bind(position.epoch)
        .bind(position.seq)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores the position that `follower` has applied. Returns whether it is registered: compaction may have expired it.
pub(super) async fn acknowledge(
    pool: &PgPool,
    schema: Schema,
    follower: &str,
    position: Position,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let sql = "update kit.feed_follower set epoch = $2, seq = $3, seen_at = $4, expires_at = null where name = $1";
    let acknowledged = schema
        .query(sql)
        .bind(follower)
        .bind(position.epoch)
        .bind(position.seq)
        .bind(now)
        .execute(pool)
        .await?;
    Ok(acknowledged.rows_affected() == 1)
}

/// Removes followers that were last seen before `since`, in two steps: such a follower is first marked to expire after `grace`. A
/// follower that is connected acknowledges within that time, even if the clock has jumped.
pub(super) async fn expire(
    connection: &mut PgConnection,
    schema: Schema,
    since: OffsetDateTime,
    now: OffsetDateTime,
    grace: time::Duration,
) -> Result<(), sqlx::Error> {
    let remove = "delete from kit.feed_follower where expires_at <= $1";
    schema
        .query(remove)
        .bind(now)
        .execute(&mut *connection)
        .await?;
    let mark =
        "update kit.feed_follower set expires_at = $2 where seen_at < $1 and expires_at is null";
    schema
        .query(mark)
        .bind(since)
        .bind(now + grace)
        .execute(connection)
        .await?;
    Ok(())
}

/// The followers of the feed in `schema`; none when it has no feed.
pub(super) async fn list(
    connection: &mut PgConnection,
    schema: Schema,
) -> Result<Vec<proto::Follower>, sqlx::Error> {
    if !has_feed(connection, schema).await? {
        return Ok(Vec::new());
    }
    // What it has applied of another epoch may not be part of this one.
    let sql = "select name, follower.seq, seen_at,
             head.seq - case when follower.epoch = head.epoch then follower.seq else 0 end as lag
         from kit.feed_follower follower cross join kit.feed_head head order by name";
    let rows = schema.query(sql).fetch_all(connection).await?;
    let followers = rows.iter().map(|row| {
        Ok(proto::Follower {
            name: row.try_get("name")?,
            seq: row.try_get("seq")?,
            lag: row.try_get("lag")?,
            seen_at: Some(timestamp::encode(row.try_get("seen_at")?)),
        })
    });
    followers.collect()
}

/// Whether the service has a feed, or only follows others.
async fn has_feed(connection: &mut PgConnection, schema: Schema) -> Result<bool, sqlx::Error> {
    schema
        .query_scalar("select to_regclass('kit.feed_follower') is not null")
        .fetch_one(connection)
        .await
}

/// Removes a follower that is not connected. Returns whether there was one.
pub(super) async fn forget(
    connection: &mut PgConnection,
    schema: Schema,
    name: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    if !has_feed(connection, schema).await? {
        return Ok(false);
    }
    let sql = "delete from kit.feed_follower where name = $1 and seen_at < $2";
    let forgotten = schema
        .query(sql)
        .bind(name)
        .bind(now - CONNECTED)
        .execute(connection)
        .await?;
    Ok(forgotten.rows_affected() == 1)
}
