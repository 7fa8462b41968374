//! `staff tip …`: booked tips of players

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;

use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
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
}

const COLUMNS: &[Column<proto::BookedTip>] = &[
    ("tip", |it| it.id.clone()),
    ("at", |it| output::format_time(it.at)),
    ("game", |it| it.game.clone()),
    ("player", |it| it.player.clone()),
    ("amount", |it| it.amount.to_string()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let economy = StaffServiceClient::new(fleet.economy().await?);
    let Command::List { game, limit } = command;
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
