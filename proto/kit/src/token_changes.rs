//! What programs with account tokens have changed in an account, from the table `audit` of a service (§10.18).

use contracts::gateway::v1::{
    AccountsServiceListTokenChangesRequest as ListRequest, TokenActor, TokenChange,
};
use sqlx::Row as _;
use sqlx::postgres::{PgPool, PgRow};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::bad_fields::BadFields;
use crate::fault::Fault;
use crate::page::Limits;
use crate::pg::Schema;
use crate::timestamp;

/// The changes that `request` asks for, newest first.
///
/// # Errors
/// A field is invalid, or PostgreSQL failed.
pub async fn list(
    pool: &PgPool,
    schema: Schema,
    request: &ListRequest,
) -> Result<Vec<TokenChange>, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    let before = (!request.before.is_empty()).then(|| bad.id("before", &request.before));
    let since = bad.time("since", request.since);
    let limit = Limits::LONG.read(request.limit, &mut bad);
    bad.check()?;
    let sql = "select id, at, action, member,
             coalesce(details ->> 'token', '') as token,
             coalesce(details ->> 'address', '') as address,
             coalesce(details ->> 'change', '') as endpoint_change,
             coalesce(details ->> 'url', details ->> 'name', name) as subject
         from kit.audit
         where role = 'token' and details ->> 'account' = $1
             and id < $2 and ($3::timestamptz is null or at >= $3)
         order by id desc limit $4";
    let rows = schema
        .query(sql)
        .bind(account.to_string())
        .bind(before.unwrap_or(Uuid::max()))
        .bind(since)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await?;
    Ok(rows.iter().map(change).collect::<Result<_, _>>()?)
}

/// The newest changes of several services, as many as `request` asks for.
pub fn merge(mut changes: Vec<TokenChange>, request: &ListRequest) -> Vec<TokenChange> {
    // Ids are UUIDs of version 7, whose texts are in the order of time.
    changes.sort_by(|one, other| other.id.cmp(&one.id));
    changes.truncate(Limits::LONG.read(request.limit, &mut BadFields::default()));
    changes
}

fn change(row: &PgRow) -> Result<TokenChange, sqlx::Error> {
    let (id, at): (Uuid, OffsetDateTime) = (row.try_get("id")?, row.try_get("at")?);
    Ok(TokenChange {
        id: id.to_string(),
        at: Some(timestamp::encode(at)),
        token: Some(TokenActor {
            id: row.try_get("token")?,
            name: row.try_get("member")?,
        }),
        address: row.try_get("address")?,
        action: row.try_get("action")?,
        endpoint_change: row.try_get("endpoint_change")?,
        subject: row.try_get("subject")?,
    })
}
