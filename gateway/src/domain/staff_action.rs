//! The actions of staff and of the people of accounts, and the role of staff that each action needs.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Reads accounts, keys, key requests, plans and switches.
    Look,
    CreateAccount,
    /// Changes the name. Only the people of an account do this.
    ChangeAccount,
    SetPlan,
    /// Creates a key without a review.
    CreateKey,
    RotateKey,
    RevokeKey,
    /// Requests a live key for its owner.
    RequestKey,
    ApproveKey,
    RejectKey,
    /// Creates the secret of an approved key for its owner.
    RevealKey,
    SetSwitch,
    /// Reads the audit of other members' actions.
    ReadAudit,
}

/// A member of staff and the action that was authorized.
pub type AuthorizedAction = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const READ_AUDIT: Self = Self::ReadAudit;
    const KINDS: &'static [&'static str] =
        &["account", "plan", "key", "key_request", "switch", "member"];

    /// A reviewer reads and decides. An admin does everything.
    fn needs(self) -> Role {
        match self {
            Self::Look | Self::ApproveKey | Self::RejectKey => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
