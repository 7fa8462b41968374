//! `staff listing import`

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use contracts::listings::v1 as proto;
use serde_json::json;
use strum::IntoStaticStr;

use super::name::ListingMode;
use super::upload;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files with one JSON object a line, in any order: files that others refer to are imported first
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The kind of the rows [default: from the beginning of the file's name: creators or pages, games, events]
    #[arg(long)]
    kind: Option<RowKind>,
    /// Real listings or samples
    #[arg(long, default_value = "live")]
    mode: ListingMode,
}

/// The kind of the rows of a file. Each kind comes after the kinds that it refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum RowKind {
    Page,
    Game,
    Event,
}

impl RowKind {
    /// Beginnings of file names.
    const PREFIXES: [(&'static str, Self); 4] = [
        ("creators", Self::Page),
        ("pages", Self::Page),
        ("games", Self::Game),
        ("events", Self::Event),
    ];

    fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let (_, kind) = Self::PREFIXES.into_iter().find(|(prefix, _)| name.starts_with(prefix))?;
        Some(kind)
    }

    fn entity(self) -> &'static str {
        self.into()
    }
}

/// The result of importing a file.
#[derive(Debug)]
pub(crate) struct FileReport {
    file: String,
    kind: &'static str,
    response: proto::ImportResponse,
}

/// A line of a report.
struct RowLine<'r>(&'r proto::ImportedRow);

impl fmt::Display for RowLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(row) = self;
        write!(f, "line {}", row.line)?;
        if !row.name.is_empty() {
            write!(f, " {}", row.name)?;
        }
        f.write_str(":")?;
        for (field, reason) in row.fields.iter().collect::<BTreeMap<_, _>>() {
            // The service reports a problem of the whole row under `row`.
            match field.as_str() {
                "row" => write!(f, " {reason}")?,
                field => write!(f, " {field}: {reason}")?,
            }
        }
        Ok(())
    }
}

impl FileReport {
    fn new(path: &Path, kind: RowKind, response: proto::ImportResponse) -> Self {
        Self { file: path.display().to_string(), kind: kind.entity(), response }
    }

    pub(crate) fn document(&self) -> serde_json::Value {
        let Self { file, kind, response } = self;
        let rows = |rows: &[proto::ImportedRow]| {
            let rows = rows.iter();
            let rows =
                rows.map(|it| json!({"line": it.line, "name": it.name, "fields": it.fields}));
            rows.collect::<serde_json::Value>()
        };
        json!({
            "file": file,
            "kind": kind,
            "created": response.created,
            "updated": response.updated,
            "unchanged": response.unchanged,
            "refused": response.refused_count,
            "refused_rows": rows(&response.refused),
            "existing_rows": rows(&response.existing),
        })
    }

    /// Whether every row of the file was refused.
    const fn is_refused(&self) -> bool {
        let report = &self.response;
        report.refused_count > 0 && report.created + report.updated + report.unchanged == 0
    }

    fn print(&self, output: Output) {
        let report = &self.response;
        output.print(&format!(
            "{}: {} created, {} replaced, {} exist and stay as they are, {} refused",
            self.file, report.created, report.updated, report.unchanged, report.refused_count
        ));
        for row in &report.refused {
            output.print(&format!("  {}", RowLine(row)));
        }
        let listed = u64::try_from(report.refused.len()).unwrap_or(u64::MAX);
        if report.refused_count > listed {
            output.print(&format!("  and {} more", report.refused_count - listed));
        }
        // The same file, imported again, creates nothing: a list of all its rows would say nothing new.
        if report.created > 0 {
            for row in &report.existing {
                output.print(&format!("  line {} {} exists", row.line, row.name));
            }
        }
    }
}

pub(crate) async fn run(import: Import, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut reports = Vec::new();
    let imported = import_files(&import, fleet, output, &mut reports).await;
    // Also after an error: what was imported stays.
    if output.is_json() && (imported.is_ok() || !reports.is_empty()) {
        let files: Vec<_> = reports.iter().map(FileReport::document).collect();
        output.line(&json!({ "files": files }), "")?;
    }
    imported?;
    let refused: Vec<&str> = reports
        .iter()
        .filter(|report| report.is_refused())
        .map(|report| report.file.as_str())
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    Err(Error::Refused(format!("every row was refused: {}", refused.join(", "))))
}

