//! Limits, and who uses them up.

use std::fmt;

use kit::network::Network;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::device::Device;
use crate::domain::session_token::TokenHash;

/// Who asks: the subject of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// All clients together, for an email address.
    Anyone,
    /// The clients of a network or a site.
    Network(Network),
    /// The browsers of a network whose headers have this hash: no cookie tells them apart.
    Browser(Network, u64),
    /// A browser in which this person was signed in.
    Device(Device),
    Person(Uuid),
    /// A session, such as one that waits for the second factor.
    Session(TokenHash),
    /// Whoever has the link of a mail.
    Link(Uuid),
}

/// At most `most` within a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub name: &'static str,
    pub most: u32,
    pub window: Duration,
}

/// What one limit counts of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub limit: Limit,
    pub subject: Subject,
    /// The email address that the limit is for, or what was typed in its place. Empty: the limit is for no address.
    pub address: String,
}

impl Limit {
    pub const fn new(name: &'static str, most: u32, window: Duration) -> Self {
        Self { name, most, window }
    }

    pub const fn count(self, subject: Subject) -> Count {
        Count { limit: self, subject, address: String::new() }
    }

    /// For a network and its site.
    pub fn count_network(self, network: Network) -> impl Iterator<Item = Count> {
        let counted = network.counted(self.most);
        counted.map(move |(network, most)| Self { most, ..self }.count(Subject::Network(network)))
    }

    /// The end of the window at a time.
    pub fn end(self, now: OffsetDateTime) -> OffsetDateTime {
        let length = self.window.whole_seconds();
        let left = length - now.unix_timestamp().rem_euclid(length);
        now.truncate_to_second() + Duration::seconds(left)
    }
}

impl Count {
    #[must_use]
    pub fn of_address(self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self }
    }
}

/// No two subjects have the same text, with which they are stored.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anyone => f.write_str("anyone"),
            Self::Network(network) => write!(f, "network {network}"),
            Self::Browser(network, headers) => write!(f, "browser {network} {headers}"),
            Self::Device(device) => write!(f, "device {} {}", device.person, device.id),
            Self::Person(person) => write!(f, "person {person}"),
            Self::Session(token) => write!(f, "session {}", token.hex()),
            Self::Link(link) => write!(f, "link {link}"),
        }
    }
}
