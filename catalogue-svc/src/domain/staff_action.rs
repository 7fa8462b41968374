//! What staff do with votes, and the role that each action needs.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

/// What a call of staff does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Reads which votes look bought.
    Look,
    /// Takes the votes of a voter from the boards.
    VoidVotes,
    /// Gives them back.
    RestoreVotes,
    /// Reads what others did.
    ReadAudit,
}

/// A member of staff, and what they do here.
pub type By = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const KINDS: &'static [&'static str] = &["voter", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    /// A reviewer looks, an admin does the rest.
    fn needs(self) -> Role {
        match self {
            Self::Look => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
