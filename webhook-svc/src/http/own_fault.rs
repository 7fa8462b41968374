//! Faults of this machine and its network, which do not count against the owner of an endpoint.

use std::io;

use nix::errno::Errno;

/// How sure it is that a failed attempt is our fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnFault {
    /// This process or machine cannot open a connection to anybody: no file descriptor, buffer or local port is left.
    Certain,
    /// The name servers of this machine give no answer, or it has no route to the address. Usually our network is down; but a broken domain
    /// looks the same (SERVFAIL), and so does an endpoint that has only an IPv6 address for a machine without IPv6. It counts as a failed attempt
    /// when it lasts.
    Doubtful,
    /// The signing secret cannot be decrypted: this replica lacks a key, or the secret is damaged. It counts as a failed attempt when it lasts.
    Secret,
}

impl OwnFault {
    pub const ALL: [Self; 3] = [Self::Certain, Self::Doubtful, Self::Secret];

    /// Whether it was our fault that a socket could not connect.
    pub(super) fn of_socket(error: &io::Error) -> Option<Self> {
        match Errno::from_raw(error.raw_os_error()?) {
            Errno::EMFILE
            | Errno::ENFILE
            | Errno::ENOBUFS
            | Errno::ENOMEM
            | Errno::EADDRNOTAVAIL => Some(Self::Certain),
            Errno::ENETUNREACH | Errno::ENETDOWN => Some(Self::Doubtful),
            // EHOSTUNREACH, ETIMEDOUT and ECONNREFUSED come from the other side.
            _ => None,
        }
    }

    /// The label of the metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "sockets",
            Self::Doubtful => "network",
            Self::Secret => "secret",
        }
    }
}
