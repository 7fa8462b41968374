//! Tickets: what accounts and visitors ask about a listing, and what becomes of it.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[expect(
    clippy::module_name_repetitions,
    reason = "a `Kind` could be that of a listing"
)]
pub enum TicketKind {
    /// An account claims a page; staff decide.
    Claim,
    /// An account asks staff to take down a listing of its own.
    Takedown,
    /// A visitor corrects a listing. The correction goes to the owners, or to staff if the listing has none.
    Correction,
    /// A visitor reports a listing to staff.
    Report,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[expect(
    clippy::module_name_repetitions,
    reason = "a `State` is that of a listing"
)]
pub enum TicketState {
    Open,
    Accepted,
    Declined,
}

impl TicketKind {
    /// Notes of visitors.
    pub const NOTES: [Self; 2] = [Self::Correction, Self::Report];

    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The word for it in sentences and in the audit.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Takedown => "request",
            Self::Correction | Self::Report => "note",
        }
    }

    /// The name of a state of this kind, for staff.
    pub const fn state_name(self, state: TicketState) -> &'static str {
        match (self, state) {
            (Self::Claim | Self::Takedown, TicketState::Open) => "waiting",
            (Self::Claim | Self::Takedown, TicketState::Accepted) => "granted",
            (Self::Claim, TicketState::Declined) => "rejected",
            (Self::Takedown, TicketState::Declined) => "declined",
            (Self::Correction | Self::Report, TicketState::Open) => "open",
            (Self::Correction | Self::Report, TicketState::Accepted) => "done",
            (Self::Correction | Self::Report, TicketState::Declined) => "dismissed",
        }
    }
}

impl TicketState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
