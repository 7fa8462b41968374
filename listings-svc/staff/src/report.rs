//! `staff report …`: held economy reports of games

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::arguments::report_number;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the held reports, oldest first, each next to the last counted one
    List,
    /// Approve a held report: it counts, at its own time
    Approve {
        /// The number of the report
        #[arg(value_parser = report_number)]
        report: i64,
        /// The reason, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Reject a held report for good
    Reject {
        /// The number of the report
        #[arg(value_parser = report_number)]
        report: i64,
        /// The reason, for the record
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Serialize)]
struct HeldReport {
    held: String,
    report: Report,
    last_counted: Option<Report>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
struct Report {
    report: i64,
    game: String,
    currency: String,
    at: Option<Timestamp>,
    figures: Vec<Figure>,
}

#[derive(Debug, Serialize)]
struct Figure {
    name: &'static str,
    value: Option<String>,
}

impl From<proto::Report> for Report {
    fn from(report: proto::Report) -> Self {
        let whole = [
            ("supply", report.supply),
            ("minted", report.minted),
            ("burned", report.burned),
            ("meal", report.meal),
            ("ride", report.ride),
            ("wage", report.wage),
            ("rent", report.rent),
            ("cost", report.cost),
            ("output", report.output),
            ("active_players", report.active_players),
        ];
        let whole = whole.map(|(name, value)| Figure {
            name,
            value: Some(value.to_string()),
        });
        let decimal = [
            ("policy_rate", report.policy_rate),
            ("naira_per_unit", report.naira_per_unit),
        ];
        let decimal = decimal.map(|(name, value)| Figure { name, value });
        Self {
            report: report.id,
            game: report.game,
            currency: report.currency,
            at: output::timestamp(report.at),
            figures: whole.into_iter().chain(decimal).collect(),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::List => {
            let request = proto::ListHeldReportsRequest {};
            let response = economy.list_held_reports(request).await?.into_inner();
            print_held(response.reports, output)
        }
        Command::Approve { report, reason } => {
            let request = proto::ApproveReportRequest { report, reason };
            let response = economy.approve_report(request).await?.into_inner();
            print_decision(report, "counts", response.unchanged, output)
        }
        Command::Reject { report, reason } => {
            let request = proto::RejectReportRequest { report, reason };
            let response = economy.reject_report(request).await?.into_inner();
            print_decision(report, "rejected", response.unchanged, output)
        }
    }
}

fn print_held(reports: Vec<proto::HeldReport>, output: Output) -> Result<(), Error> {
    let reports: Vec<HeldReport> = (reports.into_iter())
        .map(|held| HeldReport {
            held: held.held,
            report: held.report.unwrap_or_default().into(),
            last_counted: held.last_counted.map(Report::from),
        })
        .collect();
    if output.is_json() {
        return output.line(&serde_json::json!({ "reports": reports }), "");
    }
    if reports.is_empty() {
        output.print("no report is held");
    }
    for held in &reports {
        let Report {
            report,
            game,
            currency,
            at,
            ..
        } = &held.report;
        let at = output::format_time(at.as_ref());
        output.print(&format!("report {report} of {game} ({currency}), {at}"));
        output.print(&format!("  {}", held.held));
        output.print(&compare(held).to_string());
    }
    Ok(())
}

/// The figures of a held report next to those of the last counted one.
fn compare(held: &HeldReport) -> comfy_table::Table {
    let before = held.last_counted.as_ref();
    let rows = held.report.figures.iter().enumerate().map(|(at, figure)| {
        let earlier = before.and_then(|report| report.figures.get(at)?.value.clone());
        let now = figure.value.clone().unwrap_or_default();
        [figure.name.to_owned(), earlier.unwrap_or_default(), now]
    });
    table(["figure", "last counted", "held"], rows)
}

fn print_decision(report: i64, state: &str, unchanged: bool, output: Output) -> Result<(), Error> {
    if unchanged {
        output::note(&format!(
            "nothing was changed: the state of report {report} is already `{state}`"
        ));
    }
    let document = serde_json::json!({ "report": report, "state": state, "unchanged": unchanged });
    output.line(&document, &format!("{state}: report {report}"))
}
