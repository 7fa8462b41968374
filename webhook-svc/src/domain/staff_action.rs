//! The actions of staff, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Reads endpoints and deliveries.
    Look,
    AddEndpoint,
    ChangeEndpoint,
    PauseEndpoint,
    ResumeEndpoint,
    RotateSecret,
    SwitchSecret,
    RemoveEndpoint,
    SendAgain,
    Recover,
    SendTestEvent,
    /// Reads the audit.
    ReadAudit,
}

/// A member of staff and their action.
pub type By = audit::By<Action>;

impl audit::Action for Action {
    const ALL: &'static [Self] = &[
        Self::Look,
        Self::AddEndpoint,
        Self::ChangeEndpoint,
        Self::PauseEndpoint,
        Self::ResumeEndpoint,
        Self::RotateSecret,
        Self::SwitchSecret,
        Self::RemoveEndpoint,
        Self::SendAgain,
        Self::Recover,
        Self::SendTestEvent,
        Self::ReadAudit,
    ];
    const KINDS: &'static [&'static str] = &["endpoint", "account", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::AddEndpoint => "add_endpoint",
            Self::ChangeEndpoint => "change_endpoint",
            Self::PauseEndpoint => "pause_endpoint",
            Self::ResumeEndpoint => "resume_endpoint",
            Self::RotateSecret => "rotate_secret",
            Self::SwitchSecret => "switch_secret",
            Self::RemoveEndpoint => "remove_endpoint",
            Self::SendAgain => "send_again",
            Self::Recover => "recover",
            Self::SendTestEvent => "send_test_event",
            Self::ReadAudit => "read_audit",
        }
    }

    fn needs(self) -> Role {
        match self {
            Self::Look => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
