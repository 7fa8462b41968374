//! Finds the pages that games may refer to.

use std::collections::HashMap;

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::domain::mode::Mode;

/// Those of these handles whose pages games may not belong to, such as pages that were taken down.
pub async fn hidden_creators(
    executor: impl PgExecutor<'_>,
    mode: Mode,
    handles: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select handle from listings.page
         where mode = $1 and handle = any($2) and state not in ('pending', 'published')",
        mode.as_str(),
        handles
    )
    .fetch_all(executor)
    .await
}

/// Pages with these handles that games may belong to.
pub async fn creators(
    executor: impl PgExecutor<'_>,
    mode: Mode,
    handles: &[String],
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let rows = sqlx::query!(
        "select handle, id from listings.page
         where mode = $1 and handle = any($2) and state in ('pending', 'published')",
        mode.as_str(),
        handles
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.handle, row.id)).collect())
}
