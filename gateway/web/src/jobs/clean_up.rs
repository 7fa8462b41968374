//! Removes sessions, counts of attempts and links that have ended, activity that is older than a year, and records of notices whose event cannot
//! come again.

use time::OffsetDateTime;

use crate::app::Web;
use crate::store::{activity, attempts, links, sent_notices, sessions, used_links};

/// Returns the number of removed rows.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let links = links::remove_expired(&app.pool, now).await?;
    let used_links = used_links::remove_expired(&app.pool, now).await?;
    let notices = sent_notices::remove_ended(&app.pool, now).await?;
    let sessions = sessions::remove_ended(&app.pool, app.session_lifetimes, now).await?;
    let attempts = attempts::remove_ended(&app.pool, now).await?;
    let activity = activity::remove_old(&app.pool, now).await?;
    Ok(links + used_links + notices + sessions + attempts + activity)
}
