//! The two worlds of the contract (§5.3).

use serde::{Deserialize, Serialize};

/// Which world a listing belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Real listings, for live keys.
    Live,
    /// Samples, for test keys.
    Test,
}

impl Mode {
    /// As it is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}
