//! `staff key …`

use clap::{Args, Subcommand, ValueEnum};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use crate::account;
use crate::arguments::key_id;
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::ListingMode;
use crate::output::{self, Output};
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key without a review; its secret is shown once
    Create(Create),
    /// List the keys of an account
    List {
        /// The id of the account, or the e-mail address of a person who belongs to no other one
        #[arg(long)]
        account: String,
    },
    /// Make a new secret with the same rights; the old secret works for another 24 hours
    Rotate {
        /// The id of the key
        #[arg(value_parser = key_id)]
        id: String,
    },
    /// Revoke a key: the next call with it is refused
    Revoke {
        /// The id of the key
        #[arg(value_parser = key_id)]
        id: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Whether it reads samples or real listings
    #[arg(long)]
    mode: ListingMode,
    #[command(flatten)]
    properties: Properties,
}

/// The properties of a new key.
#[derive(Debug, Args)]
pub(crate) struct Properties {
    /// The id of the account, or the e-mail address of a person who belongs to no other one
    #[arg(long)]
    pub(crate) account: String,
    /// The name of the key
    #[arg(long)]
    pub(crate) name: String,
    /// Let the key write; this cannot be changed later
    #[arg(long)]
    pub(crate) may_write: bool,
    /// A key of the account, or the secret or public key of one game
    #[arg(long, default_value = "account", requires_ifs = [("secret", "game"), ("public", "game")])]
    kind: KeyKind,
    /// The slug of the game, for a secret or public key
    #[arg(long)]
    pub(crate) game: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum KeyKind {
    Account,
    Secret,
    Public,
}

impl Properties {
    pub(crate) fn kind(&self) -> &'static str {
        self.kind.into()
    }
}

const COLUMNS: &[Column<proto::Key>] = &[
    ("id", |it| it.id.clone()),
    ("name", |it| it.name.clone()),
    ("mode", |it| it.mode.clone()),
    ("kind", |it| kind_and_game(&it.kind, it.game.as_deref())),
    ("writes", |it| output::yes_no(it.may_write)),
    ("ends in", |it| it.last4.clone()),
    ("created", |it| output::format_time(it.created_at)),
    ("last used", |it| output::format_time(it.last_used_at)),
    ("valid", validity),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Create(create) => {
            let mut request = request(create);
            request.account_id = account::id(fleet, request.account_id).await?;
            let response = gateway.create_key(request).await?.into_inner();
            print_with_secret(response.key, &response.secret, None, output)
        }
        Command::List { account } => {
            let account_id = account::id(fleet, account).await?;
            let request = proto::ListKeysRequest { account_id };
            let response = gateway.list_keys(request).await?.into_inner();
            output.rows("keys", &response.keys, COLUMNS)
        }
        Command::Rotate { id } => {
            let request = proto::RotateKeyRequest { id };
            let response = gateway.rotate_key(request).await?.into_inner();
            print_with_secret(response.key, &response.secret, response.old_key, output)
        }
        Command::Revoke { id, confirmation } => {
            let question = format!(
                "Revoke the key {id}? The next call with it is refused. A revoked key stays revoked."
            );
            confirmation.ask(&question).await?;
            let request = proto::RevokeKeyRequest { id };
            let response = gateway.revoke_key(request).await?.into_inner();
            output.row("key", &response.key.unwrap_or_default(), COLUMNS)
        }
    }
}

fn request(Create { mode, properties }: Create) -> proto::CreateKeyRequest {
    proto::CreateKeyRequest {
        mode: mode.as_str().to_owned(),
        kind: properties.kind().to_owned(),
        account_id: properties.account,
        name: properties.name,
        may_write: properties.may_write,
        game: properties.game,
    }
}

/// Prints a new key with its secret, and the key that it replaces.
pub(crate) fn print_with_secret(
    key: Option<proto::Key>,
    secret: &str,
    old: Option<proto::Key>,
    output: Output,
) -> Result<(), Error> {
    let key = key.unwrap_or_default();
    let mut document = serde_json::json!({ "key": key, "secret": secret });
    if let Some(old) = &old {
        document["old_key"] = serde_json::json!(old);
    }
    let keys: Vec<proto::Key> = old.into_iter().chain([key]).collect();
    output.answer(&document, || table(&keys, COLUMNS))?;
    output.print(&format!("The secret, shown only now: {secret}"));
    Ok(())
}

/// The kind of a key, with its game.
pub(crate) fn kind_and_game(kind: &str, game: Option<&str>) -> String {
    game.map_or_else(|| kind.to_owned(), |game| format!("{kind} of {game}"))
}

fn validity(key: &proto::Key) -> String {
    match (key.revoked_at, key.grace_until) {
        (at @ Some(_), _) => format!("revoked {}", output::format_time(at)),
        _ if !key.game_state.is_empty() => format!("no: {}", key.game_state.replace('_', " ")),
        (None, at @ Some(_)) => format!("rotated, until {}", output::format_time(at)),
        (None, None) => "yes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_whose_game_is_gone_is_not_valid() {
        let key = proto::Key {
            game_state: "game_gone".to_owned(),
            ..proto::Key::default()
        };
        assert_eq!(validity(&key), "no: game gone");
        assert_eq!(validity(&proto::Key::default()), "yes");
    }
}
