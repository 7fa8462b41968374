//! The actions of staff and of programs with account tokens, and the role that each needs of staff.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
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

impl Action {
    /// The name of the action in the account API (§10.18).
    pub fn in_account_api(self) -> &'static str {
        match self {
            Self::AddEndpoint => "add",
            Self::ChangeEndpoint => "change",
            Self::PauseEndpoint => "pause",
            Self::ResumeEndpoint => "resume",
            Self::RotateSecret => "rotate-secret",
            Self::SwitchSecret => "switch-secret",
            Self::RemoveEndpoint => "remove",
            Self::SendAgain => "send-again",
            Self::Recover => "recover",
            Self::SendTestEvent => "test",
            Self::Look | Self::ReadAudit => audit::Action::as_str(self),
        }
    }
}

/// A member of staff and their action.
pub type AuthorizedAction = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const KINDS: &'static [&'static str] = &["endpoint", "account", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    fn needs(self) -> Role {
        match self {
            Self::Look => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
