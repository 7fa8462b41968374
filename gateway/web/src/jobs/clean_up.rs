//! Removes links that have expired, activity that is older than a year, records of notices whose event cannot come again, and what was read
//! of accounts without members.

use time::OffsetDateTime;

use crate::app::Web;
use crate::store::{activity, decision_states, links, sent_notices};

/// Returns the number of removed rows.
pub async fn run(web: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let links = links::remove_expired(&web.pool, now).await?;
    let notices = sent_notices::remove_ended(&web.pool, now).await?;
    let states = decision_states::remove_of_closed(&web.pool).await?;
    Ok(links + notices + states + activity::remove_old(&web.pool, now).await?)
}
