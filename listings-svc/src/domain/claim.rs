//! Claims: an account says that a page is its own, and staff decide.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[expect(clippy::module_name_repetitions, reason = "a `State` is that of a listing")]
pub enum ClaimState {
    Waiting,
    Granted,
    Rejected,
}

impl ClaimState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
