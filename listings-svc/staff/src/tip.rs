//! `staff tip …`: booked tips of players

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;

use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::swap::print_reversed;
use crate::table::table;

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

#[derive(Debug, Serialize)]
struct BookedTip {
    tip: String,
    game: String,
    player: String,
    amount: u64,
    note: String,
    at: Option<Timestamp>,
    reversed: Option<Reversal>,
}

/// Who reversed a tip or a swap, and why.
#[derive(Debug, Serialize)]
pub(crate) struct Reversal {
    at: Option<Timestamp>,
    by: String,
    pub(crate) reason: String,
}

impl From<proto::Reversal> for Reversal {
    fn from(reversal: proto::Reversal) -> Self {
        Self {
            at: output::timestamp(reversal.at),
            by: reversal.by,
            reason: reversal.reason,
        }
    }
}

impl From<proto::BookedTip> for BookedTip {
    fn from(tip: proto::BookedTip) -> Self {
        Self {
            tip: tip.id,
            game: tip.game,
            player: tip.player,
            amount: tip.amount,
            note: tip.note,
            at: output::timestamp(tip.at),
            reversed: tip.reversal.map(Reversal::from),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::List { game, limit } => list(economy, game, limit, output).await,
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

async fn list(
    economy: StaffServiceClient<Client>,
    game: String,
    limit: NonZeroUsize,
    output: Output,
) -> Result<(), Error> {
    let read = async |page| {
        let request = proto::ListTipsRequest {
            game: game.clone(),
            page: Some(page),
        };
        let response = economy.clone().list_tips(request).await?.into_inner();
        Ok((response.tips, response.next_cursor))
    };
    let (tips, more) = rows::read(limit, read).await?;
    let tips: Vec<BookedTip> = tips.into_iter().map(BookedTip::from).collect();
    let document = serde_json::json!({ "tips": tips, "more": more });
    output.answer(&document, || {
        let rows = tips.iter().map(|tip| {
            let reversed = tip.reversed.as_ref();
            [
                tip.tip.clone(),
                output::format_time(tip.at.as_ref()),
                tip.game.clone(),
                tip.player.clone(),
                tip.amount.to_string(),
                reversed
                    .map(|reversal| reversal.reason.clone())
                    .unwrap_or_default(),
            ]
        });
        table(["tip", "at", "game", "player", "amount", "reversed"], rows)
    })
}
