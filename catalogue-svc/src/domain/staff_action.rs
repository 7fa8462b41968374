//! The actions of staff on votes, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    Look,
    VoidVotes,
    RestoreVotes,
    ReadAudit,
}

/// A member of staff and the action that was authorized.
pub type AuthorizedAction = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const KINDS: &'static [&'static str] = &["voter", "network", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    /// A reviewer reads votes; everything else needs an admin.
    fn needs(self) -> Role {
        match self {
            Self::Look => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
