//! The live and the test dataset (§5.3).

use std::str::FromStr;

use serde::de::{IntoDeserializer as _, value};
use serde::{Deserialize, Serialize};

/// The dataset that a listing belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Real listings, for live keys.
    Live,
    /// Samples, for test keys.
    Test,
}

impl Mode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}

impl FromStr for Mode {
    type Err = value::Error;

    fn from_str(text: &str) -> Result<Self, value::Error> {
        Self::deserialize(text.into_deserializer())
    }
}
