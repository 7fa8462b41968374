//! Where a listing stands (§3).

use std::str::FromStr;

use serde::de::{IntoDeserializer as _, value};
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

/// What staff do about a listing: about what waits for its review, and about what is public, or was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Publish what was sent in.
    Approve,
    /// Send it back.
    Reject,
    /// Take it down.
    TakeDown,
    /// Publish again what was taken down.
    Restore,
}

impl State {
    /// As the contract calls it (§3).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Published => "published",
            Self::Rejected => "rejected",
            Self::Removed => "removed",
        }
    }

    /// Where a listing stands once its account has changed it.
    #[must_use]
    pub const fn after_account_edit(self) -> Self {
        match self {
            Self::Rejected => Self::Pending,
            other => other,
        }
    }

    /// Where an act leads, though it may stand there already; `None` when it cannot be done to what stands here.
    pub const fn apply(self, transition: Transition) -> Option<Self> {
        match (self, transition) {
            (Self::Pending | Self::Rejected, Transition::Reject) => Some(Self::Rejected),
            (Self::Published | Self::Removed, Transition::TakeDown) => Some(Self::Removed),
            (Self::Pending | Self::Published, Transition::Approve)
            | (Self::Published | Self::Removed, Transition::Restore) => Some(Self::Published),
            _ => None,
        }
    }
}

impl FromStr for State {
    type Err = value::Error;

    fn from_str(text: &str) -> Result<Self, value::Error> {
        Self::deserialize(text.into_deserializer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_public_is_taken_down_and_restored() {
        for (state, taken_down, restored) in [
            (State::Pending, None, None),
            (State::Rejected, None, None),
            (
                State::Published,
                Some(State::Removed),
                Some(State::Published),
            ),
            (State::Removed, Some(State::Removed), Some(State::Published)),
        ] {
            assert_eq!(state.apply(Transition::TakeDown), taken_down, "{state:?}");
            assert_eq!(state.apply(Transition::Restore), restored, "{state:?}");
        }
    }

    #[test]
    fn only_what_waits_is_decided_on_and_the_same_again_changes_nothing() {
        for (state, approved, rejected) in [
            (
                State::Pending,
                Some(State::Published),
                Some(State::Rejected),
            ),
            (State::Published, Some(State::Published), None),
            (State::Rejected, None, Some(State::Rejected)),
            (State::Removed, None, None),
        ] {
            assert_eq!(state.apply(Transition::Approve), approved, "{state:?}");
            assert_eq!(state.apply(Transition::Reject), rejected, "{state:?}");
        }
    }
}
