//! Removes sessions, counts of tries and links that have ended, most activity that is older than a year, records of notices whose event
//! cannot come again, and old forms.

use time::OffsetDateTime;

use crate::app::Web;
use crate::store::{activity, links, sent_forms, sent_notices, sessions, tries};

/// Returns the number of removed rows.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let links = links::remove_expired(&app.pool, now).await?;
    let notices = sent_notices::remove_ended(&app.pool, now).await?;
    let forms = sent_forms::remove_old(&app.pool, now).await?;
    let sessions = sessions::remove_ended(&app.pool, app.session_lifetimes, now).await?;
    let tries = tries::remove_ended(&app.pool, now).await?;
    let activity = activity::remove_old(&app.pool, now).await?;
    Ok(links + notices + forms + sessions + tries + activity)
}
