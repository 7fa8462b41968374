//! `staff exchange …`: exchanges that record swaps, and their tokens

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::arguments::limit;
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Register an exchange; the token is shown once
    Add {
        /// Small letters, digits and hyphens; a name is never used again
        name: String,
    },
    /// List the exchanges by name
    List {
        /// Rows at most
        #[arg(long, default_value = "500", value_parser = limit)]
        limit: NonZeroUsize,
    },
    /// Revoke the token of an exchange; its swaps stay
    Revoke {
        /// The name of the exchange
        name: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

#[derive(Debug, Serialize)]
struct Exchange {
    name: String,
    created_at: Option<Timestamp>,
    created_by: String,
    revoked_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl From<proto::Exchange> for Exchange {
    fn from(exchange: proto::Exchange) -> Self {
        Self {
            name: exchange.name,
            created_at: output::timestamp(exchange.created_at),
            created_by: exchange.created_by,
            revoked_at: output::timestamp(exchange.revoked_at),
            token: None,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    let exchange = match command {
        Command::List { limit } => {
            let read = async |page| {
                let request = proto::ListExchangesRequest { page: Some(page) };
                let response = economy.clone().list_exchanges(request).await?.into_inner();
                Ok((response.exchanges, response.next_cursor))
            };
            let (exchanges, more) = rows::read(limit, read).await?;
            let exchanges: Vec<Exchange> = exchanges.into_iter().map(Exchange::from).collect();
            let document = serde_json::json!({ "exchanges": exchanges, "more": more });
            return output.answer(&document, || exchange_table(&exchanges));
        }
        Command::Add { name } => {
            let request = proto::CreateExchangeRequest { name };
            let response = economy.create_exchange(request).await?.into_inner();
            let mut exchange = Exchange::from(response.exchange.unwrap_or_default());
            exchange.token = Some(response.token);
            exchange
        }
        Command::Revoke { name, confirmation } => {
            let question = format!(
                "Revoke the token of {name}? It is refused at once, and the name is never used again."
            );
            confirmation.ask(&question).await?;
            let request = proto::RevokeExchangeRequest { name };
            let response = economy.revoke_exchange(request).await?.into_inner();
            response.exchange.unwrap_or_default().into()
        }
    };
    let document = serde_json::json!({ "exchange": exchange });
    output.answer(&document, || {
        exchange_table(std::slice::from_ref(&exchange))
    })?;
    if let Some(token) = &exchange.token {
        output.print(&format!("The token, shown only now: {token}"));
    }
    Ok(())
}

fn exchange_table(exchanges: &[Exchange]) -> comfy_table::Table {
    let rows = exchanges.iter().map(|exchange| {
        [
            exchange.name.clone(),
            output::format_time(exchange.created_at.as_ref()),
            exchange.created_by.clone(),
            output::format_time(exchange.revoked_at.as_ref()),
        ]
    });
    table(["name", "created", "by", "revoked"], rows)
}
