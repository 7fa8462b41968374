//! Removes links that have expired, activity that is older than a year, and records of notices whose event cannot come again.

use time::OffsetDateTime;

use crate::app::Web;
use crate::store::{activity, links, sent_notices};

/// Returns the number of removed rows.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let links = links::remove_expired(&app.pool, now).await?;
    let notices = sent_notices::remove_ended(&app.pool, now).await?;
    Ok(links + notices + activity::remove_old(&app.pool, now).await?)
}
