//! What every listing has: a mode, and a state.

use uuid::Uuid;

use super::changes::LastChange;

/// The two datasets (§5.3): a live key meets real listings, a test key sample ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Real listings.
    Live,
    /// Samples.
    Test,
}

impl Mode {
    /// As it is written in a cursor.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}

/// The state of a listing (§3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::module_name_repetitions,
    reason = "`State` alone is also the state of other things"
)]
pub enum ListingState {
    /// It waits for review.
    Pending,
    /// The public sees it.
    Published,
    /// Staff refused it.
    Rejected,
    /// It was taken down.
    Removed,
}

/// What every listing has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The producer's id.
    pub id: Uuid,
    /// Its dataset.
    pub mode: Mode,
    /// Its state.
    pub state: ListingState,
    /// The change that brought it into this state.
    pub last_change: LastChange,
}
