//! The check of a receiver: test messages for each rule of §6.5 to §6.10, and the verdict on the answers.

mod finding;
mod probe_message;

use strum::VariantArray;

pub use finding::{Finding, ProbeResult, Verdict};
pub use probe_message::ProbeMessage;

/// A rule for receivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Rule {
    RawBody = 1,
    Signature,
    NotJson,
    HandledId,
    PromptAnswer,
    UnknownEvent,
}

impl Rule {
    /// The number of the rule in §6.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// What the rule asks of a receiver.
    pub const fn title(self) -> &'static str {
        match self {
            Self::RawBody => "Read the raw body before parsing it",
            Self::Signature => "Answer 401 to a wrong time or signature",
            Self::NotJson => "Answer 400 to a signed body that is not JSON",
            Self::HandledId => "Answer 200 to an id that was handled, without repeating its work",
            Self::PromptAnswer => "Answer 200 at once, and do slow work afterwards",
            Self::UnknownEvent => "Answer 200 to an event that is not known, and ignore it",
        }
    }

    /// What a sender cannot see; empty: it sees everything.
    pub const fn unseen(self) -> &'static str {
        match self {
            Self::RawBody | Self::NotJson => "",
            Self::Signature => {
                "Whether it compares signatures in constant time. Look for hmac.compare_digest, timingSafeEqual or the like in its code."
            }
            Self::HandledId => {
                "Whether it does the work of an id once, also after a restart. Look for the id below in its log; then restart it, and press Send again on a delivery that it has handled."
            }
            Self::PromptAnswer => {
                "Whether the work of its real events waits until it has answered. Send it a test event of each kind, and compare the times."
            }
            Self::UnknownEvent => "Whether it ignores the event.",
        }
    }

    /// What to do when the receiver breaks the rule.
    const fn advice(self) -> &'static str {
        match self {
            Self::RawBody => {
                "Compute the signature over the bytes of the body as they arrive, before a framework or a JSON parser changes them."
            }
            Self::Signature => {
                "Before anything else, refuse a time that is absent or more than 300 seconds off, and a signature that does not match as a whole."
            }
            Self::NotJson => {
                "Parse the body after its signature is verified, and answer 400 when that fails. JSON of any shape must not break the receiver."
            }
            Self::HandledId => {
                "Store each id before answering, and answer 200 when it is there already."
            }
            Self::PromptAnswer => {
                "Store the message, answer 200, and work on it afterwards: the service waits 8 seconds, then counts a failure."
            }
            Self::UnknownEvent => {
                "Answer 200 to every event with a valid signature, since new ones are added."
            }
        }
    }
}
