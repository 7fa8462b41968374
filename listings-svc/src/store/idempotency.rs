//! Answers that are kept for the same call when it comes again (§10.4).

use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long an answer is kept.
pub const KEPT: Duration = Duration::hours(24);

/// Which call an answer belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// Whose call it is.
    pub account: Uuid,
    /// Such as `POST /games`.
    pub route: &'static str,
    /// As the caller sent it.
    pub key: String,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Of the body that was answered so.
    pub body_sha256: Vec<u8>,
    /// The answer.
    pub answer: Value,
}

/// The answers that are still kept, each with the place of its name.
pub async fn find(
    connection: &mut PgConnection,
    names: &[Name],
    now: OffsetDateTime,
) -> Result<Vec<(Name, Kept)>, sqlx::Error> {
    let (accounts, routes, keys) = columns(names);
    let rows = sqlx::query!(
        r#"select wanted.place as "place!", kept.body_sha256, kept.answer
           from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as wanted (account_id, route, key, place)
           join listings.idempotency as kept using (account_id, route, key)
           where kept.at > $4"#,
        &accounts,
        &routes,
        &keys,
        now - KEPT
    )
    .fetch_all(connection)
    .await?;
    let name = |place: i64| names.get(usize::try_from(place - 1).ok()?).cloned();
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let kept = Kept {
                body_sha256: row.body_sha256,
                answer: row.answer,
            };
            Some((name(row.place)?, kept))
        })
        .collect())
}

/// Keeps answers. One that is older than it may be makes way.
pub async fn save(
    connection: &mut PgConnection,
    answers: &[(Name, Kept)],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let names: Vec<Name> = answers.iter().map(|(name, _)| name.clone()).collect();
    let (accounts, routes, keys) = columns(&names);
    let bodies: Vec<Vec<u8>> = answers
        .iter()
        .map(|(_, kept)| kept.body_sha256.clone())
        .collect();
    let contents: Vec<Value> = answers
        .iter()
        .map(|(_, kept)| kept.answer.clone())
        .collect();
    sqlx::query!(
        "insert into listings.idempotency (account_id, route, key, body_sha256, answer, at)
         select account_id, route, key, body_sha256, answer, $6
         from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::jsonb[]) as row (account_id, route, key, body_sha256, answer)
         on conflict (account_id, route, key) do update set
             body_sha256 = excluded.body_sha256, answer = excluded.answer, at = excluded.at",
        &accounts,
        &routes,
        &keys,
        &bodies,
        &contents,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Forgets up to `most` answers that are older than they may be; returns how many.
pub async fn forget(pool: &PgPool, now: OffsetDateTime, most: i64) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "delete from listings.idempotency where (account_id, route, key) in (
             select account_id, route, key from listings.idempotency where at <= $1 order by at limit $2 for update skip locked
         )",
        now - KEPT,
        most
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}

fn columns(names: &[Name]) -> (Vec<Uuid>, Vec<String>, Vec<String>) {
    let accounts = names.iter().map(|name| name.account).collect();
    let routes = names.iter().map(|name| name.route.to_owned()).collect();
    let keys = names.iter().map(|name| name.key.clone()).collect();
    (accounts, routes, keys)
}
