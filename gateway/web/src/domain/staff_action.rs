//! The actions of staff on people, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum StaffAction {
    /// Reads a person.
    Look,
    /// Reads who belongs to an account, or the accounts of a person.
    ReadTeam,
    /// Invites an owner to an account.
    InviteOwner,
    /// Ends the second factor of a person.
    EndSecondFactor,
    /// Reads the audit of other members' actions.
    ReadAudit,
}

/// A member of staff and the action that was authorized.
pub type AuthorizedAction = audit::AuthorizedAction<StaffAction>;

impl audit::Action for StaffAction {
    const KINDS: &'static [&'static str] = &["person", "account", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    /// Whoever signs in as the person can use all keys of the person's accounts.
    fn needs(self) -> Role {
        match self {
            Self::ReadTeam => Role::Reviewer,
            Self::Look | Self::InviteOwner | Self::EndSecondFactor | Self::ReadAudit => Role::Admin,
        }
    }
}
