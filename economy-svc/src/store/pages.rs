//! `economy.page`.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

/// A page as the economy stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub id: Uuid,
    /// Account ids.
    pub owners: Vec<Uuid>,
}

/// Inserts or updates pages in one statement, which marks their rows with `generation`. The last of several rows with
/// one id wins.
pub async fn upsert(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    // One statement cannot write a row twice.
    let newest: HashMap<Uuid, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
    let rows: Vec<Row> = newest.into_values().collect();
    sqlx::query!(
        "insert into economy.page (generation, id, owners)
         select $1, id, owners from jsonb_populate_recordset(null::economy.page, $2)
         on conflict (id) do update set generation = excluded.generation, owners = excluded.owners",
        generation,
        Json(&rows) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}