/// Imports real listings; returns a report on each file. It is no error if rows are refused.
pub(crate) async fn live(
    files: Vec<PathBuf>,
    fleet: &Fleet,
    output: Output,
) -> Result<Vec<FileReport>, Error> {
    let import = Import { files, kind: None, mode: ListingMode::Live };
    let mut reports = Vec::new();
    import_files(&import, fleet, output, &mut reports).await?;
    Ok(reports)
}

/// Adds a report for each file that was imported.
async fn import_files(
    import: &Import,
    fleet: &Fleet,
    output: Output,
    reports: &mut Vec<FileReport>,
) -> Result<(), Error> {
    let mut files = Vec::new();
    for path in &import.files {
        let kind = import.kind.or_else(|| RowKind::from_path(path));
        files.push((kind.ok_or_else(|| unknown_kind(path))?, path));
    }
    files.sort_by_key(|(kind, _)| *kind);
    for (kind, path) in files {
        let header = proto::ImportHeader {
            entity: kind.entity().to_owned(),
            mode: import.mode.into(),
            file_name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let response = upload::upload(fleet, path, header).await;
        let response = response.map_err(|error| error.preceded_by(&path.display().to_string()))?;
        let report = FileReport::new(path, kind, response);
        report.print(output);
        reports.push(report);
    }
    Ok(())
}

/// The error for a file whose name does not tell its kind.
fn unknown_kind(path: &Path) -> Error {
    let shown = path.display();
    Error::usage(if path.exists() {
        format!("the name of {shown} does not tell the kind of its rows: give --kind")
    } else {
        format!("{shown} does not exist")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_taken_from_the_file_name() {
        for (name, kind) in [
            ("data/games.ndjson", Some(RowKind::Game)),
            ("games-without-year.ndjson", Some(RowKind::Game)),
            ("Creators.ndjson", Some(RowKind::Page)),
            ("my-games.ndjson", None),
        ] {
            assert_eq!(RowKind::from_path(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn a_missing_file_and_a_file_of_unknown_kind_have_their_own_messages() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("rows.ndjson");
        std::fs::write(&there, "").unwrap();
        let error = unknown_kind(&there).to_string();
        assert!(error.contains("give --kind"), "{error}");
        let error = unknown_kind(&folder.path().join("nowhere.ndjson")).to_string();
        assert!(error.ends_with("does not exist"), "{error}");
    }

    #[test]
    fn a_file_counts_as_refused_when_every_row_is() {
        for ([created, updated, unchanged, refused_count], expected) in [
            ([0, 0, 0, 9], true),
            ([1, 0, 0, 9], false),
            ([0, 1, 0, 9], false),
            // The row exists already.
            ([0, 0, 1, 9], false),
            ([0, 0, 0, 0], false),
        ] {
            let answer = proto::ImportResponse {
                created,
                updated,
                unchanged,
                refused_count,
                ..proto::ImportResponse::default()
            };
            let report = FileReport::new(Path::new("games.ndjson"), RowKind::Game, answer);
            assert_eq!(report.is_refused(), expected, "{report:?}");
        }
    }

    #[test]
    fn a_refused_row_is_shown_with_its_line_and_name() {
        let row = |name: &str, fields: &[(&str, &str)]| proto::ImportedRow {
            line: 7,
            name: name.to_owned(),
            fields: fields.iter().map(|(f, r)| ((*f).to_owned(), (*r).to_owned())).collect(),
        };
        for (row, expected) in [
            (row("", &[("row", "This is not JSON.")]), "line 7: This is not JSON."),
            (
                row("bao", &[("stage", "Bad."), ("title", "Give one.")]),
                "line 7 bao: stage: Bad. title: Give one.",
            ),
        ] {
            assert_eq!(RowLine(&row).to_string(), expected);
        }
    }
}
