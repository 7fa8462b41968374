//! `webhook.account`.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// What this service stores of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: Uuid,
    pub plan: String,
}

/// Inserts or updates accounts in one statement. The last of several rows with one id wins. Marks the rows
/// with `generation` (`kit::feed`).
pub async fn upsert(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    let newest: HashMap<Uuid, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
    let rows: Vec<Row> = newest.into_values().collect();
    sqlx::query!(
        "insert into webhook.account (generation, id, plan) select $1, * from unnest($2::uuid[], $3::text[])
         on conflict (id) do update set generation = excluded.generation, plan = excluded.plan",
        generation,
        &rows.iter().map(|row| row.id).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.plan.clone()).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Counts a check of an address. `Some`: there were `limit` checks already in the present `interval`, which ends then.
pub async fn count_address_check(
    pool: &PgPool,
    account: Uuid,
    limit: i32,
    interval: Duration,
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    let counted = sqlx::query!(
        "update webhook.account set
             address_checks = case when address_checks_since >= $3 then address_checks + 1 else 1 end,
             address_checks_since = case when address_checks_since >= $3 then address_checks_since else $2 end
         where id = $1 and (address_checks < $4 or address_checks_since < $3)",
        account,
        now,
        now - interval,
        limit,
    );
    if counted.execute(pool).await?.rows_affected() > 0 {
        return Ok(None);
    }
    let since = sqlx::query_scalar!(
        "select address_checks_since from webhook.account where id = $1",
        account
    )
    .fetch_optional(pool)
    .await?
    .flatten();
    Ok(since.map(|since| since + interval))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    #[testing::database_test(crate::MIGRATOR)]
    async fn an_upsert_keeps_the_last_state_of_an_account(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let account = |id, plan: &str| Row { id: Uuid::from_u128(id), plan: plan.to_owned() };
        let rows = vec![account(1, "free"), account(2, "free"), account(1, "build")];
        upsert(&mut connection, old, rows).await.unwrap();
        let held = async |id| {
            sqlx::query_scalar!(
                "select plan from webhook.account where id = $1",
                Uuid::from_u128(id)
            )
            .fetch_optional(&pool)
            .await
            .unwrap()
        };
        assert_eq!(held(1).await.as_deref(), Some("build"));

        let rows = vec![account(2, "free")];
        upsert(&mut connection, new, rows).await.unwrap();
        kit::feed::sweep(SCHEMA, &mut connection, &["account"], new).await.unwrap();
        assert_eq!(held(1).await, None);
        assert_eq!(held(2).await.as_deref(), Some("free"));
    }
}
