//! Why a command failed, as one sentence and an exit status.

use std::process::ExitCode;

use kit::{Code, Fault};
use tonic::Status;

use crate::service::Service;

/// Why a command failed. The text is a sentence for the person at the terminal.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The service refused the request.
    #[error("{0}")]
    Refused(String),
    /// The arguments, a setting or a file are invalid.
    #[error("{0}")]
    Usage(String),
    /// No service answers, or it cannot answer at the moment.
    #[error("{0}")]
    Unreachable(String),
}

impl Error {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// The same error, with more to say.
    pub(crate) fn followed_by(self, more: &str) -> Self {
        self.map(|message| format!("{}; {more}", message.trim_end_matches('.')))
    }

    /// The same error, with what it is about.
    pub(crate) fn preceded_by(self, subject: &str) -> Self {
        self.map(|message| format!("{subject}: {message}"))
    }

    fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Refused(message) => Self::Refused(change(message)),
            Self::Usage(message) => Self::Usage(change(message)),
            Self::Unreachable(message) => Self::Unreachable(change(message)),
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Refused(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
        })
    }
}

/// The error of the first unavailable service. The command shows the answers of the other services, and ends with this error.
#[derive(Debug, Default)]
pub(crate) struct UnreachableService(Option<Error>);

impl UnreachableService {
    /// What a service has answered; `None` if it is unavailable.
    pub(crate) fn skip<T>(
        &mut self,
        service: Service,
        answer: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(error @ Error::Unreachable(_)) => {
                let first = self.0.take();
                self.0 = first.or_else(|| Some(error.preceded_by(service.as_str())));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn result(self) -> Result<(), Error> {
        self.0.map_or(Ok(()), Err)
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        if !status.details().is_empty() {
            return Fault::from(status).into();
        }
        // How tonic reports an HTTP response that is not gRPC: without a body, and with a JSON body.
        let not_grpc = ["grpc-status header missing", "invalid compression flag"];
        if not_grpc.iter().any(|sign| status.message().contains(sign)) {
            return Self::usage(
                "the answer is not gRPC: give the internal gRPC address of the service, not the public address of the API (the file fleet.json in the folder of a fleet has both)",
            );
        }
        match status.code() {
            tonic::Code::Unauthenticated => {
                Self::Refused(format!("the token is refused: {}", status.message()))
            }
            tonic::Code::Unimplemented => Self::Refused(
                "the service does not have this call: check that the address is that of the right service, and that the service and `staff` are of the same version".to_owned(),
            ),
            tonic::Code::Unavailable
            | tonic::Code::Unknown
            | tonic::Code::Cancelled
            | tonic::Code::DeadlineExceeded
            | tonic::Code::Internal => {
                Self::Unreachable(format!("the connection failed: {}", status.message()))
            }
            _ => Self::Refused(status.message().to_owned()),
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let reasons: Vec<String> =
            fault.fields.iter().map(|(field, reason)| format!("{field}: {reason}")).collect();
        let sentence = if reasons.is_empty() {
            fault.message.to_string()
        } else {
            format!("invalid {}", reasons.join(" "))
        };
        match fault.code {
            Code::Unavailable => Self::Unreachable(sentence),
            _ => Self::Refused(sentence),
        }
    }
}
