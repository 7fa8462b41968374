//! `staff token …`: tokens of accounts for the account API

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use crate::arguments::token_id;
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the tokens of an account for the account API, which its people create
    List {
        /// The id or e-mail address of the account
        #[arg(long)]
        account: String,
    },
    /// Revoke a token: the next call with it is refused
    Revoke {
        /// The id of the token
        #[arg(value_parser = token_id)]
        id: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

const COLUMNS: &[Column<proto::AccountToken>] = &[
    ("id", |it| it.id.clone()),
    ("name", |it| it.name.clone()),
    ("scopes", |it| it.scopes.join(", ")),
    ("ends in", |it| it.last4.clone()),
    ("created", |it| output::format_time(it.created_at)),
    ("by", |it| it.created_by.clone()),
    ("last used", |it| output::format_time(it.last_used_at)),
    ("valid", validity),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::List { account } => {
            let request = proto::ListTokensRequest { account };
            let response = gateway.list_tokens(request).await?.into_inner();
            output.rows("tokens", &response.tokens, COLUMNS)
        }
        Command::Revoke { id, confirmation } => {
            let question = format!(
                "Revoke the token {id}? The next call with it is refused. A revoked token stays revoked."
            );
            confirmation.ask(&question).await?;
            let request = proto::RevokeTokenRequest { id };
            let response = gateway.revoke_token(request).await?.into_inner();
            output.row("token", &response.token.unwrap_or_default(), COLUMNS)
        }
    }
}

fn validity(token: &proto::AccountToken) -> String {
    match (token.revoked_at, token.expires_at) {
        (at @ Some(_), _) => format!("revoked {}", output::format_time(at)),
        (None, at @ Some(_)) => format!("until {}", output::format_time(at)),
        (None, None) => "yes".to_owned(),
    }
}
