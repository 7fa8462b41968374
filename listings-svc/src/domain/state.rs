//! The states of a listing (§3), and the transitions between them.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[expect(
    clippy::module_name_repetitions,
    reason = "`State` alone is also the state of other things"
)]
pub enum ListingState {
    /// Submitted, not reviewed yet.
    Pending,
    Published,
    /// Reviewed, and returned with a reason.
    Rejected,
    /// Taken down; the slug stays taken.
    Removed,
}

/// A decision of staff: on a submission, or on a published listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Publishes a submission.
    Approve,
    /// Returns a submission to its account.
    Reject,
    TakeDown,
    /// Publishes a listing that was taken down.
    Restore,
}

impl ListingState {
    /// The name in the contract (§3).
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The state as the end of a sentence about a listing.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Pending => "is pending review",
            Self::Published => "is public",
            Self::Rejected => "was rejected",
            Self::Removed => "was taken down",
        }
    }

    /// The state after an edit by the account.
    #[must_use]
    pub const fn after_account_edit(self) -> Self {
        match self {
            Self::Rejected => Self::Pending,
            other => other,
        }
    }

    /// The state after a transition, which may be the same state; `None` when the transition is not allowed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_listings_are_taken_down_and_restored() {
        for (state, taken_down, restored) in [
            (ListingState::Pending, None, None),
            (ListingState::Rejected, None, None),
            (
                ListingState::Published,
                Some(ListingState::Removed),
                Some(ListingState::Published),
            ),
            (
                ListingState::Removed,
                Some(ListingState::Removed),
                Some(ListingState::Published),
            ),
        ] {
            assert_eq!(state.apply(Transition::TakeDown), taken_down, "{state:?}");
            assert_eq!(state.apply(Transition::Restore), restored, "{state:?}");
        }
    }

    #[test]
    fn only_pending_listings_are_approved_or_rejected() {
        for (state, approved, rejected) in [
            (
                ListingState::Pending,
                Some(ListingState::Published),
                Some(ListingState::Rejected),
            ),
            (ListingState::Published, Some(ListingState::Published), None),
            (ListingState::Rejected, None, Some(ListingState::Rejected)),
            (ListingState::Removed, None, None),
        ] {
            assert_eq!(state.apply(Transition::Approve), approved, "{state:?}");
            assert_eq!(state.apply(Transition::Reject), rejected, "{state:?}");
        }
    }
}
