//! `staff import …`

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use serde::Serialize;

use super::fleet::Fleet;
use super::output::Output;
use super::problem::Problem;
use super::upload;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files with one JSON object a line. They are loaded in the order in which they refer to each other, whatever order they are
    /// named in
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// What the rows are [default: told by how the file's name begins: genres, countries, cities, creators, games or events]
    #[arg(long)]
    kind: Option<Kind>,
    /// Real listings or samples
    #[arg(long, default_value = "live")]
    mode: Mode,
    /// Tell the world of what is published (webhooks)
    #[arg(long)]
    announce: bool,
}

/// What the rows of a file are; each comes after those it refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Kind {
    Genre,
    Country,
    City,
    #[value(alias = "creator")]
    Page,
    Game,
    Event,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    Live,
    Test,
}

impl Kind {
    /// How names of files of this kind begin.
    const BEGINNINGS: [(&'static str, Self); 7] = [
        ("genres", Self::Genre),
        ("countries", Self::Country),
        ("cities", Self::City),
        ("creators", Self::Page),
        ("pages", Self::Page),
        ("games", Self::Game),
        ("events", Self::Event),
    ];

    fn of_file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let (_, kind) = Self::BEGINNINGS
            .into_iter()
            .find(|(beginning, _)| name.starts_with(beginning))?;
        Some(kind)
    }

    const fn entity(self) -> &'static str {
        match self {
            Self::Genre => "genre",
            Self::Country => "country",
            Self::City => "city",
            Self::Page => "page",
            Self::Game => "game",
            Self::Event => "event",
        }
    }
}

/// What came of a file.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    kind: &'static str,
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: u64,
    /// The first of them.
    refused_rows: Vec<RefusedRow>,
}

#[derive(Debug, Serialize)]
struct RefusedRow {
    line: u64,
    name: String,
    fields: BTreeMap<String, String>,
}

impl fmt::Display for RefusedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        f.write_str(":")?;
        for (field, reason) in &self.fields {
            // What is wrong with the row as a whole is under no field's name.
            match field.as_str() {
                "row" => write!(f, " {reason}")?,
                field => write!(f, " {field}: {reason}")?,
            }
        }
        Ok(())
    }
}

impl Report {
    fn new(path: &Path, kind: Kind, answer: proto::ImportResponse) -> Self {
        Self {
            file: path.display().to_string(),
            kind: kind.entity(),
            created: answer.created,
            updated: answer.updated,
            unchanged: answer.unchanged,
            refused: answer.refused_count,
            refused_rows: answer
                .refused
                .into_iter()
                .map(|row| RefusedRow {
                    line: row.line,
                    name: row.name,
                    fields: row.fields.into_iter().collect(),
                })
                .collect(),
        }
    }

    /// Whether nothing of the file was loaded, for every row was refused.
    const fn is_refused(&self) -> bool {
        self.refused > 0 && self.created + self.updated + self.unchanged == 0
    }

    fn say(&self, output: Output) {
        let Self {
            file,
            created,
            updated,
            unchanged,
            refused,
            ..
        } = self;
        output.say(&format!(
            "{file}: {created} created, {updated} updated, {unchanged} unchanged, {refused} refused"
        ));
        for row in &self.refused_rows {
            output.say(&format!("  {row}"));
        }
        let listed = u64::try_from(self.refused_rows.len()).unwrap_or(u64::MAX);
        if *refused > listed {
            output.say(&format!("  and {} more", refused - listed));
        }
    }
}

pub(crate) async fn run(import: Import, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut files = Vec::new();
    for path in import.files {
        let kind = import.kind.or_else(|| Kind::of_file(&path));
        let kind = kind.ok_or_else(|| of_no_kind(&path))?;
        files.push((kind, path));
    }
    files.sort_by_key(|(kind, _)| *kind);

    let mode = match import.mode {
        Mode::Live => common::Mode::Live,
        Mode::Test => common::Mode::Test,
    };
    let mut reports = Vec::new();
    for (kind, path) in files {
        let header = proto::ImportHeader {
            entity: kind.entity().to_owned(),
            mode: mode.into(),
            file_name: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            announce: import.announce,
            ..proto::ImportHeader::default()
        };
        let answer = upload::upload(fleet, &path, header).await?;
        let report = Report::new(&path, kind, answer);
        report.say(output);
        reports.push(report);
    }
    if output.is_json() {
        output.line(&serde_json::json!({ "files": reports }), "")?;
    }
    let refused = reports.iter().filter(|report| report.is_refused());
    let refused: Vec<&str> = refused.map(|report| report.file.as_str()).collect();
    if refused.is_empty() {
        return Ok(());
    }
    Err(Problem::Refused(format!(
        "every row was refused: {}",
        refused.join(", ")
    )))
}

/// Why it is not known what a file holds.
fn of_no_kind(path: &Path) -> Problem {
    let shown = path.display();
    Problem::usage(if path.exists() {
        format!("the name of {shown} does not show what it holds: say it with --kind")
    } else {
        format!("{shown} is not there")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_shows_in_the_name() {
        for (name, kind) in [
            ("data/games.ndjson", Some(Kind::Game)),
            ("games-without-year.ndjson", Some(Kind::Game)),
            ("Creators.ndjson", Some(Kind::Page)),
            ("my-games.ndjson", None),
        ] {
            assert_eq!(Kind::of_file(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn a_file_of_no_kind_is_told_apart_from_one_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("rows.ndjson");
        std::fs::write(&there, "").unwrap();
        let problem = of_no_kind(&there).to_string();
        assert!(problem.contains("say it with --kind"), "{problem}");
        let problem = of_no_kind(&folder.path().join("nowhere.ndjson")).to_string();
        assert!(problem.ends_with("is not there"), "{problem}");
    }

    #[test]
    fn a_file_is_refused_when_all_its_rows_are() {
        for ([created, updated, unchanged, refused_count], expected) in [
            ([0, 0, 0, 9], true),
            ([1, 0, 0, 9], false),
            ([0, 1, 0, 9], false),
            // Loaded before.
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
            let report = Report::new(Path::new("games.ndjson"), Kind::Game, answer);
            assert_eq!(report.is_refused(), expected, "{report:?}");
        }
    }

    #[test]
    fn a_refused_row_is_told_by_its_line_and_its_name_if_it_has_one() {
        let row = |name: &str, fields: &[(&str, &str)]| RefusedRow {
            line: 7,
            name: name.to_owned(),
            fields: fields
                .iter()
                .map(|(f, r)| ((*f).to_owned(), (*r).to_owned()))
                .collect(),
        };
        for (row, expected) in [
            (
                row("", &[("row", "This is not JSON.")]),
                "line 7: This is not JSON.",
            ),
            (
                row("bao", &[("stage", "Bad."), ("title", "Give one.")]),
                "line 7 bao: stage: Bad. title: Give one.",
            ),
        ] {
            assert_eq!(row.to_string(), expected);
        }
    }
}
