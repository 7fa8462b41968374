//! Swaps between the currencies of two games.

use kit::audit::Subject;
use kit::feed::ApplyResult;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::rates_moved;
use crate::store::swaps::{self, Swap};

/// Books the swaps whose ids are new, and returns these ids.
pub(super) async fn record(
    connection: &mut PgConnection,
    swaps: &[Swap],
    now: OffsetDateTime,
) -> ApplyResult<Vec<String>> {
    let booked = swaps::insert(connection, swaps, now).await?;
    let changes = if booked.is_empty() {
        Vec::new()
    } else {
        vec![rates_moved()]
    };
    Ok((booked, changes))
}

/// The audit's entry for an import.
pub(super) fn subject(booked: &[String]) -> Subject {
    Subject {
        entity: "swap",
        name: booked.first().cloned().unwrap_or_default(),
        details: json!({ "booked": booked.len() }),
    }
}
