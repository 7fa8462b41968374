//! The actions of staff, and the role that each needs.

use kit::audit;
use kit::rpc::staff::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Reads currencies and held reports.
    Look,
    /// Registers or renames a currency.
    SetCurrency,
    /// Makes a held report count.
    ApproveReport,
    /// Rejects a held report permanently.
    RejectReport,
    /// Books past swaps.
    ImportSwaps,
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
        Self::ReadAudit,
    ];
    const KINDS: &'static [&'static str] = &["currency", "report", "swap", "member"];
    const READ_AUDIT: Self = Self::ReadAudit;

    fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::SetCurrency => "set_currency",
            Self::ApproveReport => "approve_report",
            Self::RejectReport => "reject_report",
            Self::ImportSwaps => "import_swaps",
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
