//! The outcome of an attempt to make a call. One table decides everything that follows:
//!
//! | verdict | what happened | made again | counts against the replica | the caller of a write is told |
//! | --- | --- | --- | --- | --- |
//! | [`Answered`](Verdict::Answered) | the service answered, with a message or a status of its own | no | no: the failures in a row end | the answer |
//! | [`Behind`](Verdict::Behind) | the replica works and refused: it lags | any call | no: the failures in a row end | not processed |
//! | [`NoAddress`](Verdict::NoAddress) | no address was known in time | no | – | not processed |
//! | [`Unreached`](Verdict::Unreached) | no connection in time: refused, no TLS, silence | any call | it is avoided | not processed |
//! | [`Refused`](Verdict::Refused) | the server shut down before it took the call | any call | one of five | not processed |
//! | [`Unavailable`](Verdict::Unavailable) | a proxy, or a server that is shutting down, answered | a read | one of five | unknown |
//! | [`Invalid`](Verdict::Invalid) | the response was cut off, or cannot be decoded | a read | one of five | unknown |
//! | [`Reset`](Verdict::Reset) | the stream of this call alone was reset | a read | no | unknown |
//! | [`Lost`](Verdict::Lost) | the connection broke after the call was sent | a read | it is avoided | unknown |
//! | [`TimedOut`](Verdict::TimedOut) | no answer by the deadline | a read, after half of the time | a write: one of five; a read: only if another replica answered it | unknown |
//!
//! A call is made again once, at another replica if there is one. "Not processed" is 503 with
//! `Retry-After` at the gateway, "unknown" is 504 `outcome_unknown` (§7). A read is told 503 in all
//! rows but the first.

use std::error::Error;
use std::sync::Arc;

use tonic::{Code, ConnectError, Status, TimeoutExpired};

use crate::api::fault::PUSHBACK;

/// The outcome of an attempt: a row of the table above. Each status that the client itself makes
/// has it as its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Verdict {
    #[error("the service answered")]
    Answered,
    #[error("the replica lags")]
    Behind,
    #[error("no address of the service is known")]
    NoAddress,
    #[error("the replica cannot be reached")]
    Unreached,
    #[error("the replica did not take the call")]
    Refused,
    #[error("the replica is unavailable")]
    Unavailable,
    #[error("the response is not valid")]
    Invalid,
    #[error("the stream of the call was reset")]
    Reset,
    #[error("the connection was lost")]
    Lost,
    #[error("the call timed out")]
    TimedOut,
}

/// How an attempt counts against its replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The replica works: the failures in a row end.
    Success,
    /// It says nothing about the replica.
    Nothing,
    /// Several in a row are needed to avoid the replica.
    Failure,
    /// The replica is avoided.
    Down,
}

impl Verdict {
    /// The verdict about an attempt that ended with `status`.
    pub(super) fn of(status: &Status) -> Self {
        // Faults of handlers have details.
        if !status.details().is_empty() {
            return Self::Answered;
        }
        if let Some(source) = status.source() {
            return Self::of_error(source);
        }
        match status.code() {
            Code::Unavailable if status.metadata().contains_key(PUSHBACK) => Self::Behind,
            Code::Unavailable | Code::Cancelled => Self::Unavailable,
            Code::Unknown | Code::Internal => Self::Invalid,
            Code::DeadlineExceeded => Self::TimedOut,
            _ => Self::Answered,
        }
    }

