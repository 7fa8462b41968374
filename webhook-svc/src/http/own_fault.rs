//! Faults of this machine and its network, which do not count against the owner of an endpoint.

use std::io;

use nix::errno::Errno;
use strum::{IntoStaticStr, VariantArray};

/// What failed on our side. The label of the metric has these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum OwnFault {
    /// This process or machine cannot open a connection to anybody: no file descriptor, buffer or local port is left. It is
    /// certainly our fault, however long it lasts.
    Sockets,
    /// The name servers of this machine give no answer, or it has no route to the address. Usually our network is down; but a broken domain
    /// looks the same (SERVFAIL), and so does an endpoint that has only an IPv6 address for a machine without IPv6. It counts as a failed attempt
    /// when it lasts.
    Network,
    /// The signing secret cannot be decrypted: this replica lacks a key, or the secret is damaged. It counts as a failed attempt when it lasts.
    Secret,
}

impl OwnFault {
    /// Whether it was our fault that a socket could not connect.
    pub(super) fn of_socket(error: &io::Error) -> Option<Self> {
        match Errno::from_raw(error.raw_os_error()?) {
            Errno::EMFILE
            | Errno::ENFILE
            | Errno::ENOBUFS
            | Errno::ENOMEM
            | Errno::EADDRNOTAVAIL => Some(Self::Sockets),
            Errno::ENETUNREACH | Errno::ENETDOWN => Some(Self::Network),
            // EHOSTUNREACH, ETIMEDOUT and ECONNREFUSED come from the other side.
            _ => None,
        }
    }
}
