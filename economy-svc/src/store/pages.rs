//! `economy.page`.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

/// A page as the economy stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    let (mut ids, mut owners) = (vec![], vec![]);
    for row in newest.into_values() {
        ids.push(row.id);
        let accounts: Vec<String> = row.owners.iter().map(Uuid::to_string).collect();
        // PostgreSQL has no arrays of arrays with different lengths: each array goes as text.
        owners.push(format!("{{{}}}", accounts.join(",")));
    }
    sqlx::query!(
        "insert into economy.page (generation, id, owners)
         select $1, id, owners::uuid[] from unnest($2::uuid[], $3::text[]) as sent (id, owners)
         on conflict (id) do update set generation = excluded.generation, owners = excluded.owners",
        generation,
        &ids,
        &owners,
    )
    .execute(connection)
    .await?;
    Ok(())
}
