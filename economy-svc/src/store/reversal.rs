//! The reversal of a tip or a swap.

use time::OffsetDateTime;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    pub at: OffsetDateTime,
    /// A member of the staff.
    pub by: String,
    pub reason: String,
}

/// The [`Reversal`] in a row. Each checked query has its own row type; a macro serves them all.
macro_rules! reversal_of_row {
    ($row:expr) => {
        match ($row.reversed_at, $row.reversed_by, $row.reversal_reason) {
            (Some(at), Some(by), Some(reason)) => {
                Some($crate::store::reversal::Reversal { at, by, reason })
            }
            _ => None,
        }
    };
}
pub(super) use reversal_of_row;
