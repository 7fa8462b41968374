//! `webhook.account`.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

/// An account, as its endpoints need to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: Uuid,
    pub(crate) plan: String,
}

/// Takes accounts in, in one statement; of several states of one account the last counts.
pub(crate) async fn upsert(
    connection: &mut PgConnection,
    epoch: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    let newest: HashMap<Uuid, String> = rows.into_iter().map(|row| (row.id, row.plan)).collect();
    let (ids, plans): (Vec<Uuid>, Vec<String>) = newest.into_iter().unzip();
    sqlx::query!(
        "insert into webhook.account (epoch, id, plan) select $1, * from unnest($2::uuid[], $3::text[])
         on conflict (id) do update set epoch = excluded.epoch, plan = excluded.plan",
        epoch,
        &ids,
        &plans,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes the accounts that `epoch` does not know.
pub(crate) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from webhook.account where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}
