//! Finds the pages that games may refer to.

use std::collections::HashMap;

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::domain::mode::Mode;

/// Pages with these handles that games may belong to.
pub async fn creators(
    executor: impl PgExecutor<'_>,
    mode: Mode,
    handles: &[String],
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "select name, id from listings.listing
         where entity = 'page' and mode = $1 and name = any($2) and state in ('pending', 'published')",
        mode.as_str(),
        handles
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}

/// Public pages with these handles that the credits of a game may name. The credits of a sample may name samples too.
pub async fn credited_pages(
    executor: impl PgExecutor<'_>,
    mode: Mode,
    handles: &[String],
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "select name, id from listings.listing
         where entity = 'page' and mode in ('live', $1) and name = any($2) and state = 'published'",
        mode.as_str(),
        handles
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}
