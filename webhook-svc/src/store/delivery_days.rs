//! Deliveries that have ended, counted by day from `webhook.attempt_log`.

use sqlx::PgPool;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::deliveries::DeliveryState;

/// PostgreSQL reads the log in the order of its index, up to the number of deliveries, instead of sorting all of it.
const BEGIN_COUNT: &str = "begin read only; set local enable_sort = off";

/// The number of deliveries that were created on one UTC day and ended in this state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayCount {
    pub day: Date,
    pub state: DeliveryState,
    pub count: i64,
}

/// Counts the deliveries to an endpoint that were created since a time and have ended, up to the newest `most` of them.
///
/// A delivery that waits again, since somebody had it sent again, counts by its last end.
pub async fn count(
    pool: &PgPool,
    endpoint: Uuid,
    since: OffsetDateTime,
    most: i64,
) -> Result<Vec<DayCount>, sqlx::Error> {
    let counts = sqlx::query_as!(
        DayCount,
        r#"select (ended.created_at at time zone 'utc')::date as "day!", ended.state as "state!: DeliveryState", count(*) as "count!"
           from (
               select distinct on (delivery_id) created_at, state from webhook.attempt_log
               where endpoint_id = $1 and state <> 'waiting' and created_at >= $2
               order by delivery_id desc, number desc limit $3
           ) as ended
           group by 1, 2"#,
        endpoint,
        since,
        most
    );
    let mut transaction = pool.begin_with(BEGIN_COUNT).await?;
    let counts = counts.fetch_all(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(counts)
}
