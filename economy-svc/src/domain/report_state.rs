//! The states of a stored report (§3).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportState {
    /// Rates and figures use it.
    Counted,
    /// It waits for a decision of staff.
    Held,
    /// Staff have decided that it never counts.
    Rejected,
}

impl ReportState {
    /// The state in the columns `counted` and `rejected`, of which a constraint allows one at most.
    pub const fn from_columns(counted: bool, rejected: bool) -> Self {
        match (counted, rejected) {
            (true, _) => Self::Counted,
            (false, true) => Self::Rejected,
            (false, false) => Self::Held,
        }
    }
}
