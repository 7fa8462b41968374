//! The actions of staff, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Reads currencies, reports and the ledger.
    Look,
    /// Registers or renames a currency.
    SetCurrency,
    /// Makes a held report count.
    ApproveReport,
    /// Rejects a held report permanently.
    RejectReport,
    /// Rejects a report that counts.
    VoidReport,
    /// Books past swaps.
    ImportSwaps,
    /// Reverses a tip.
    ReverseTip,
    /// Reverses a swap.
    ReverseSwap,
    /// Registers an exchange.
    CreateExchange,
    /// Revokes the token of an exchange.
    RevokeExchange,
    /// Reads the audit.
    ReadAudit,
}

/// A member of staff and the action that was authorized.
pub type AuthorizedAction = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const KINDS: &'static [&'static str] =
        &["currency", "report", "swap", "tip", "exchange", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    /// A reviewer reads and decides on reports; everything else needs an admin.
    fn needs(self) -> Role {
        match self {
            Self::Look | Self::ApproveReport | Self::RejectReport => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
