//! What an import did, as staff read it.

use contracts::listings::v1::{ImportResponse, ImportedRow};

use crate::domain::field_reader::Problems;

/// Rows of each outcome that a report lists; the rest are only counted.
const MAX_REPORTED: usize = 10_000;

/// A refused row: its line, its name, which is empty when it has none, and the reasons by field.
pub(super) fn reported_row(line: u64, name: &str, fields: Problems) -> ImportedRow {
    ImportedRow { line, name: name.to_owned(), fields: fields.into_iter().collect() }
}

/// Adds refused rows to a report.
pub(super) fn refuse(report: &mut ImportResponse, rows: Vec<ImportedRow>) {
    let refused_count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    append(report, ImportResponse { refused: rows, refused_count, ..ImportResponse::default() });
}

/// Whether a file had any rows.
pub fn has_rows(report: &ImportResponse) -> bool {
    report.created + report.updated + report.unchanged + report.refused_count > 0
}

/// Adds the report on the next rows.
pub(super) fn append(report: &mut ImportResponse, next: ImportResponse) {
    report.created += next.created;
    report.updated += next.updated;
    report.unchanged += next.unchanged;
    report.refused_count += next.refused_count;
    for (rows, next) in [(&mut report.refused, next.refused), (&mut report.existing, next.existing)]
    {
        let rest = MAX_REPORTED.saturating_sub(rows.len());
        rows.extend(next.into_iter().take(rest));
    }
}
