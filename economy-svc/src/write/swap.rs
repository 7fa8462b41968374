//! Swaps between the currencies of two games, which staff import and remove.

use kit::audit::Subject;
use kit::feed::ApplyResult;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::rates_moved;
use crate::store::swaps::{self, Swap};

#[derive(Debug)]
pub enum SwapChange {
    Import(Vec<Swap>),
    /// The removal of the swaps with these ids, and its reason.
    Remove(Vec<String>, String),
}

/// Books the swaps whose ids are new, or removes those that are stored; returns their ids.
pub(super) async fn apply(
    connection: &mut PgConnection,
    change: &SwapChange,
    now: OffsetDateTime,
) -> ApplyResult<Vec<String>> {
    let ids = match change {
        SwapChange::Import(swaps) => swaps::insert(connection, swaps, now).await?,
        SwapChange::Remove(ids, _) => swaps::remove(connection, ids).await?,
    };
    let changes = if ids.is_empty() {
        Vec::new()
    } else {
        vec![rates_moved()]
    };
    Ok((ids, changes))
}

/// An import has the id of the first booked swap, a removal the ids of all removed ones, which are stored nowhere else any more.
pub(super) fn audit_subject(change: &SwapChange, ids: &[String]) -> Subject {
    Subject {
        entity: "swap",
        name: ids.first().cloned().unwrap_or_default(),
        details: match change {
            SwapChange::Import(_) => json!({ "booked": ids.len() }),
            SwapChange::Remove(_, reason) => json!({ "removed": ids, "reason": reason }),
        },
    }
}
