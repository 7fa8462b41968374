//! `webhook.account`.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

/// An account, as its endpoints need to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: Uuid,
    pub plan: String,
    /// Where mails go.
    pub email: String,
}

/// Takes accounts in, in one statement; of several states of one account the last counts.
pub async fn upsert(
    connection: &mut PgConnection,
    epoch: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    let newest: HashMap<Uuid, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
    let rows: Vec<Row> = newest.into_values().collect();
    sqlx::query!(
        "insert into webhook.account (epoch, id, plan, email) select $1, * from unnest($2::uuid[], $3::text[], $4::text[])
         on conflict (id) do update set epoch = excluded.epoch, plan = excluded.plan, email = excluded.email",
        epoch,
        &rows.iter().map(|row| row.id).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.plan.clone()).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.email.clone()).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes the accounts that `epoch` does not know.
pub async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from webhook.account where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}
