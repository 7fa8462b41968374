//! What imports need besides the tables of the rows: the lock of a kind. The table of the locks is `name_lock`.

use sqlx::{PgConnection, PgPool};

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;

/// Updates the planner statistics of the listings after an import. Autovacuum does so about once a minute, and until then queries are planned
/// for an almost empty table.
pub async fn analyze(pool: &PgPool) -> Result<(), sqlx::Error> {
    sqlx::query!("select listings.analyze_table($1)", "listing").execute(pool).await?;
    Ok(())
}

/// Locks a kind for the rest of the transaction: one import at a time writes rows of a kind, and nobody else names a new listing until then.
pub async fn lock_kind(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
) -> Result<(), sqlx::Error> {
    sqlx::query_scalar!(
        "select mode from listings.name_lock where entity = $1 and mode = $2 for update",
        entity.as_str(),
        mode.as_str()
    )
    .fetch_one(connection)
    .await?;
    Ok(())
}
