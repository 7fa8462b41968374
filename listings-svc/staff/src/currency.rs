//! `staff currency …`

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Register the currency of a game, or rename it; its history is kept
    Set {
        /// Slug of the game
        game: String,
        /// Name of the currency
        name: String,
    },
    /// List all currencies with their names, the newest first
    List,
}

#[derive(Debug, Serialize)]
struct Currency {
    game: String,
    names: Vec<Name>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "a name has a name")]
struct Name {
    name: String,
    since: Option<Timestamp>,
    given_by: String,
}

impl From<proto::CurrencyNames> for Currency {
    fn from(currency: proto::CurrencyNames) -> Self {
        let name = |name: proto::CurrencyName| Name {
            name: name.name,
            since: output::moment(name.since),
            given_by: name.given_by,
        };
        Self {
            game: currency.game,
            names: currency.names.into_iter().map(name).collect(),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    match command {
        Command::Set { game, name } => {
            let request = proto::SetCurrencyRequest { game, name };
            let answer = economy.set_currency(request).await?.into_inner();
            if answer.unchanged {
                output::note("it has this name already; nothing changed");
            }
            let currency = Currency::from(answer.currency.unwrap_or_default());
            let document = serde_json::json!({ "currency": currency });
            output.answer(&document, || listed(&[currency]))
        }
        Command::List => {
            let request = proto::ListCurrencyNamesRequest {};
            let answer = economy.list_currency_names(request).await?.into_inner();
            let currencies: Vec<Currency> =
                answer.currencies.into_iter().map(Currency::from).collect();
            let document = serde_json::json!({ "currencies": currencies });
            output.answer(&document, || listed(&currencies))
        }
    }
}

fn listed(currencies: &[Currency]) -> comfy_table::Table {
    let rows = currencies.iter().flat_map(|currency| {
        currency.names.iter().map(|name| {
            [
                currency.game.clone(),
                name.name.clone(),
                output::shown(name.since.as_ref()),
                name.given_by.clone(),
            ]
        })
    });
    table(["game", "currency", "since", "by"], rows)
}
