//! The subject of a limit.

use std::fmt;

use kit::network::Network;
use uuid::Uuid;

use super::device::Device;
use super::session_token::TokenHash;

/// Who uses up a limit.
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
    /// Everyone who has the link in a mail.
    Link(Uuid),
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
