//! `staff token …`: tokens of accounts for the account API

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::arguments::token_id;
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

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

#[derive(Debug, Serialize)]
struct Token {
    id: String,
    account_id: String,
    name: String,
    scopes: Vec<String>,
    last4: String,
    /// The id of a person.
    created_by: Option<String>,
    created_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

impl From<proto::AccountToken> for Token {
    fn from(token: proto::AccountToken) -> Self {
        Self {
            created_at: output::timestamp(token.created_at),
            last_used_at: output::timestamp(token.last_used_at),
            expires_at: output::timestamp(token.expires_at),
            revoked_at: output::timestamp(token.revoked_at),
            id: token.id,
            account_id: token.account_id,
            name: token.name,
            scopes: token.scopes,
            last4: token.last4,
            created_by: token.created_by,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::List { account } => {
            let request = proto::ListTokensRequest { account };
            let response = gateway.list_tokens(request).await?.into_inner();
            let tokens = response.tokens.into_iter().map(Token::from);
            let tokens: Vec<Token> = tokens.collect();
            let document = serde_json::json!({ "tokens": tokens });
            output.answer(&document, || token_table(&tokens))
        }
        Command::Revoke { id, confirmation } => {
            let question = format!(
                "Revoke the token {id}? The next call with it is refused. A revoked token stays revoked."
            );
            confirmation.ask(&question).await?;
            let request = proto::RevokeTokenRequest { id };
            let response = gateway.revoke_token(request).await?.into_inner();
            let token = Token::from(response.token.unwrap_or_default());
            let document = serde_json::json!({ "token": token });
            output.answer(&document, || token_table(std::slice::from_ref(&token)))
        }
    }
}

fn token_table(tokens: &[Token]) -> comfy_table::Table {
    let rows = tokens.iter().map(|token| {
        [
            token.id.clone(),
            token.name.clone(),
            token.scopes.join(", "),
            token.last4.clone(),
            output::format_time(token.created_at.as_ref()),
            token.created_by.clone().unwrap_or_default(),
            output::format_time(token.last_used_at.as_ref()),
            validity(token),
        ]
    });
    table(
        [
            "id",
            "name",
            "scopes",
            "ends in",
            "created",
            "by",
            "last used",
            "valid",
        ],
        rows,
    )
}

fn validity(token: &Token) -> String {
    let until = |at: &Timestamp| output::format_time(Some(at));
    match (&token.revoked_at, &token.expires_at) {
        (Some(at), _) => format!("revoked {}", until(at)),
        (None, Some(at)) => format!("until {}", until(at)),
        (None, None) => "yes".to_owned(),
    }
}
