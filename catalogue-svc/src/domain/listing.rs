//! What every listing has: a mode, and whether the public sees it.

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

/// What every listing has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The producer's id.
    pub id: Uuid,
    /// Its dataset.
    pub mode: Mode,
    /// Whether the public sees it, as listings-svc decides.
    pub visible: bool,
    /// The change that brought it into this state.
    pub last_change: LastChange,
}
