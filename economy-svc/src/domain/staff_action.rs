//! The actions of staff, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Reads currencies, reports, swaps and tips.
    Look,
    /// Registers or renames a currency.
    SetCurrency,
    /// Makes a held report count.
    ApproveReport,
    /// Rejects a held report permanently.
    RejectReport,
    /// Makes a report count no more.
    RetractReport,
    /// Books past swaps.
    ImportSwaps,
    /// Removes swaps that were imported by mistake.
    RemoveSwaps,
    /// Reads the audit.
    ReadAudit,
}

/// A member of staff and the action that was authorized.
pub type AuthorizedAction = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const KINDS: &'static [&'static str] = &["currency", "report", "swap", "tip", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    /// A reviewer reads and decides on reports; everything else needs an admin.
    fn needs(self) -> Role {
        match self {
            Self::Look | Self::ApproveReport | Self::RejectReport => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
