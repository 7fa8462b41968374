//! `staff report …`: held economy reports of games

use std::cell::Cell;
use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;

use crate::arguments::{limit, report_number};
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output, RowList};
use crate::rows;
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the newest held report of each game next to the last counted one, the game that waits longest first
    List {
        /// The slug of a game: list all of its held reports, newest first
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Reports at most
        #[arg(long, default_value = "50", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// List the reports whose supply differs by more than 1 % from the supply before, plus minted, minus burned; newest first
    ListSupply {
        /// Rows at most
        #[arg(long, default_value = "50", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// Approve a held report: it counts, at its own time
    Approve {
        /// The number of the report
        #[arg(value_parser = report_number)]
        report: i64,
        /// Also the older held reports of the game
        #[arg(long)]
        with_older: bool,
        /// The reason, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Reject a held report for good
    Reject {
        /// The number of the report
        #[arg(value_parser = report_number)]
        report: i64,
        /// Also the older held reports of the game
        #[arg(long)]
        with_older: bool,
        /// The reason that the owners of the game read
        #[arg(long)]
        reason: String,
    },
    /// Take back a report that counts: rates and figures, past ones too, are computed without it
    Void {
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
        it.policy_rate.clone().unwrap_or_default()
    }),
    ("naira_per_unit", |it| {
        it.naira_per_unit.clone().unwrap_or_default()
    }),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::List { game, limit } => {
            let read = async |page| {
                let request = proto::ListHeldReportsRequest {
                    game: game.clone(),
                    page: Some(page),
                };
                let response = economy.clone().list_held_reports(request).await?;
                let response = response.into_inner();
                Ok((response.reports, response.next_cursor))
            };
            print_held(rows::read(limit, read).await?, output)
        }
        Command::ListSupply { limit } => print_supply(economy, limit, output).await,
        Command::Approve {
            report,
            with_older,
            reason,
        } => {
            let request = proto::ApproveReportRequest {
                report,
                reason,
                with_older,
            };
            let response = economy.approve_report(request).await?.into_inner();
            print_decision(report, "counts", response.unchanged, response.older, output)
        }
        Command::Reject {
            report,
            with_older,
            reason,
        } => {
            let request = proto::RejectReportRequest {
                report,
                reason,
                with_older,
            };
            let response = economy.reject_report(request).await?.into_inner();
            print_decision(
                report,
                "rejected",
                response.unchanged,
                response.older,
                output,
            )
        }
        Command::Void { report, reason } => {
            let request = proto::VoidReportRequest { report, reason };
            let response = economy.void_report(request).await?.into_inner();
            print_decision(report, "rejected", response.unchanged, 0, output)
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
        if let (true, Some(expected)) = (report.supply_differs, report.supply_expected) {
            output.print(&format!(
                "  The supply differs: the report before leads to {expected}."
            ));
        }
        output.print(&compare(&report, held.last_counted.as_ref()).to_string());
        if held.older > 0 {
            output.print(&format!(
                "  Older reports of this game are held: {}. {} lists them; --with-older decides on them together with this one.",
                held.older,
                command_hint::staff(&format!("report list --game {game}"))
            ));
        }
    }
    Ok(())
}

/// Prints the reports whose supply does not follow from the report before.
async fn print_supply(
    economy: StaffServiceClient<Client>,
    limit: NonZeroUsize,
    output: Output,
) -> Result<(), Error> {
    let total = Cell::new(0);
    let read = async |page| {
        let request = proto::ListSupplyDifferencesRequest { page: Some(page) };
        let response = economy.clone().list_supply_differences(request).await?;
        let response = response.into_inner();
        total.set(response.total);
        Ok((response.reports, response.next_cursor))
    };
    let RowList { rows, more } = rows::read(limit, read).await?;
    let total = total.get();
    let document = serde_json::json!({ "reports": rows, "total": total, "more": more });
    output.answer(&document, || table(&rows, SUPPLY_COLUMNS))
}

const SUPPLY_COLUMNS: &[Column<proto::Report>] = &[
    ("report", |it| it.id.to_string()),
    ("game", |it| it.game.clone()),
    ("at", |it| output::format_time(it.at)),
    ("supply", |it| it.supply.to_string()),
    ("expected", |it| {
        it.supply_expected.unwrap_or_default().to_string()
    }),
];

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

fn print_decision(
    report: i64,
    state: &str,
    unchanged: bool,
    older: u64,
    output: Output,
) -> Result<(), Error> {
    if unchanged {
        output::note(&format!(
            "nothing was changed: the state of report {report} is already `{state}`"
        ));
    }
    let document = serde_json::json!({ "report": report, "state": state, "unchanged": unchanged, "older": older });
    let line = match older {
        0 => format!("{state}: report {report}"),
        older => format!("{state}: report {report}, and older reports of the game: {older}"),
    };
    output.line(&document, &line)
}
