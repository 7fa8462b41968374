//! The table `gateway.account_token`.

use kit::pg::RowLock;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::accounts;
use crate::domain::account_token::Token;
use crate::domain::key::Caller;
use crate::domain::secret::Hash;

macro_rules! tokens {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            Token,
            "select id, account_id as account, name, scopes, last4, created_at, last_used_at, expires_at, revoked_at, revision,
                 created_by
             from gateway.account_token where " + $where,
            $($argument),+
        )
    };
}

/// The caller of the token with this hash.
pub async fn caller(
    connection: &mut PgConnection,
    hash: Hash,
) -> Result<Option<Caller>, sqlx::Error> {
    let token = tokens!("hash = $1", &hash.0)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(token) = token else {
        return Ok(None);
    };
    let account = accounts::find(&mut *connection, token.account).await?;
    let account = account.ok_or(sqlx::Error::RowNotFound)?;
    Ok(Some(token.into_caller(account.name, account.plan)))
}

/// The tokens of an account: all that work, and the newest `ended` of those that do not. Newest first.
pub async fn of_account(
    pool: &PgPool,
    account: Uuid,
    ended: i64,
    now: OffsetDateTime,
) -> Result<Vec<Token>, sqlx::Error> {
    sqlx::query_as!(
        Token,
        r#"with own as (
             select *, revoked_at is null and (expires_at is null or expires_at > $3) as works
             from gateway.account_token where account_id = $1
         ), listed as (
             select * from own where works
             union all
             (select * from own where not works order by id desc limit $2)
         )
         select id as "id!", account_id as "account!", name as "name!", scopes as "scopes!", last4 as "last4!",
             created_at as "created_at!", last_used_at, expires_at, revoked_at, revision as "revision!",
             created_by as "created_by!"
         from listed order by id desc"#,
        account,
        ended,
        now,
    )
    .fetch_all(pool)
    .await
}

pub async fn find(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Token>, sqlx::Error> {
    tokens!("id = $1", id).fetch_optional(executor).await
}

pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<RowLock<Token>, sqlx::Error> {
    let row = tokens!("id = $1 for update skip locked", id)
        .fetch_optional(&mut *connection)
        .await?;
    let exists = row.is_some() || find(connection, id).await?.is_some();
    Ok(RowLock::new(row, exists))
}

pub async fn insert(
    connection: &mut PgConnection,
    token: &Token,
    hash: Hash,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into gateway.account_token
             (id, account_id, hash, name, scopes, last4, created_at, expires_at, revision, created_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        token.id,
        token.account,
        &hash.0,
        token.name,
        &token.scopes.names(),
        token.last4,
        token.created_at,
        token.expires_at,
        token.revision,
        token.created_by,
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn update_revoked(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.account_token set revoked_at = $2, revision = $3 where id = $1",
        token.id,
        token.revoked_at,
        token.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// How many tokens of an account work, and how many it has created in the last 24 hours.
pub async fn counts(
    connection: &mut PgConnection,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<(i64, i64), sqlx::Error> {
    let counts = sqlx::query!(
        r#"select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > $2)) as "working!",
               count(*) filter (where created_at > $3) as "new!"
           from gateway.account_token where account_id = $1"#,
        account,
        now,
        now - Duration::DAY,
    )
    .fetch_one(connection)
    .await?;
    Ok((counts.working, counts.new))
}
