//! The table `gateway.page`: the owners of pages, and therefore of the games under them.

use sqlx::PgConnection;
use uuid::Uuid;

/// A page as it is on the listings feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub id: String,
    /// The accounts that own the page.
    pub owners: Vec<Uuid>,
}

/// Inserts or updates a page. If its owners differ from those of its row, it gets a new change number.
pub async fn upsert(
    connection: &mut PgConnection,
    page: &Page,
    generation: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into gateway.page as held (id, owners, generation, change)
         values ($1, $2, $3, nextval('gateway.game_change'))
         on conflict (id) do update set owners = excluded.owners, generation = excluded.generation,
             change = case when held.owners <> excluded.owners then excluded.change else held.change end
         where (held.owners, held.generation) is distinct from (excluded.owners, excluded.generation)",
        page.id,
        &page.owners,
        generation,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a rebuild under `generation`: nobody owns a page that the rebuild did not have.
pub async fn sweep(connection: &mut PgConnection, generation: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update gateway.page set owners = '{}', generation = $1, change = nextval('gateway.game_change')
         where generation <> $1",
        generation,
    )
    .execute(connection)
    .await?;
    Ok(())
}
