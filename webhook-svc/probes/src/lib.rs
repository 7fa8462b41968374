//! The test messages of both checks of receivers, that of webhook-svc and `webhook-check`: for each of the rules of §6.5 to §6.10 its messages,
//! and the status that each must get.
//!
//! Each check signs the messages with code of its own, so that each tests the other.

mod table;
mod tampering;

pub use table::{NOT_JSON, ODD_BODIES, PING, RAW_BODIES, SIGNATURES, UNKNOWN_EVENT};
pub use tampering::{Headers, OTHER_SECRET, Tampering};

/// Writes a body with this id and this `created_at`.
pub type WriteBody = fn(id: &str, created_at: &str) -> Vec<u8>;

/// A test message.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// What is special about the message.
    pub name: &'static str,
    pub event: &'static str,
    pub body: WriteBody,
    pub time: SignedTime,
    /// What happens to the message after it is signed.
    pub tampering: Tampering,
    pub expected_status: u16,
}

/// The timestamp that is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedTime {
    /// Seconds from now.
    FromNow(i64),
    /// Now, in milliseconds.
    Milliseconds,
    Text(&'static str),
}

impl SignedTime {
    /// The timestamp of a message that is signed at `now`, in Unix seconds.
    pub fn timestamp(self, now: i64) -> String {
        match self {
            Self::FromNow(seconds) => now.saturating_add(seconds).to_string(),
            Self::Milliseconds => now.saturating_mul(1_000).to_string(),
            Self::Text(text) => text.to_owned(),
        }
    }
}
