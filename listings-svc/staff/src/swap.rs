//! `staff swap …`

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::serde::rfc3339;

use crate::error::Error;
use crate::file_lines::Lines;
use crate::fleet::Fleet;
use crate::output::Output;

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
    fn refuse(&mut self, line: u64, reason: String) {
        self.refused += 1;
        if self.refused_lines.len() < LISTED {
            self.refused_lines.push(RefusedLine { line, reason });
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let Command::Import { file } = command;
    let shown = file.display().to_string();
    let unreadable =
        |error: std::io::Error| Error::usage(format!("{shown} cannot be read: {error}"));
    let mut lines = Lines::new(BufReader::new(File::open(&file).map_err(unreadable)?));
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    let mut report = ImportReport::default();
    let mut batch: Vec<(u64, proto::Swap)> = Vec::new();
    loop {
        let line = lines.read().map_err(unreadable)?;
        let is_last = line.is_none();
        if let Some(line) = line.filter(|line| !line.text.trim().is_empty()) {
            match serde_json::from_str::<Swap>(&line.text) {
                Ok(swap) => batch.push((line.number, swap.into())),
                Err(error) => report.refuse(line.number, error.to_string()),
            }
        }
        if batch.len() == BATCH || (is_last && !batch.is_empty()) {
            let (numbers, swaps): (Vec<u64>, Vec<proto::Swap>) = batch.drain(..).unzip();
            let request = proto::ImportSwapsRequest { swaps };
            let response = economy.import_swaps(request).await?.into_inner();
            report.recorded += response.recorded;
            report.repeated += response.repeated;
            for refused in response.refused {
                let index = usize::try_from(refused.index).unwrap_or(usize::MAX);
                report.refuse(numbers.get(index).copied().unwrap_or(0), refused.reason);
            }
        }
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
