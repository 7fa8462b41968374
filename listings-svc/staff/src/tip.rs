//! `staff tip …`: booked tips of players

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;

use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::reversal::{print_reversed, reversal_reason};
use crate::rows;
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List tips, newest first
    List {
        /// Only tips of the game with this slug
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Rows at most
        #[arg(long, default_value = "50", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// Reverse a tip: counter-entries in the ledger; the tip stays in the list
    Reverse {
        /// The id of the tip, as `staff tip list` shows it
        tip: String,
        /// The reason, for the record
        #[arg(long)]
        reason: String,
    },
}

const COLUMNS: &[Column<proto::BookedTip>] = &[
    ("tip", |it| it.id.clone()),
    ("at", |it| output::format_time(it.at)),
    ("game", |it| it.game.clone()),
    ("player", |it| it.player.clone()),
    ("amount", |it| it.amount.to_string()),
    ("reversed", |it| reversal_reason(it.reversal.as_ref())),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::List { game, limit } => {
            let read = async |page| {
                let request = proto::ListTipsRequest {
                    game: game.clone(),
                    page: Some(page),
                };
                let response = economy.clone().list_tips(request).await?.into_inner();
                Ok((response.tips, response.next_cursor))
            };
            output.list("tips", &rows::read(limit, read).await?, COLUMNS)
        }
        Command::Reverse { tip, reason } => {
            let request = proto::ReverseTipRequest {
                tip: tip.clone(),
                reason,
            };
            let response = economy.reverse_tip(request).await?.into_inner();
            print_reversed("tip", &tip, response.unchanged, output)
        }
    }
}
