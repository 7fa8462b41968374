//! Swaps between the currencies of two games.

use kit::audit::Subject;
use kit::feed::ApplyResult;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::rates_moved;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::swaps::{self, Swap};

/// Who records swaps.
#[derive(Debug)]
pub enum SwapSource {
    /// The exchange with this name.
    Exchange(String),
    /// A member of staff, from a file.
    Staff(AuthorizedAction),
}

impl SwapSource {
    /// The exchange of the swaps; empty for swaps that staff import.
    fn exchange(&self) -> &str {
        match self {
            Self::Exchange(name) => name,
            Self::Staff(_) => "",
        }
    }
}

/// Books the swaps whose ids are new, and returns these ids.
pub(super) async fn record(
    connection: &mut PgConnection,
    source: &SwapSource,
    swaps: &[Swap],
    now: OffsetDateTime,
) -> ApplyResult<Vec<String>> {
    let booked = swaps::insert(connection, source.exchange(), swaps, now).await?;
    let changes = if booked.is_empty() {
        Vec::new()
    } else {
        vec![rates_moved()]
    };
    Ok((booked, changes))
}

/// An import in the audit: it has the id of the first booked swap.
pub(super) fn audit_subject(booked: &[String]) -> Subject {
    Subject {
        entity: "swap",
        name: booked.first().cloned().unwrap_or_default(),
        details: json!({ "booked": booked.len() }),
    }
}
