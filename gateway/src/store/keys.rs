//! The table `gateway.key`.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::column::{self, NewerRow};
use crate::domain::key::{Caller, Key};
use crate::domain::owner_limits::{self, KeyCounts};
use crate::domain::secret::Hash;

/// Keys with what a call needs of their accounts.
macro_rules! callers {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query!(
            r#"select key.id, account_id, chain, key.name, mode, kind, may_write, game, last4, key.created_at, last_used_at, grace_until,
                   revoked_at, key.revision, seen_by, gateway.game_state(game, mode, account_id) as "game_state!",
                   account.name as account_name, plan
               from gateway.key join gateway.account on account.id = account_id where "# + $where,
            $($argument),+
        )
        .map(|row| {
            let key = Key {
                mode: column::parse(row.id, "mode", &row.mode)?,
                kind: column::parse(row.id, "kind", &row.kind)?,
                game_state: column::parse(row.id, "game_state", &row.game_state)?,
                id: row.id,
                account: row.account_id,
                chain: row.chain,
                name: row.name,
                may_write: row.may_write,
                game: row.game,
                last4: row.last4,
                created_at: row.created_at,
                last_used_at: row.last_used_at,
                grace_until: row.grace_until,
                revoked_at: row.revoked_at,
                revision: row.revision,
                seen_by: row.seen_by,
            };
            Ok::<_, NewerRow>(Caller {
                key,
                account_name: row.account_name,
                plan: row.plan,
            })
        })
    };
}

/// The key of a row, if there is one.
fn key(row: Option<Result<Caller, NewerRow>>) -> Result<Option<Key>, sqlx::Error> {
    Ok(row.transpose()?.map(|caller| caller.key))
}

/// The caller of the key with this hash.
pub async fn caller(
    connection: &mut PgConnection,
    hash: Hash,
) -> Result<Option<Caller>, sqlx::Error> {
    let row = callers!("hash = $1", &hash.0);
    Ok(row.fetch_optional(connection).await?.transpose()?)
}

/// Up to 200 keys of an account: those that work at `now` first, then the newest.
pub async fn by_account(
    pool: &PgPool,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<Vec<Key>, sqlx::Error> {
    let rows = callers!(
        "account_id = $1
         order by revoked_at is null and (grace_until is null or grace_until > $2) desc, key.id desc limit 200",
        account,
        now
    ).fetch_all(pool).await?.into_iter();
    Ok(rows.flatten().map(|caller| caller.key).collect())
}

pub async fn find(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Key>, sqlx::Error> {
    key(callers!("key.id = $1", id).fetch_optional(executor).await?)
}

pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<Key>, sqlx::Error> {
    let row = callers!("key.id = $1 for update of key", id);
    key(row.fetch_optional(connection).await?)
}

/// The key that a form of the dashboard has created; `None` without a form.
pub async fn by_form(
    connection: &mut PgConnection,
    account: Uuid,
    form: Option<Uuid>,
) -> Result<Option<Key>, sqlx::Error> {
    let row = callers!("account_id = $1 and form_id = $2", account, form);
    key(row.fetch_optional(connection).await?)
}

/// The keys of an account that are not revoked, oldest first.
pub async fn not_revoked(pool: &PgPool, account: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select id from gateway.key where account_id = $1 and revoked_at is null order by id",
        account
    )
    .fetch_all(pool)
    .await
}

/// The id of the key that was rotated to this one.
pub async fn predecessor(
    connection: &mut PgConnection,
    successor: Uuid,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar!("select id from gateway.key where rotated_to = $1", successor)
        .fetch_optional(connection)
        .await
}

pub async fn insert(
    connection: &mut PgConnection,
    key: &Key,
    hash: Hash,
    form: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into gateway.key
             (id, account_id, chain, hash, name, mode, kind, may_write, game, last4, created_at, revision, seen_by,
              form_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        key.id,
        key.account,
        key.chain,
        &hash.0,
        key.name,
        key.mode.as_str(),
        key.kind.as_str(),
        key.may_write,
        key.game,
        key.last4,
        key.created_at,
        key.revision,
        key.seen_by,
        form,
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn update_revoked(connection: &mut PgConnection, key: &Key) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.key set revoked_at = $2, revision = $3 where id = $1",
        key.id,
        key.revoked_at,
        key.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores a rotation: the end of the key's grace period, and its successor. Without a grace period, the key is revoked.
pub async fn update_rotated(
    connection: &mut PgConnection,
    key: &Key,
    successor: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.key set grace_until = $2, rotated_to = $3, revoked_at = $4, revision = $5 where id = $1",
        key.id,
        key.grace_until,
        successor,
        key.revoked_at,
        key.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// How many of the plan's working keys an account has (§8): live keys that are not revoked, not in their grace period and not
/// without their game, and open requests for live keys.
pub async fn count_working(
    executor: impl PgExecutor<'_>,
    account: Uuid,
) -> Result<i64, sqlx::Error> {
    // One statement, so that a request that becomes a key meanwhile is counted once.
    sqlx::query_scalar!(
        r#"select (
             select count(*) from gateway.key
             where account_id = $1 and mode = 'live' and revoked_at is null and grace_until is null
                 and gateway.game_state(game, mode, account_id) = 'usable'
         ) + (
             select count(*) from gateway.key_request where account_id = $1 and state in ('asked', 'approved')
         ) as "count!""#,
        account,
    )
    .fetch_one(executor)
    .await
}

/// How many test keys of an account work, and how many keys and requests it has created in the last 24 hours. The key of a request
/// has its id and counts once.
pub async fn counts(
    connection: &mut PgConnection,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<KeyCounts, sqlx::Error> {
    let day_ago = now - Duration::DAY;
    sqlx::query_as!(
        KeyCounts,
        r#"select (
             select count(*) from gateway.key
             where account_id = $1 and mode = 'test' and revoked_at is null and grace_until is null
         ) as "test!", (
             select count(*) from gateway.key where account_id = $1 and created_at > $2
         ) + (
             select count(*) from gateway.key_request
             where account_id = $1 and asked_at > $2 and state <> 'revealed'
         ) as "new!", (
             select at from (
                 select created_at as at from gateway.key where account_id = $1 and created_at > $2
                 union all
                 select asked_at from gateway.key_request
                 where account_id = $1 and asked_at > $2 and state <> 'revealed'
             ) as made order by at desc offset $3 limit 1
         ) as last_of_limit"#,
        account,
        day_ago,
        owner_limits::NEW_KEYS - 1,
    )
    .fetch_one(connection)
    .await
}

pub async fn update_last_used(
    connection: &mut PgConnection,
    ids: &[Uuid],
    times: &[OffsetDateTime],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.key set last_used_at = greatest(key.last_used_at, used.at)
         from unnest($1::uuid[], $2::timestamptz[]) as used (id, at) where key.id = used.id",
        ids,
        times,
    )
    .execute(connection)
    .await?;
    Ok(())
}
