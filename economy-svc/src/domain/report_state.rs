//! The states of a stored report (§3).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportState {
    /// Rates and figures use it.
    Counted,
    /// It waits for a decision of staff.
    Held,
    /// Staff rejected it while it was held.
    Rejected,
    /// Staff retracted it after it had counted.
    Retracted,
}

impl ReportState {
    /// The state that the columns `counted`, `rejected` and `retracted` stand for. Constraints of
    /// the table allow at most one of them.
    pub const fn from_columns(counted: bool, rejected: bool, retracted: bool) -> Self {
        match (counted, rejected, retracted) {
            (true, ..) => Self::Counted,
            (_, true, _) => Self::Rejected,
            (.., true) => Self::Retracted,
            (false, false, false) => Self::Held,
        }
    }
}
