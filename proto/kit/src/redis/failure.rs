//! Why a call to Redis failed, and whether it was carried out.

use redis::{ErrorKind, RedisError, ServerErrorKind};

/// Redis is unavailable. The variant says whether the call was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// The call was not carried out and will not be: it was not sent, or Redis rejected it.
    NotApplied,
    /// The call was sent and not answered. Redis may have carried it out, or may do so later.
    Unknown,
}

/// Why a call failed.
pub(super) enum Failure {
    /// The breaker is open.
    Open,
    /// There is no connection. Without an error, connecting timed out.
    NoConnection(Option<RedisError>),
    /// Redis rejected the call.
    Rejected(RedisError),
    /// Redis rejected the call because it is a replica now: its successor has the address, or will have it.
    Demoted(RedisError),
    /// The call was sent and not answered. Without an error, it timed out.
    NoResponse(Option<RedisError>),
}

impl Failure {
    pub(super) fn new(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::Server(ServerErrorKind::ReadOnly) => Self::Demoted(error),
            // Redis 6 reports it like this from a script.
            _ if error.detail().is_some_and(|it| it.contains("-READONLY ")) => Self::Demoted(error),
            ErrorKind::Server(_) | ErrorKind::Extension => Self::Rejected(error),
            ErrorKind::ClusterConnectionNotFound => Self::NoConnection(Some(error)),
            _ => Self::NoResponse(Some(error)),
        }
    }

    pub(super) fn timed_out(sent: bool) -> Self {
        if sent { Self::NoResponse(None) } else { Self::NoConnection(None) }
    }

    pub(super) fn unavailable(&self) -> Unavailable {
        match self {
            Self::Open | Self::NoConnection(_) | Self::Rejected(_) | Self::Demoted(_) => {
                Unavailable::NotApplied
            }
            Self::NoResponse(_) => Unavailable::Unknown,
        }
    }

    /// Whether no later call can use the connection.
    pub(super) fn lost_connection(&self) -> bool {
        match self {
            Self::Demoted(_) => true,
            Self::NoResponse(Some(error)) => error.is_unrecoverable_error(),
            _ => false,
        }
    }

    pub(super) fn reason(&self) -> String {
        match self {
            Self::Open => "the breaker is open".to_owned(),
            Self::NoConnection(Some(error))
            | Self::Rejected(error)
            | Self::Demoted(error)
            | Self::NoResponse(Some(error)) => error.to_string(),
            Self::NoConnection(None) => "connecting timed out".to_owned(),
            Self::NoResponse(None) => "the call timed out".to_owned(),
        }
    }
}
