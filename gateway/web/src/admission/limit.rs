//! Limits, and what they count.

use kit::network::Network;
use time::{Duration, OffsetDateTime};

use crate::domain::subject::Subject;

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
    /// The email address that the limit is for, or what was typed in its place. Empty: the limit is
    /// for no address.
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
