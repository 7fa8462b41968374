//! What staff do with the economy, and the role that each action needs.

use kit::audit;
use kit::rpc::staff::Role;

/// What a call of staff does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Reads currencies and held reports.
    Look,
    /// Registers or renames a currency.
    SetCurrency,
    /// Lets a held report count.
    ApproveReport,
    /// Refuses a held report for good.
    RejectReport,
    /// Books swaps of the past.
    ImportSwaps,
    /// Reads what others did.
    ReadAudit,
}

/// A member of staff, and what they do here.
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

    /// A reviewer looks and decides, an admin does the rest.
    fn needs(self) -> Role {
        match self {
            Self::Look | Self::ApproveReport | Self::RejectReport => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}
