//! Publishes the table of plans, which webhook-svc follows.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::Producer;
use prost::Message as _;

use super::feed_row;
use crate::domain::plan::Plans;
use crate::store::plans;

/// Publishes the table, unless it is on the feed already.
///
/// # Errors
/// PostgreSQL cannot be reached.
pub async fn publish(producer: &Producer, table: &Plans) -> Result<(), Fault> {
    let state = proto::Plans::from(table).encode_to_vec();
    let mut transaction = producer.begin().await?;
    let published = plans::published(&mut transaction).await?;
    let revision = match published {
        Some(published) if published.state == state => return transaction.commit(&[]).await,
        Some(published) => published.revision + 1,
        None => 1,
    };
    let change = feed_row("plans", "plans".to_owned(), revision, "updated", state);
    transaction.commit(&[change]).await
}
