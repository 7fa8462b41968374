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
    /// Whether the receiver may answer with another status, as long as it is no fault of its own.
    pub is_odd: bool,
}

impl Probe {
    /// The status that the answer should have had. For an odd probe, that is the answered one, unless the receiver has failed.
    pub fn expected_for(&self, answered: Option<u16>) -> u16 {
        match answered {
            Some(status) if self.is_odd && status < 500 => status,
            _ => self.expected_status,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_probe_takes_every_status_but_a_failure() {
        let odd = ODD_BODIES[0];
        let answers = [Some(200), Some(400), Some(422), Some(500), None];
        let expected = answers.map(|answered| odd.expected_for(answered));
        assert_eq!(expected, [200, 400, 422, 200, 200]);
        assert_eq!(PING.expected_for(Some(400)), 200);
    }
}
