//! Removes links that have expired, activity that is older than a year, records of notices whose event cannot come again, and old forms.

use time::OffsetDateTime;

use crate::app::Web;
use crate::store::{activity, links, sent_forms, sent_notices};

/// Returns the number of removed rows.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let links = links::remove_expired(&app.pool, now).await?;
    let notices = sent_notices::remove_ended(&app.pool, now).await?;
    let forms = sent_forms::remove_old(&app.pool, now).await?;
    Ok(links + notices + forms + activity::remove_old(&app.pool, now).await?)
}
