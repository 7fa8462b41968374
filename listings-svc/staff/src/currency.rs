//! `staff currency …`

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
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
    /// List all currencies with their present and former names, newest first
    List,
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
        Command::List => {
            let request = proto::ListCurrencyNamesRequest {};
            let response = economy.list_currency_names(request).await?.into_inner();
            let currencies: Vec<Currency> = response
                .currencies
                .into_iter()
                .map(Currency::from)
                .collect();
            let document = serde_json::json!({ "currencies": currencies });
            output.answer(&document, || currency_table(&currencies))
        }
    }
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
