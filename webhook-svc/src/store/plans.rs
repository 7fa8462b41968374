//! `webhook.plan`.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

/// The limits of a plan for webhooks (§8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    /// `None`: no limit.
    pub endpoints: Option<i64>,
    /// Whether real events are sent; otherwise only test events.
    pub events: bool,
    /// Whether it is announced and not sold yet.
    pub coming: bool,
}

/// Inserts or updates plans in one statement. The last of several rows with one name wins. Marks the rows
/// with `generation` (`kit::feed`).
pub async fn upsert(
    connection: &mut PgConnection,
    generation: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    let newest: HashMap<String, Row> = rows
        .into_iter()
        .map(|row| (row.name.clone(), row))
        .collect();
    let rows: Vec<Row> = newest.into_values().collect();
    sqlx::query!(
        "insert into webhook.plan (generation, name, endpoints, events, coming)
         select $1, * from unnest($2::text[], $3::bigint[], $4::boolean[], $5::boolean[])
         on conflict (name) do update
         set generation = excluded.generation, endpoints = excluded.endpoints, events = excluded.events, coming = excluded.coming",
        generation,
        &rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.endpoints).collect::<Vec<_>>() as _,
        &rows.iter().map(|row| row.events).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.coming).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The limits of an account's plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// `None`: no limit.
    pub endpoints: Option<i64>,
    /// Whether real events are sent.
    pub events: bool,
}

/// `None`: the account is unknown.
pub async fn of_account(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<Option<Allowance>, sqlx::Error> {
    sqlx::query_as!(
        Allowance,
        "select plan.endpoints, plan.events from webhook.account join webhook.plan on plan.name = account.plan
         where account.id = $1",
        account
    )
    .fetch_optional(connection)
    .await
}

/// The plan that allows the fewest endpoints of those that allow more than `count`; one that is not sold yet only if no other does.
pub async fn with_more_endpoints(
    connection: &mut PgConnection,
    count: i64,
) -> Result<Option<Row>, sqlx::Error> {
    sqlx::query_as!(
        Row,
        "select name, endpoints, events, coming from webhook.plan where endpoints is null or endpoints > $1
         order by coming, endpoints nulls last, name limit 1",
        count
    )
    .fetch_optional(connection)
    .await
}

/// The name of the plan that allows the fewest endpoints of those with real events; of one that is not sold yet only if no other has them.
pub async fn with_events(connection: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select name from webhook.plan where events order by coming, endpoints nulls last, name limit 1"
    )
    .fetch_optional(connection)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;
    use crate::store::accounts;
    use sqlx::PgPool;

    #[testing::database_test(crate::MIGRATOR)]
    async fn a_plan_that_is_not_sold_is_named_last(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let rows =
            [("build", 5, true), ("partner", 20, false)].map(|(name, endpoints, coming)| Row {
                name: name.to_owned(),
                endpoints: Some(endpoints),
                events: true,
                coming,
            });
        upsert(&mut connection, Uuid::nil(), rows.into())
            .await
            .unwrap();
        let events = with_events(&mut connection).await.unwrap();
        assert_eq!(events.as_deref(), Some("partner"));
        let more = with_more_endpoints(&mut connection, 1).await.unwrap();
        assert_eq!(more.unwrap().name, "partner");
    }

    #[testing::database_test(crate::MIGRATOR)]
    async fn the_last_state_of_accounts_and_plans_counts(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let plan = |endpoints, events| Row {
            name: "build".to_owned(),
            endpoints,
            events,
            coming: false,
        };
        upsert(
            &mut connection,
            old,
            vec![plan(Some(1), false), plan(None, true)],
        )
        .await
        .unwrap();
        let account = |id, plan: &str| accounts::Row {
            id: Uuid::from_u128(id),
            plan: plan.to_owned(),
        };
        let both = vec![account(1, "free"), account(2, "free"), account(1, "build")];
        accounts::upsert(&mut connection, old, both).await.unwrap();

        let held = sqlx::query!(
            "select a.plan, p.endpoints, p.events from webhook.account a join webhook.plan p on p.name = a.plan"
        )
        .fetch_one(&pool)
        .await
        .unwrap();
        assert_eq!(
            (held.plan.as_str(), held.endpoints, held.events),
            ("build", None, true)
        );

        accounts::upsert(&mut connection, new, vec![account(2, "free")])
            .await
            .unwrap();
        kit::feed::sweep(SCHEMA, &mut connection, &["account", "plan"], new)
            .await
            .unwrap();
        let left = sqlx::query!(
            "select (select count(*) from webhook.account) as accounts, (select count(*) from webhook.plan) as plans"
        )
        .fetch_one(&pool)
        .await
        .unwrap();
        assert_eq!((left.accounts, left.plans), (Some(1), Some(0)));
    }
}
