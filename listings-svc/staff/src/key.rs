//! `staff key …`

use clap::{Args, Subcommand, ValueEnum};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;
use time::OffsetDateTime;

use crate::arguments::{key_id, timestamp};
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key without a review; its secret is shown once
    Create(Create),
    /// List the keys of an account
    List {
        /// The id or e-mail address of the account
        #[arg(long)]
        account: String,
    },
    /// Make a new secret with the same rights; the old secret works until the grace period ends
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
    mode: KeyMode,
    #[command(flatten)]
    properties: Properties,
}

/// The properties of a new key.
#[derive(Debug, Args)]
pub(crate) struct Properties {
    /// The id or e-mail address of the account
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
    /// When the key expires, such as 2027-01-01T00:00:00Z
    #[arg(long, value_parser = timestamp)]
    expires: Option<OffsetDateTime>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeyMode {
    Test,
    Live,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeyKind {
    Account,
    Secret,
    Public,
}

impl Properties {
    pub(crate) const fn kind(&self) -> &'static str {
        match self.kind {
            KeyKind::Account => "account",
            KeyKind::Secret => "secret",
            KeyKind::Public => "public",
        }
    }

    pub(crate) fn expires_at(&self) -> Option<prost_types::Timestamp> {
        self.expires.map(kit::timestamp::encode)
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Key {
    id: String,
    account_id: String,
    name: String,
    mode: String,
    kind: String,
    may_write: bool,
    game: Option<String>,
    last4: String,
    created_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    grace_until: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

impl From<proto::Key> for Key {
    fn from(key: proto::Key) -> Self {
        Self {
            created_at: output::timestamp(key.created_at),
            last_used_at: output::timestamp(key.last_used_at),
            expires_at: output::timestamp(key.expires_at),
            grace_until: output::timestamp(key.grace_until),
            revoked_at: output::timestamp(key.revoked_at),
            id: key.id,
            account_id: key.account_id,
            name: key.name,
            mode: key.mode,
            kind: key.kind,
            may_write: key.may_write,
            game: key.game,
            last4: key.last4,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Create(create) => {
            let response = gateway.create_key(request(create)).await?.into_inner();
            let key = Key::from(response.key.unwrap_or_default());
            print_with_secret(&key, &response.secret, None, output)
        }
        Command::List { account } => {
            let response = gateway
                .list_keys(proto::ListKeysRequest { account })
                .await?;
            let keys: Vec<Key> = response
                .into_inner()
                .keys
                .into_iter()
                .map(Key::from)
                .collect();
            output.answer(&serde_json::json!({ "keys": keys }), || key_table(&keys))
        }
        Command::Rotate { id } => {
            let response = gateway
                .rotate_key(proto::RotateKeyRequest { id })
                .await?
                .into_inner();
            let key = Key::from(response.key.unwrap_or_default());
            let old = response.old_key.map(Key::from);
            print_with_secret(&key, &response.secret, old.as_ref(), output)
        }
        Command::Revoke { id, confirmation } => {
            let question = format!(
                "Revoke the key {id}? The next call with it is refused. A revoked key stays revoked."
            );
            confirmation.ask(&question).await?;
            let response = gateway
                .revoke_key(proto::RevokeKeyRequest { id })
                .await?
                .into_inner();
            let key = Key::from(response.key.unwrap_or_default());
            output.answer(&serde_json::json!({ "key": key }), || key_table(&[key]))
        }
    }
}

fn request(Create { mode, properties }: Create) -> proto::CreateKeyRequest {
    proto::CreateKeyRequest {
        mode: match mode {
            KeyMode::Test => "test".to_owned(),
            KeyMode::Live => "live".to_owned(),
        },
        kind: properties.kind().to_owned(),
        expires_at: properties.expires_at(),
        account: properties.account,
        name: properties.name,
        may_write: properties.may_write,
        game: properties.game,
    }
}

/// Prints a new key with its secret.
pub(crate) fn print_with_secret(
    key: &Key,
    secret: &str,
    old: Option<&Key>,
    output: Output,
) -> Result<(), Error> {
    let mut document = serde_json::json!({ "key": key, "secret": secret });
    if let Some(old) = old {
        document["old_key"] = serde_json::json!(old);
    }
    output.answer(&document, || key_table(old.into_iter().chain([key])))?;
    output.print(&format!("The secret, shown only now: {secret}"));
    Ok(())
}

fn key_table<'k>(keys: impl IntoIterator<Item = &'k Key>) -> comfy_table::Table {
    let rows = keys.into_iter().map(|key| {
        [
            key.id.clone(),
            key.name.clone(),
            key.mode.clone(),
            kind_and_game(&key.kind, key.game.as_deref()),
            output::yes_no(key.may_write),
            key.last4.clone(),
            output::format_time(key.created_at.as_ref()),
            output::format_time(key.last_used_at.as_ref()),
            validity(key),
        ]
    });
    table(
        [
            "id",
            "name",
            "mode",
            "kind",
            "writes",
            "ends in",
            "created",
            "last used",
            "valid",
        ],
        rows,
    )
}

/// The kind of a key, with its game.
pub(crate) fn kind_and_game(kind: &str, game: Option<&str>) -> String {
    game.map_or_else(|| kind.to_owned(), |game| format!("{kind} of {game}"))
}

fn validity(key: &Key) -> String {
    let until = |at: &Timestamp| output::format_time(Some(at));
    match (&key.revoked_at, &key.grace_until, &key.expires_at) {
        (Some(at), _, _) => format!("revoked {}", until(at)),
        (None, Some(at), _) => format!("rotated, until {}", until(at)),
        (None, None, Some(at)) => format!("until {}", until(at)),
        (None, None, None) => "yes".to_owned(),
    }
}
