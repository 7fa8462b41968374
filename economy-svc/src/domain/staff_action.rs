//! The actions of staff, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Reads currencies, reports and the ledger.
    Look,
    /// Registers or renames a currency.
    SetCurrency,
    /// Makes a held report count.
    ApproveReport,
    /// Rejects a held report permanently.
    RejectReport,
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

/// A member of staff and their action.
pub type By = audit::AuthorizedAction<Action>;

impl audit::Action for Action {
    const ALL: &'static [Self] = &[
        Self::Look,
        Self::SetCurrency,
        Self::ApproveReport,
        Self::RejectReport,
        Self::ImportSwaps,
        Self::ReverseTip,
        Self::ReverseSwap,
        Self::CreateExchange,
        Self::RevokeExchange,
        Self::ReadAudit,
    ];
    const KINDS: &'static [&'static str] =
        &["currency", "report", "swap", "tip", "exchange", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::SetCurrency => "set_currency",
            Self::ApproveReport => "approve_report",
            Self::RejectReport => "reject_report",
            Self::ImportSwaps => "import_swaps",
            Self::ReverseTip => "reverse_tip",
            Self::ReverseSwap => "reverse_swap",
            Self::CreateExchange => "create_exchange",
            Self::RevokeExchange => "revoke_exchange",
            Self::ReadAudit => "read_audit",
        }
    }

    /// A reviewer reads and decides on reports; everything else needs an admin.
    fn needs(self) -> Role {
        match self {
            Self::Look | Self::ApproveReport | Self::RejectReport => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
