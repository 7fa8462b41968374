//! Plans as the feed has told them.

use sqlx::PgConnection;

/// A plan that the feed told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its name.
    pub name: String,
    /// Its state, encoded.
    pub state: Vec<u8>,
    /// How often it was told.
    pub revision: i64,
}

/// Notes a plan's state; its new revision if the feed has not told it yet. Of two processes that start at once, the second waits for
/// the first and then finds it told.
pub async fn tell(
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

/// Withdraws the plans that are not among `names`.
pub async fn withdraw(
    connection: &mut PgConnection,
    names: &[String],
) -> Result<Vec<Told>, sqlx::Error> {
    sqlx::query_as!(
        Told,
        "update gateway.plan set withdrawn = true, revision = revision + 1
         where name <> all ($1) and not withdrawn
         returning name, state, revision",
        names,
    )
    .fetch_all(connection)
    .await
}
