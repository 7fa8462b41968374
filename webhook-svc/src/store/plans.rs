//! `webhook.plan`.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// What a plan allows of webhooks (§8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub name: String,
    pub title: String,
    /// `None`: no limit.
    pub endpoints: Option<i64>,
    /// Whether real events are sent, in addition to test events.
    pub events: bool,
    /// Announced and not sold yet.
    pub coming: bool,
}

/// Stores a whole table, the cheapest plan first, instead of the one before. Marks the rows with `generation` (`kit::feed`).
pub async fn replace(
    connection: &mut PgConnection,
    generation: Uuid,
    plans: &[Plan],
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from webhook.plan").execute(&mut *connection).await?;
    sqlx::query!(
        "insert into webhook.plan (generation, name, title, endpoints, events, coming, place)
         select $1, * from unnest($2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::boolean[]) with ordinality",
        generation,
        &plans.iter().map(|plan| plan.name.clone()).collect::<Vec<_>>(),
        &plans.iter().map(|plan| plan.title.clone()).collect::<Vec<_>>(),
        &plans.iter().map(|plan| plan.endpoints).collect::<Vec<_>>() as _,
        &plans.iter().map(|plan| plan.events).collect::<Vec<_>>(),
        &plans.iter().map(|plan| plan.coming).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The plan of an account; `None`: the feed of the gateway has not brought the account, or its plan.
pub async fn find(pool: &PgPool, account: Uuid) -> Result<Option<Plan>, sqlx::Error> {
    sqlx::query_as!(
        Plan,
        "select name, title, endpoints, events, coming from webhook.account join webhook.plan on name = plan where account.id = $1",
        account
    )
    .fetch_optional(pool)
    .await
}

/// The cheapest plan with real events; one that is not sold yet only if no other has them.
pub async fn cheapest_with_events(pool: &PgPool) -> Result<Option<Plan>, sqlx::Error> {
    sqlx::query_as!(
        Plan,
        "select name, title, endpoints, events, coming from webhook.plan where events order by coming, place limit 1"
    )
    .fetch_optional(pool)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCHEMA;

    fn plan(name: &str, endpoints: Option<i64>, events: bool, coming: bool) -> Plan {
        Plan { name: name.to_owned(), title: name.to_owned(), endpoints, events, coming }
    }

    #[testing::database_test(crate::MIGRATOR)]
    async fn a_plan_that_is_not_sold_yet_is_suggested_last(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let table = [
            plan("free", Some(1), false, false),
            plan("build", Some(5), true, true),
            plan("partner", Some(20), true, false),
        ];
        replace(&mut connection, Uuid::nil(), &table).await.unwrap();
        let name = |plan: Option<Plan>| plan.map(|plan| plan.name);
        let found = cheapest_with_events(&pool).await.unwrap();
        assert_eq!(name(found).as_deref(), Some("partner"));

        // The next table replaces this one, and a rebuild without a table leaves none.
        let unlimited = plan("large", None, true, false);
        let next = std::slice::from_ref(&unlimited);
        replace(&mut connection, Uuid::nil(), next).await.unwrap();
        let found = cheapest_with_events(&pool).await.unwrap();
        assert_eq!(found, Some(unlimited));
        kit::feed::sweep(SCHEMA, &mut connection, &["plan"], Uuid::from_u128(1)).await.unwrap();
        assert_eq!(cheapest_with_events(&pool).await.unwrap(), None);
    }
}
