//! `staff currency …`

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;

use crate::arguments::limit;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output, RowList};
use crate::rows;
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Register the currency of a game, or rename it; its history is kept
    Set {
        /// The slug of the game
        game: String,
        /// The name of the currency
        name: String,
    },
    /// List the currencies with their present and former names, newest first
    List {
        /// Names at most
        #[arg(long, default_value = "500", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// List the balances of a currency's accounts: players, the maker, exchanges and their parties
    ListBalances {
        /// The slug of the game
        game: String,
        /// Rows at most
        #[arg(long, default_value = "50", value_parser = limit)]
        limit: NonZeroUsize,
    },
}

const BALANCE_COLUMNS: &[Column<proto::Balance>] = &[
    ("exchange", |it| it.exchange.clone()),
    ("kind", |it| it.kind.clone()),
    ("holder", |it| it.holder.clone()),
    ("units", |it| it.units.clone()),
];

/// A name, with the slug of the game.
type NameOfGame = (String, proto::CurrencyName);

const NAME_COLUMNS: &[Column<NameOfGame>] = &[
    ("game", |(game, _)| game.clone()),
    ("currency", |(_, it)| it.name.clone()),
    ("since", |(_, it)| output::format_time(it.since)),
    ("by", |(_, it)| it.given_by.clone()),
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
            output.answer(&document, || table(&names(currency), NAME_COLUMNS))
        }
        Command::List { limit } => list(economy, limit, output).await,
        Command::ListBalances { game, limit } => {
            let read = async |page| {
                let request = proto::ListBalancesRequest {
                    game: game.clone(),
                    page: Some(page),
                };
                let response = economy.clone().list_account_balances(request).await?;
                let response = response.into_inner();
                Ok((response.balances, response.next_cursor))
            };
            output.list("balances", &rows::read(limit, read).await?, BALANCE_COLUMNS)
        }
    }
}

async fn list(
    economy: StaffServiceClient<Client>,
    limit: NonZeroUsize,
    output: Output,
) -> Result<(), Error> {
    // A row is a name: a page may end between two names of a currency.
    let read = async |page| {
        let request = proto::ListCurrencyNamesRequest { page: Some(page) };
        let response = economy.clone().list_currency_names(request).await?;
        let response = response.into_inner();
        let names = response.currencies.into_iter().flat_map(names);
        Ok((names.collect(), response.next_cursor))
    };
    let RowList { rows, more } = rows::read(limit, read).await?;
    let mut currencies: Vec<proto::CurrencyNames> = Vec::new();
    for (game, name) in &rows {
        match currencies.last_mut() {
            Some(currency) if currency.game == *game => currency.names.push(name.clone()),
            _ => currencies.push(proto::CurrencyNames {
                game: game.clone(),
                names: vec![name.clone()],
            }),
        }
    }
    let document = serde_json::json!({ "currencies": currencies, "more": more });
    output.answer(&document, || table(&rows, NAME_COLUMNS))
}

/// The names of a currency, each with the game.
fn names(currency: proto::CurrencyNames) -> Vec<NameOfGame> {
    let game = currency.game;
    (currency.names.into_iter())
        .map(|name| (game.clone(), name))
        .collect()
}
