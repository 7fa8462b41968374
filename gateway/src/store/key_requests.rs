//! The table `gateway.key_request`: requests for live keys.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::column::{self, NewerRow};
use crate::domain::key_request::{Ended, KeyRequest, KeyRequestState};

macro_rules! key_requests {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query!(
            "select id, account_id, name, kind, may_write, game, state, asked_at, ended_at, ended_by,
                    end_reason, revision
             from gateway.key_request where " + $where,
            $($argument),+
        )
        .map(|row| {
            Ok::<_, NewerRow>(KeyRequest {
                kind: column::parse(row.id, "kind", &row.kind)?,
                state: column::parse(row.id, "state", &row.state)?,
                id: row.id,
                account: row.account_id,
                name: row.name,
                may_write: row.may_write,
                game: row.game,
                asked_at: row.asked_at,
                ended: ended(row.id, row.ended_at, row.ended_by, row.end_reason)?,
                revision: row.revision,
            })
        })
    };
}

/// The end of a request, whose columns are set together.
fn ended(
    id: Uuid,
    at: Option<OffsetDateTime>,
    by: Option<String>,
    reason: Option<String>,
) -> Result<Option<Ended>, NewerRow> {
    let (Some(at), Some(by), Some(reason)) = (at, by, reason) else {
        return Ok(None);
    };
    Ok(Some(Ended { by: column::parse(id, "ended_by", &by)?, at, reason }))
}

pub async fn insert(
    connection: &mut PgConnection,
    request: &KeyRequest,
    form: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into gateway.key_request
             (id, account_id, name, kind, may_write, game, state, asked_at, revision, form_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        request.id,
        request.account,
        request.name,
        request.kind.as_str(),
        request.may_write,
        request.game,
        request.state.as_str(),
        request.asked_at,
        request.revision,
        form,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The request that a form of the dashboard has made; `None` without a form.
pub async fn by_form(
    connection: &mut PgConnection,
    account: Uuid,
    form: Option<Uuid>,
) -> Result<Option<KeyRequest>, sqlx::Error> {
    let found = key_requests!("account_id = $1 and form_id = $2", account, form)
        .fetch_optional(connection)
        .await?;
    Ok(found.transpose()?)
}

/// Updates the state of a request.
pub async fn update(
    connection: &mut PgConnection,
    request: &KeyRequest,
) -> Result<(), sqlx::Error> {
    let ended = request.ended.as_ref();
    sqlx::query!(
        "update gateway.key_request
         set state = $2, ended_at = $3, ended_by = $4, end_reason = $5, revision = $6 where id = $1",
        request.id,
        request.state.as_str(),
        ended.map(|ended| ended.at),
        ended.map(|ended| ended.by.as_str()),
        ended.map(|ended| &*ended.reason),
        request.revision,
    )
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn find(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<KeyRequest>, sqlx::Error> {
    let found = key_requests!("id = $1", id).fetch_optional(executor).await?;
    Ok(found.transpose()?)
}

/// Up to `limit` requests in a state, after the id `after`, oldest first.
pub async fn page(
    pool: &PgPool,
    state: KeyRequestState,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Result<KeyRequest, NewerRow>>, sqlx::Error> {
    key_requests!(
        "state = $1 and id > $2 order by id limit $3",
        state.as_str(),
        after.unwrap_or(Uuid::nil()),
        limit
    )
    .fetch_all(pool)
    .await
}

/// Up to 200 requests of an account: those that may still lead to a key first, then the newest.
pub async fn by_account(pool: &PgPool, account: Uuid) -> Result<Vec<KeyRequest>, sqlx::Error> {
    let rows = key_requests!(
        "account_id = $1 order by state in ('asked', 'approved') desc, id desc limit 200",
        account
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().flatten().collect())
}

/// The requests of an account that may still lead to a key, oldest first.
pub async fn open(pool: &PgPool, account: Uuid) -> Result<Vec<Uuid>, sqlx::Error> {
    let (asked, approved) = (KeyRequestState::Asked, KeyRequestState::Approved);
    sqlx::query_scalar!(
        "select id from gateway.key_request where account_id = $1 and state in ($2, $3) order by id",
        account,
        asked.as_str(),
        approved.as_str(),
    )
    .fetch_all(pool)
    .await
}

pub async fn lock(
    connection: &mut PgConnection,
    id: Uuid,
) -> Result<Option<KeyRequest>, sqlx::Error> {
    let found = key_requests!("id = $1 for update", id).fetch_optional(connection).await?;
    Ok(found.transpose()?)
}
