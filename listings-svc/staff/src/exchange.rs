//! `staff exchange …`: exchanges that record swaps, and their tokens

use std::num::NonZeroUsize;

use clap::Subcommand;
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_client::StaffServiceClient;

use crate::arguments::limit;
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

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

const COLUMNS: &[Column<proto::Exchange>] = &[
    ("name", |it| it.name.clone()),
    ("created", |it| output::format_time(it.created_at)),
    ("by", |it| it.created_by.clone()),
    ("revoked", |it| output::format_time(it.revoked_at)),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut economy = StaffServiceClient::new(fleet.economy().await?);
    let (exchange, token) = match command {
        Command::List { limit } => {
            let read = async |page| {
                let request = proto::ListExchangesRequest { page: Some(page) };
                let response = economy.clone().list_exchanges(request).await?.into_inner();
                Ok((response.exchanges, response.next_cursor))
            };
            return output.list("exchanges", &rows::read(limit, read).await?, COLUMNS);
        }
        Command::Add { name } => {
            let request = proto::CreateExchangeRequest { name };
            let response = economy.create_exchange(request).await?.into_inner();
            (response.exchange, Some(response.token))
        }
        Command::Revoke { name, confirmation } => {
            let question = format!(
                "Revoke the token of {name}? It is refused at once, and the name is never used again."
            );
            confirmation.ask(&question).await?;
            let request = proto::RevokeExchangeRequest { name };
            let response = economy.revoke_exchange(request).await?.into_inner();
            (response.exchange, None)
        }
    };
    output.row_with_token("exchange", &exchange.unwrap_or_default(), token, COLUMNS)
}
