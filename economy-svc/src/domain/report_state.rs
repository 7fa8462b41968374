//! The states of a stored report (§3).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportState {
    /// Rates and figures use it.
    Counted,
    /// It waits for a decision of staff.
    Held,
    /// Rejected while held, or retracted after it counted.
    Rejected,
}

impl ReportState {
    /// The state that the columns `counted` and `rejected` stand for. A constraint of the table forbids both at once.
    pub const fn from_columns(counted: bool, rejected: bool) -> Self {
        match (counted, rejected) {
            (true, _) => Self::Counted,
            (false, true) => Self::Rejected,
            (false, false) => Self::Held,
        }
    }
}
