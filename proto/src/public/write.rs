//! Answers to POST and PATCH of games and events (§4.3).

use serde::{Deserialize, Serialize};

/// A game or an event was sent in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Never changes.
    pub slug: String,
    /// `pending`.
    pub status: String,
    /// Where its public page will be.
    pub url: String,
    /// What comes next, for a person.
    pub note: String,
}

/// A game or an event was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// Never changes.
    pub slug: String,
    /// Where it stands (§3).
    pub status: String,
    /// Public page address.
    pub url: String,
    /// Why the public does not see it although it may be published, such as that its page was taken down; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A write would be accepted; nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
pub struct DryRun {
    /// True.
    pub dry_run: bool,
    /// `create` or `update`.
    pub would: String,
    /// Where the listing would stand (§3).
    pub status: String,
}
