//! `staff report …`: held economy reports of games

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;

use crate::arguments::{limit, report_number};
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output, RowList};
use crate::rows;
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the held reports next to the last counted ones, the oldest first
    List {
        /// Reports at most
        #[arg(long, default_value = "50", value_parser = limit)]
        limit: NonZeroUsize,
    },
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
        /// The reason that the owners of the game read
        #[arg(long)]
        reason: String,
    },
}

/// The name of a figure, and its text in a report.
type Figure = (&'static str, fn(&proto::Report) -> String);

/// The figures of a report.
const FIGURES: [Figure; 12] = [
    ("supply", |it| it.supply.to_string()),
    ("minted", |it| it.minted.to_string()),
    ("burned", |it| it.burned.to_string()),
    ("meal", |it| it.meal.to_string()),
    ("ride", |it| it.ride.to_string()),
    ("wage", |it| it.wage.to_string()),
    ("rent", |it| it.rent.to_string()),
    ("cost", |it| it.cost.to_string()),
    ("output", |it| it.output.to_string()),
    ("active_players", |it| it.active_players.to_string()),
    ("policy_rate", |it| {
        it.policy_rate
            .map_or_else(String::new, |rate| rate.to_string())
    }),
    ("naira_per_unit", |it| {
        it.naira_per_unit
            .map_or_else(String::new, |price| price.to_string())
    }),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::List { limit } => {
            let read = async |page| {
                let request = proto::ListHeldReportsRequest { page: Some(page) };
                let response = economy.clone().list_held_reports(request).await?;
                let response = response.into_inner();
                Ok((response.reports, response.next_cursor))
            };
            print_held(rows::read(limit, read).await?, output)
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

fn print_held(list: RowList<proto::HeldReport>, output: Output) -> Result<(), Error> {
    let RowList { rows, more } = list;
    if output.is_json() {
        return output.line(&serde_json::json!({ "reports": rows, "more": more }), "");
    }
    if rows.is_empty() {
        output.print("no report is held");
    }
    for held in rows {
        let report = held.report.unwrap_or_default();
        let at = output::format_time(report.at);
        let proto::Report {
            id, game, currency, ..
        } = &report;
        output.print(&format!("report {id} of {game} ({currency}), {at}"));
        output.print(&format!("  {}", held.held));
        output.print(&compare(&report, held.last_counted.as_ref()).to_string());
    }
    Ok(())
}

/// The figures of a held report next to those of the last counted one.
fn compare(held: &proto::Report, before: Option<&proto::Report>) -> comfy_table::Table {
    let rows = FIGURES.map(|(name, figure)| {
        let earlier = before.map(figure).unwrap_or_default();
        [name.to_owned(), earlier, figure(held)]
    });
    let columns: [Column<[String; 3]>; 3] = [
        ("figure", |[name, _, _]| name.clone()),
        ("last counted", |[_, earlier, _]| earlier.clone()),
        ("held", |[_, _, now]| now.clone()),
    ];
    table(&rows, &columns)
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
