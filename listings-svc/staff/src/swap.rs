//! `staff swap …`

use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::serde::rfc3339;

use crate::arguments::limit;
use crate::error::Error;
use crate::file_lines::Lines;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

/// Swaps per call.
const BATCH: usize = 1_000;
/// Refused lines in a report at most.
const LISTED: usize = 20;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Import past swaps from a file, one JSON object a line: id, party, from, to, gave, got, at
    ///
    /// A swap that was imported before stays as it is. An interrupted import can therefore be repeated.
    Import { file: PathBuf },
    /// List swaps, newest first
    List {
        /// Only swaps from or to the currency of the game with this slug
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Rows at most
        #[arg(long, default_value = "50", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// Remove swaps that were imported by mistake: rates and figures are computed without them
    Remove {
        /// The ids of the swaps, as `staff swap list` shows them
        #[arg(required = true)]
        swaps: Vec<String>,
        /// The reason, for the record
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Swap {
    id: String,
    party: String,
    from: String,
    to: String,
    gave: u64,
    got: u64,
    #[serde(with = "rfc3339")]
    at: OffsetDateTime,
}

impl From<Swap> for proto::Swap {
    fn from(swap: Swap) -> Self {
        Self {
            id: swap.id,
            party: swap.party,
            from: swap.from,
            to: swap.to,
            gave: swap.gave,
            got: swap.got,
            at: Some(kit::timestamp::encode(swap.at)),
        }
    }
}

/// The result of an import.
#[derive(Debug, Default, Serialize)]
struct ImportReport {
    recorded: u64,
    repeated: u64,
    refused: u64,
    /// The first [`LISTED`] of them.
    refused_lines: Vec<RefusedLine>,
}

#[derive(Debug, Serialize)]
struct RefusedLine {
    line: u64,
    reason: String,
}

impl ImportReport {
    fn refuse(&mut self, lines: &mut Vec<RefusedLine>) {
        self.refused += u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let listed = LISTED - self.refused_lines.len();
        self.refused_lines.extend(lines.drain(..).take(listed));
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::Import { file } => import(&file, economy, output).await,
        Command::List { game, limit } => {
            let read = async |page| {
                let request = proto::ListSwapsRequest {
                    game: game.clone(),
                    page: Some(page),
                };
                let response = economy.clone().list_swaps(request).await?.into_inner();
                Ok((response.swaps, response.next_cursor))
            };
            output.list("swaps", &rows::read(limit, read).await?, COLUMNS)
        }
        Command::Remove { swaps, reason } => {
            let request = proto::RemoveSwapsRequest {
                swaps: swaps.clone(),
                reason,
            };
            let removed = economy.remove_swaps(request).await?.into_inner().removed;
            let missing: Vec<&String> = { swaps.iter() }
                .filter(|id| !removed.contains(id))
                .collect();
            for id in &missing {
                output::note(&format!("there is no swap {id}"));
            }
            let document = serde_json::json!({ "removed": removed, "missing": missing });
            output.line(&document, &format!("removed: {}", removed.len()))
        }
    }
}

const COLUMNS: &[Column<proto::Swap>] = &[
    ("swap", |it| it.id.clone()),
    ("at", |it| output::format_time(it.at)),
    ("party", |it| it.party.clone()),
    ("gave", |it| format!("{} {}", it.gave, it.from)),
    ("got", |it| format!("{} {}", it.got, it.to)),
];

/// Parses a line of the file. Text in another encoding is refused: a damaged party would count as a different party.
fn parse_line(line: &str) -> Result<Swap, String> {
    if line.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        return Err("The file is not in UTF-8: save it as UTF-8.".to_owned());
    }
    serde_json::from_str(line).map_err(|error| error.to_string())
}

async fn import(
    file: &Path,
    mut economy: StaffServiceClient<Client>,
    output: Output,
) -> Result<(), Error> {
    let shown = file.display().to_string();
    let unreadable =
        |error: std::io::Error| Error::usage(format!("{shown} cannot be read: {error}"));
    let mut lines = Lines::new(BufReader::new(File::open(file).map_err(unreadable)?));
    let mut report = ImportReport::default();
    let mut batch: Vec<(u64, proto::Swap)> = Vec::new();
    // The lines of the batch that are refused: a file's lines are listed in their order.
    let mut refused: Vec<RefusedLine> = Vec::new();
    loop {
        let line = lines.read().map_err(unreadable)?;
        let is_last = line.is_none();
        if let Some(line) = line.filter(|line| !line.text.trim().is_empty()) {
            match parse_line(&line.text) {
                Ok(swap) => batch.push((line.number, swap.into())),
                Err(reason) => refused.push(RefusedLine {
                    line: line.number,
                    reason,
                }),
            }
        }
        if !is_last && batch.len() + refused.len() < BATCH {
            continue;
        }
        if !batch.is_empty() {
            let (numbers, swaps): (Vec<u64>, Vec<proto::Swap>) = batch.drain(..).unzip();
            let request = proto::ImportSwapsRequest { swaps };
            let response = economy.import_swaps(request).await?.into_inner();
            report.recorded += response.recorded;
            report.repeated += response.repeated;
            refused.extend(response.refused.into_iter().map(|refused| {
                let index = usize::try_from(refused.index).unwrap_or(usize::MAX);
                RefusedLine {
                    line: numbers.get(index).copied().unwrap_or(0),
                    reason: refused.reason,
                }
            }));
        }
        refused.sort_unstable_by_key(|refused| refused.line);
        report.refuse(&mut refused);
        if is_last {
            break;
        }
    }
    let ImportReport {
        recorded,
        repeated,
        refused,
        refused_lines,
    } = &report;
    output.print(&format!(
        "{shown}: {recorded} recorded, {repeated} recorded before, {refused} refused"
    ));
    for RefusedLine { line, reason } in refused_lines {
        output.print(&format!("  line {line}: {reason}"));
    }
    if output.is_json() {
        output.line(&report, "")?;
    }
    if *refused > 0 && recorded + repeated == 0 {
        return Err(Error::Refused(format!("every line was refused: {shown}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWAP: &str = r#"{"id":"1","party":"Adé","from":"a-game","to":"b-game","gave":1,"got":2,"at":"2026-01-01T00:00:00Z"}"#;

    #[test]
    fn a_file_in_another_encoding_is_named_as_one() {
        assert_eq!(parse_line(SWAP).unwrap().party, "Adé");
        let utf16 = SWAP.encode_utf16().flat_map(u16::to_le_bytes);
        let latin1 = SWAP
            .chars()
            .filter_map(|letter| u8::try_from(u32::from(letter)).ok());
        for file in [utf16.collect::<Vec<u8>>(), latin1.collect()] {
            let reason = parse_line(&String::from_utf8_lossy(&file)).err().unwrap();
            assert!(reason.contains("save it as UTF-8"), "{reason}");
        }
        let reason = parse_line("{}").err().unwrap();
        assert!(reason.contains("missing field"), "{reason}");
    }
}
