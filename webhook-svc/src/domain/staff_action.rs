//! The actions of staff, and the role that each needs.

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
