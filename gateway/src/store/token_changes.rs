//! The rows of the table `gateway.audit` about changes by account tokens.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

/// A change that a program made with an account token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenChange {
    pub id: Uuid,
    pub at: OffsetDateTime,
    pub token_id: String,
    pub token_name: String,
    pub address: String,
    pub action: String,
    /// The action, if the change is about an endpoint; otherwise empty.
    pub endpoint_change: String,
    /// The name of a key, or the URL of an endpoint, or else an id.
    pub subject: String,
}

/// Which changes of an account to list.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub account: Uuid,
    /// Only those with smaller ids.
    pub before: Option<Uuid>,
    pub since: Option<OffsetDateTime>,
    pub limit: i64,
}

/// The changes of an account, newest first.
pub async fn list(pool: &PgPool, filter: Filter) -> Result<Vec<TokenChange>, sqlx::Error> {
    sqlx::query_as!(
        TokenChange,
        r#"select id, at, action,
               coalesce(details ->> 'token', '') as "token_id!",
               member as token_name,
               coalesce(details ->> 'address', '') as "address!",
               coalesce(details ->> 'change', '') as "endpoint_change!",
               coalesce(details ->> 'url', details ->> 'name', name) as "subject!"
           from gateway.audit
           where role = 'token' and details ->> 'account' = $1::text
               and id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
               and ($3::timestamptz is null or at >= $3)
           order by id desc limit $4"#,
        filter.account.to_string(),
        filter.before,
        filter.since,
        filter.limit,
    )
    .fetch_all(pool)
    .await
}
