//! Publishes the table of plans, which webhook-svc follows.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::Producer;
use prost::Message as _;

use super::feed_row;
use crate::domain::plan::Plans;
use crate::store::plans;

/// What became of the table of a gateway that starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// The table is on the feed, now or since an earlier start.
    Published,
    /// The table on the feed has this higher version.
    Older { published: u32 },
    /// The table on the feed has the same version and other plans.
    SameVersion,
}

/// Publishes the table, if its version is higher than that of the one on the feed: of two gateways
/// with different tables, the one that restarts last does not decide.
///
/// # Errors
/// PostgreSQL cannot be reached, or the table on the feed cannot be read.
pub async fn publish(producer: &Producer, table: &Plans) -> Result<Publication, Fault> {
    let own = proto::Plans::from(table);
    let mut transaction = producer.begin().await?;
    let mut revision = 1;
    if let Some(published) = plans::published(&mut transaction).await? {
        let on_feed = proto::Plans::decode(published.state.as_slice());
        let on_feed = on_feed.map_err(|error| Fault::internal(&error))?;
        if on_feed.version >= own.version {
            transaction.commit(&[]).await?;
            return Ok(match on_feed.version {
                version if version > own.version => Publication::Older { published: version },
                _ if on_feed == own => Publication::Published,
                _ => Publication::SameVersion,
            });
        }
        revision = published.revision + 1;
    }
    let change = feed_row("plans", "plans".to_owned(), revision, "updated", own.encode_to_vec());
    transaction.commit(&[change]).await?;
    Ok(Publication::Published)
}
