//! What an import did.

use crate::domain::fields::Problems;

/// Rows of each outcome that a report lists; the rest are only counted.
const MAX_REPORTED: usize = 10_000;

/// A row that a report lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedRow {
    /// Line number, from 1.
    pub line: u64,
    /// Empty when the row has none.
    pub name: String,
    /// Field to the reason, or to the change.
    pub fields: Problems,
}

/// The outcome of an import, or of a part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub counts: Counts,
    pub refused: Vec<ReportedRow>,
    /// Rows with fields that keep their values, because they were changed since the last import.
    pub kept: Vec<ReportedRow>,
    /// For a dry run: the rows that change something. A row without fields creates its record.
    pub changed: Vec<ReportedRow>,
}

/// Number of rows by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub refused: u64,
    /// Rows, counted above, that leave a field as it is because it was changed since the last import.
    pub kept: u64,
}

impl Report {
    /// Adds the report on the next rows.
    pub(super) fn append(&mut self, next: Self) {
        self.counts.created += next.counts.created;
        self.counts.updated += next.counts.updated;
        self.counts.unchanged += next.counts.unchanged;
        self.counts.refused += next.counts.refused;
        self.counts.kept += next.counts.kept;
        for (rows, next) in [
            (&mut self.refused, next.refused),
            (&mut self.kept, next.kept),
            (&mut self.changed, next.changed),
        ] {
            let rest = MAX_REPORTED.saturating_sub(rows.len());
            rows.extend(next.into_iter().take(rest));
        }
    }
}
