//! `web.factor_end`: second factors that end a day after their people have asked for it, since phone and recovery codes are lost.

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::people::Person;
use crate::client_info::ClientInfo;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactorEnd {
    pub person: Uuid,
    /// The version of the person's credentials when it was asked for.
    pub credential_version: i32,
    pub ends_at: OffsetDateTime,
    /// Who asked for it. Empty if staff did.
    pub address: String,
    pub agent: String,
}

/// Stores that the second factor of a person ends. One that was asked for before is replaced. `client` is `None` if staff ask.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    person: &Person,
    ends_at: OffsetDateTime,
    client: Option<&ClientInfo>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into web.factor_end (person_id, credential_version, ends_at, address, agent) values ($1, $2, $3, $4, $5)
         on conflict (person_id) do update set credential_version = excluded.credential_version, ends_at = excluded.ends_at,
            address = excluded.address, agent = excluded.agent",
        person.id,
        person.credential_version,
        ends_at,
        client.map_or_else(String::new, ClientInfo::address),
        client.map_or("", |client| client.agent.as_str()),
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The people whose second factor ends now or earlier.
pub async fn due(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select person_id from web.factor_end where ends_at <= $1 order by ends_at",
        now,
    )
    .fetch_all(pool)
    .await
}

/// Takes the end of a person's second factor, if it is due.
pub async fn take_due(
    executor: impl PgExecutor<'_>,
    person: Uuid,
    now: OffsetDateTime,
) -> Result<Option<FactorEnd>, sqlx::Error> {
    sqlx::query_as!(
        FactorEnd,
        r#"delete from web.factor_end where person_id = $1 and ends_at <= $2
           returning person_id as "person", credential_version, ends_at, address, agent"#,
        person,
        now,
    )
    .fetch_optional(executor)
    .await
}

/// When the second factor of a person ends. `None` if nobody asked for it, or if the credentials have changed since, which stops it.
pub async fn ends_at(
    executor: impl PgExecutor<'_>,
    person: &Person,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "select ends_at from web.factor_end where person_id = $1 and credential_version = $2",
        person.id,
        person.credential_version,
    )
    .fetch_optional(executor)
    .await
}

/// Whether the end of a person's second factor was asked for.
pub async fn exists(executor: impl PgExecutor<'_>, person: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from web.factor_end where person_id = $1) as "exists!""#,
        person,
    )
    .fetch_one(executor)
    .await
}

/// Stops the end of a person's second factor; false if there is none.
pub async fn remove(executor: impl PgExecutor<'_>, person: Uuid) -> Result<bool, sqlx::Error> {
    let removed = sqlx::query!("delete from web.factor_end where person_id = $1", person);
    Ok(removed.execute(executor).await?.rows_affected() == 1)
}
