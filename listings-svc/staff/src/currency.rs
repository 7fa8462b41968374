//! `staff currency …`

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;

use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Register the currency of a game, or rename it
    Set {
        /// The slug of the game
        game: String,
        /// The name of the currency
        name: String,
    },
    /// List the currencies
    List {
        /// Rows at most
        #[arg(long, default_value = "500", value_parser = limit)]
        limit: NonZeroUsize,
    },
}

const COLUMNS: &[Column<proto::CurrencyName>] = &[
    ("game", |it| it.game.clone()),
    ("currency", |it| it.name.clone()),
    ("since", |it| output::format_time(it.since)),
    ("by", |it| it.given_by.clone()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::Set { game, name } => {
            let request = proto::SetCurrencyRequest { game, name };
            let response = economy.set_currency(request).await?.into_inner();
            if response.unchanged {
                output::note("nothing was changed: the currency already has this name");
            }
            let currency = response.currency.unwrap_or_default();
            let document = serde_json::json!({ "currency": currency });
            output.answer(&document, || table(&[currency], COLUMNS))
        }
        Command::List { limit } => {
            let read = async |page| {
                let request = proto::ListCurrencyNamesRequest { page: Some(page) };
                let response = economy.clone().list_currency_names(request).await?;
                let response = response.into_inner();
                Ok((response.currencies, response.next_cursor))
            };
            output.list("currencies", &rows::read(limit, read).await?, COLUMNS)
        }
    }
}
