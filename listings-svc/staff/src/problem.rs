//! Why a command did not do what was asked, as one sentence and an exit status.

use std::process::ExitCode;

use kit::{Code, Fault};
use tonic::Status;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// The service said no.
    #[error("{0}")]
    Refused(String),
    /// The command cannot be carried out as it was given.
    #[error("{0}")]
    Usage(String),
    /// Nothing answers, or not just now.
    #[error("{0}")]
    Unreachable(String),
}

impl Problem {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Refused(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
        })
    }
}

impl From<Status> for Problem {
    fn from(status: Status) -> Self {
        if !status.details().is_empty() {
            return Fault::from(status).into();
        }
        // What tonic makes of an answer over HTTP that is not one of gRPC: without a body, and with one in JSON.
        let no_grpc = ["grpc-status header missing", "invalid compression flag"];
        if no_grpc.iter().any(|sign| status.message().contains(sign)) {
            return Self::usage(
                "what answers there is not gRPC: give the internal gRPC address of the service, not the public address of the API (`deploy/up` prints both, and .fleet/fleet.json has them)",
            );
        }
        match status.code() {
            tonic::Code::Unauthenticated => {
                Self::Refused("the service does not accept this staff token".to_owned())
            }
            tonic::Code::Unimplemented => Self::Refused(
                "the service does not know this call; is the address that of the right service, and of this version?".to_owned(),
            ),
            tonic::Code::Unavailable
            | tonic::Code::Unknown
            | tonic::Code::Cancelled
            | tonic::Code::DeadlineExceeded
            | tonic::Code::Internal => {
                Self::Unreachable(format!("the connection broke: {}", status.message()))
            }
            _ => Self::Refused(status.message().to_owned()),
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let reasons = fault.fields.iter();
        let reasons: Vec<String> = reasons
            .map(|(field, reason)| format!("{field}: {reason}"))
            .collect();
        let sentence = if reasons.is_empty() {
            fault.message.to_string()
        } else {
            format!("not acceptable: {}", reasons.join("; "))
        };
        match fault.code {
            Code::Unavailable => Self::Unreachable(sentence),
            _ => Self::Refused(sentence),
        }
    }
}
