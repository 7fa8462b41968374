//! The table `gateway.plan`: plans as they were last published on the feed.

use sqlx::PgConnection;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawnPlan {
    pub name: String,
    /// The encoded `gateway.v1.Plan`.
    pub state: Vec<u8>,
    pub revision: i64,
}

/// Stores a plan's state. Returns the new revision if the state has changed. Of two processes that start at once, the second
/// waits for the first and finds no change.
pub async fn upsert(
    connection: &mut PgConnection,
    name: &str,
    state: &[u8],
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into gateway.plan as told (name, state, revision) values ($1, $2, 1)
         on conflict (name) do update set state = excluded.state, revision = told.revision + 1, withdrawn = false
         where told.state <> excluded.state or told.withdrawn
         returning revision",
        name,
        state,
    )
    .fetch_optional(connection)
    .await
}

/// Marks the plans that are not among `names` as withdrawn.
pub async fn withdraw(
    connection: &mut PgConnection,
    names: &[String],
) -> Result<Vec<WithdrawnPlan>, sqlx::Error> {
    sqlx::query_as!(
        WithdrawnPlan,
        "update gateway.plan set withdrawn = true, revision = revision + 1
         where name <> all ($1) and not withdrawn
         returning name, state, revision",
        names,
    )
    .fetch_all(connection)
    .await
}
