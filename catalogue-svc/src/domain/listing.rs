//! The header of a listing: its mode, and whether it is public.

use uuid::Uuid;

use super::changes::LastChange;

/// The two datasets (§5.3): a live key reads real listings, a test key samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Real listings.
    Live,
    /// Samples.
    Test,
}

impl Mode {
    /// Its name in metrics and in the bindings of cursors.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}

/// The fields that all kinds of listings have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The producer's id.
    pub id: Uuid,
    /// Its dataset.
    pub mode: Mode,
    /// Whether it is public, as listings-svc decides.
    pub visible: bool,
    /// Its last change.
    pub last_change: LastChange,
}
