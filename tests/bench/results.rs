//! The figures of a benchmark. Each is printed at once, and all are written to `results.csv` when the benchmark ends.
//!
//! A row of the file replaces the earlier row with the same name and measure; all other rows stay.

use std::fs;
use std::path::{Path, PathBuf};

use kit::Clock;

use crate::side::median;

#[derive(Debug)]
pub(crate) struct Report {
    /// The argument on the command line, such as `catalogue`.
    name: String,
    date: String,
    rows: Vec<Row>,
}

/// A subject, and the limit that its figure must meet.
#[derive(Debug, Clone)]
pub(crate) struct Measure {
    what: String,
    required: &'static str,
}

impl Measure {
    /// A measure without a limit. A reader who sees only `what` must understand it.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), required: "" }
    }

    pub(crate) fn required(self, required: &'static str) -> Self {
        Self { required, ..self }
    }

    /// The same subject and limit, with a unit.
    pub(crate) fn in_unit(&self, unit: &str) -> Self {
        Self::new(format!("{}; {unit}", self.what)).required(self.required)
    }
}

/// A row of the file: name, measure, required limit, figure, range, details and date.
type Row = [String; 7];

impl Report {
    pub(crate) fn new(name: &str) -> Self {
        // Fail before the benchmark, not after it, if the file is not there.
        assert!(path().exists());
        Self {
            name: name.to_owned(),
            date: Clock::system().now().date().to_string(),
            rows: Vec::new(),
        }
    }

    /// Adds a figure from a single run.
    pub(crate) fn figure(&mut self, measure: Measure, figure: impl Into<String>, details: &str) {
        self.add(measure, [figure.into(), String::new(), details.to_owned()]);
    }

    /// Adds the median of the rounds' ratios, with their range.
    pub(crate) fn ratio(&mut self, measure: Measure, ratios: &[f64], details: &str) {
        self.median(measure, ratios, 2, details);
    }

    /// Adds the median of the rounds, with their range, all with so many decimals.
    pub(crate) fn median(
        &mut self,
        measure: Measure,
        rounds: &[f64],
        decimals: usize,
        details: &str,
    ) {
        let extreme = |pick: fn(f64, f64) -> f64| rounds.iter().copied().reduce(pick).unwrap();
        let (least, most) = (extreme(f64::min), extreme(f64::max));
        let figure = format!("{:.decimals$}", median(rounds, |round| *round));
        let range = format!("{least:.decimals$}–{most:.decimals$}");
        self.add(measure, [figure, range, details.to_owned()]);
    }

    fn add(&mut self, measure: Measure, [figure, range, details]: [String; 3]) {
        let Measure { what, required } = measure;
        let limit = Some(required).filter(|limit| !limit.is_empty());
        let limit = limit.map_or_else(String::new, |limit| format!(", required {limit}"));
        let rounds = Some(&range)
            .filter(|range| !range.is_empty())
            .map_or_else(String::new, |range| format!(" ({range})"));
        println!("{what}: {figure}{rounds}{limit}");
        if !details.is_empty() {
            println!("    {details}");
        }
        let (name, date) = (self.name.clone(), self.date.clone());
        self.rows.push([name, what, required.to_owned(), figure, range, details, date]);
    }

    pub(crate) fn save(self) {
        let path = path();
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        for row in self.rows {
            // The name and the measure.
            let key = line(&row[..2]) + ",";
            if let Some(earlier) = lines.iter_mut().find(|line| line.starts_with(&key)) {
                *earlier = line(&row);
            } else {
                // After the other rows of this benchmark.
                let name = format!("{},", row[0]);
                let last = lines.iter().rposition(|line| line.starts_with(&name));
                lines.insert(last.map_or(lines.len(), |last| last + 1), line(&row));
            }
        }
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        println!("{} has these figures", path.display());
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/results.csv")
}

/// A line of CSV (RFC 4180): fields with a comma or a quote are quoted. No field has a line break.
fn line(row: &[String]) -> String {
    let fields = row.iter().map(|field| {
        if field.contains([',', '"']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.clone()
        }
    });
    fields.collect::<Vec<_>>().join(",")
}
