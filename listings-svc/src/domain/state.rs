//! Where a listing stands (§3).

use serde::{Deserialize, Serialize};

/// Where a listing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Sent in, not yet looked at.
    Pending,
    /// Public.
    Published,
    /// Looked at, and sent back with a reason.
    Rejected,
    /// Taken down; its slug stays taken.
    Removed,
}