    /// The verdict about an error of the transport.
    fn of_error(error: &(dyn Error + 'static)) -> Self {
        for error in chain(error) {
            if let Some(verdict) = error.downcast_ref() {
                return *verdict;
            }
            if error.is::<ConnectError>() {
                return Self::Unreached;
            }
            if error.is::<TimeoutExpired>() {
                return Self::TimedOut;
            }
            if error.downcast_ref().is_some_and(hyper::Error::is_canceled) {
                return Self::Refused;
            }
            if let Some(error) = error.downcast_ref::<h2::Error>() {
                return Self::of_http2(error);
            }
        }
        Self::Lost
    }

    /// A server that shuts down refuses streams, or excludes them by a GOAWAY (RFC 9113, 6.8 and
    /// 8.7). It still answers those that the GOAWAY does not exclude.
    fn of_http2(error: &h2::Error) -> Self {
        match error.reason() {
            Some(h2::Reason::REFUSED_STREAM) if error.is_remote() => Self::Refused,
            Some(h2::Reason::NO_ERROR) if error.is_remote() && error.is_go_away() => Self::Refused,
            _ if error.is_reset() => Self::Reset,
            _ => Self::Lost,
        }
    }

    /// Whether the service has certainly not processed the call.
    pub(super) fn is_unprocessed(self) -> bool {
        matches!(self, Self::Behind | Self::NoAddress | Self::Unreached | Self::Refused)
    }

    /// Whether the call is made again.
    pub(super) fn is_retried(self, is_idempotent: bool) -> bool {
        match self {
            Self::Behind | Self::Unreached | Self::Refused => true,
            Self::Unavailable | Self::Invalid | Self::Reset | Self::Lost => is_idempotent,
            // There is no time left for one more attempt.
            Self::Answered | Self::NoAddress | Self::TimedOut => false,
        }
    }

    pub(super) fn weight(self, is_idempotent: bool) -> Weight {
        match self {
            // A read that is slow here may be slow everywhere.
            Self::TimedOut if is_idempotent => Weight::Nothing,
            Self::Answered | Self::Behind => Weight::Success,
            Self::NoAddress | Self::Reset => Weight::Nothing,
            Self::Refused | Self::Unavailable | Self::Invalid | Self::TimedOut => Weight::Failure,
            Self::Unreached | Self::Lost => Weight::Down,
        }
    }

    /// The status of a call that ended in this way.
    pub(super) fn status(self, reason: impl Into<String>) -> Status {
        let code = if self == Self::TimedOut { Code::DeadlineExceeded } else { Code::Unavailable };
        let mut status = Status::new(code, reason);
        status.set_source(Arc::new(self));
        status
    }
}

/// Whether the outcome of the call that ended with `status` is unknown: it may have been processed,
/// and there is no answer of the service.
pub fn is_unanswered(status: &Status) -> bool {
    let verdict = Verdict::of(status);
    verdict != Verdict::Answered && !verdict.is_unprocessed()
}

/// The status of a call that the transport could not make, with all causes. `hint` is what an
/// operator may have to change if the connection was lost.
pub(super) fn transport_status(error: &(dyn Error + 'static), hint: Option<&str>) -> Status {
    let verdict = Verdict::of_error(error);
    let causes: Vec<String> = chain(error).map(ToString::to_string).collect();
    let mut reason = causes.join(": ");
    // A service that has ended the connection by a frame of HTTP/2 speaks HTTP/2.
    let speaks_http2 =
        chain(error).any(|error| error.downcast_ref().is_some_and(h2::Error::is_remote));
    if let Some(hint) = hint.filter(|_| verdict == Verdict::Lost && !speaks_http2) {
        reason = format!("{reason} ({hint})");
    }
    verdict.status(reason)
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::fault::{Fault, replica_unavailable};

    /// All that follows from a verdict, for a write and for a read: made again, and the weight; and
    /// whether the outcome of a write is unknown.
    type Row = (Verdict, [bool; 2], [Weight; 2], bool);

    /// The table of the module's documentation.
    const TABLE: [Row; 10] = [
        (Verdict::Answered, [false, false], [Weight::Success; 2], false),
        (Verdict::Behind, [true, true], [Weight::Success; 2], false),
        (Verdict::NoAddress, [false, false], [Weight::Nothing; 2], false),
        (Verdict::Unreached, [true, true], [Weight::Down; 2], false),
        (Verdict::Refused, [true, true], [Weight::Failure; 2], false),
        (Verdict::Unavailable, [false, true], [Weight::Failure; 2], true),
        (Verdict::Invalid, [false, true], [Weight::Failure; 2], true),
        (Verdict::Reset, [false, true], [Weight::Nothing; 2], true),
        (Verdict::Lost, [false, true], [Weight::Down; 2], true),
        (Verdict::TimedOut, [false, false], [Weight::Failure, Weight::Nothing], true),
    ];

    #[test]
    fn everything_follows_from_the_verdict() {
        for (verdict, is_retried, weight, is_unknown) in TABLE {
            let retried = [false, true].map(|is_idempotent| verdict.is_retried(is_idempotent));
            let weights = [false, true].map(|is_idempotent| verdict.weight(is_idempotent));
            assert_eq!((retried, weights), (is_retried, weight), "{verdict:?}");
            let status = verdict.status("why");
            assert_eq!((Verdict::of(&status), is_unanswered(&status)), (verdict, is_unknown));
        }
    }

    fn wire(code: Code) -> Status {
        Status::new(code, "")
    }

    #[test]
    fn a_status_from_the_wire_has_a_verdict() {
        let fault = Status::from(Fault::unavailable("the database is down"));
        let not_found = wire(Code::NotFound);
        for (status, verdict) in [
            (fault, Verdict::Answered),
            (not_found, Verdict::Answered),
            (replica_unavailable("it lags"), Verdict::Behind),
            (wire(Code::Unavailable), Verdict::Unavailable),
            (wire(Code::Cancelled), Verdict::Unavailable),
            (wire(Code::Unknown), Verdict::Invalid),
            (wire(Code::Internal), Verdict::Invalid),
            (wire(Code::DeadlineExceeded), Verdict::TimedOut),
        ] {
            // The status as another process reads it.
            let (head, ()) = status.into_http::<()>().into_parts();
            let status = Status::from_header_map(&head.headers).unwrap();
            assert_eq!(Verdict::of(&status), verdict, "{status:?}");
        }
    }

    #[test]
    fn an_error_of_the_transport_has_a_verdict() {
        let connecting = ConnectError(std::io::Error::other("refused").into());
        // Resets and GOAWAYs come from connections only: the tests of the client have them.
        let lost = h2::Error::from(h2::Reason::CANCEL);
        let errors: [(Box<dyn Error + Send + Sync>, Verdict); 3] = [
            (connecting.into(), Verdict::Unreached),
            (lost.into(), Verdict::Lost),
            (std::io::Error::other("the worker is gone").into(), Verdict::Lost),
        ];
        for (error, verdict) in errors {
            let status = transport_status(&*error, None);
            assert_eq!((Verdict::of(&status), status.code()), (verdict, Code::Unavailable));
        }
        let mut status = wire(Code::Unavailable);
        status.set_source(Arc::new(h2::Error::from(h2::Reason::CANCEL)));
        assert_eq!(Verdict::of(&status), Verdict::Lost, "a body that broke off");
    }
}
