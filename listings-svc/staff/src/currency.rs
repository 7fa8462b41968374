//! `staff currency …`

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
use crate::table::table;

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

#[derive(Debug, Serialize)]
struct Currency {
    game: String,
    names: Vec<CurrencyName>,
}

#[derive(Debug, Serialize)]
struct CurrencyName {
    name: String,
    since: Option<Timestamp>,
    given_by: String,
}

impl From<proto::CurrencyNames> for Currency {
    fn from(currency: proto::CurrencyNames) -> Self {
        let name = |name: proto::CurrencyName| CurrencyName {
            name: name.name,
            since: output::timestamp(name.since),
            given_by: name.given_by,
        };
        Self {
            game: currency.game,
            names: currency.names.into_iter().map(name).collect(),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::Set { game, name } => {
            let request = proto::SetCurrencyRequest { game, name };
            let response = economy.set_currency(request).await?.into_inner();
            if response.unchanged {
                output::note("nothing was changed: the currency already has this name");
            }
            let currency = Currency::from(response.currency.unwrap_or_default());
            let document = serde_json::json!({ "currency": currency });
            output.answer(&document, || currency_table(&[currency]))
        }
        Command::List { limit } => list(economy, limit, output).await,
        Command::ListBalances { game, limit } => balances(economy, game, limit, output).await,
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
        let names = response.currencies.into_iter().flat_map(|currency| {
            let game = currency.game;
            (currency.names.into_iter()).map(move |name| (game.clone(), name))
        });
        Ok((names.collect(), response.next_cursor))
    };
    let (names, more) = rows::read(limit, read).await?;
    let mut currencies: Vec<proto::CurrencyNames> = Vec::new();
    for (game, name) in names {
        match currencies.last_mut() {
            Some(currency) if currency.game == game => currency.names.push(name),
            _ => currencies.push(proto::CurrencyNames {
                game,
                names: vec![name],
            }),
        }
    }
    let currencies: Vec<Currency> = currencies.into_iter().map(Currency::from).collect();
    let document = serde_json::json!({ "currencies": currencies, "more": more });
    output.answer(&document, || currency_table(&currencies))
}

#[derive(Debug, Serialize)]
struct Balance {
    exchange: String,
    kind: String,
    holder: String,
    units: String,
}

async fn balances(
    economy: StaffServiceClient<Client>,
    game: String,
    limit: NonZeroUsize,
    output: Output,
) -> Result<(), Error> {
    let read = async |page| {
        let request = proto::ListBalancesRequest {
            game: game.clone(),
            page: Some(page),
        };
        let response = economy.clone().list_account_balances(request).await?;
        let response = response.into_inner();
        Ok((response.balances, response.next_cursor))
    };
    let (balances, more) = rows::read(limit, read).await?;
    let balance = |balance: proto::Balance| Balance {
        exchange: balance.exchange,
        kind: balance.kind,
        holder: balance.holder,
        units: balance.units,
    };
    let balances: Vec<Balance> = balances.into_iter().map(balance).collect();
    let document = serde_json::json!({ "balances": balances, "more": more });
    output.answer(&document, || {
        let rows = balances.iter().map(|balance| {
            [
                balance.exchange.clone(),
                balance.kind.clone(),
                balance.holder.clone(),
                balance.units.clone(),
            ]
        });
        table(["exchange", "kind", "holder", "units"], rows)
    })
}

fn currency_table(currencies: &[Currency]) -> comfy_table::Table {
    let rows = currencies.iter().flat_map(|currency| {
        currency.names.iter().map(|name| {
            [
                currency.game.clone(),
                name.name.clone(),
                output::format_time(name.since.as_ref()),
                name.given_by.clone(),
            ]
        })
    });
    table(["game", "currency", "since", "by"], rows)
}
