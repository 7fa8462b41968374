//! `staff key …`

use clap::{Args, Subcommand, ValueEnum};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a key without a review; its secret is shown this once
    Create(Create),
    /// List the keys of an account
    List {
        /// Its id or e-mail address
        #[arg(long)]
        account: String,
    },
    /// Make a new secret with the same rights; the old one works on through the grace period
    Rotate {
        /// The key's id
        id: String,
    },
    /// End a key: the next call with it is refused
    Revoke {
        /// The key's id
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Samples or real listings
    #[arg(long)]
    mode: Mode,
    #[command(flatten)]
    rights: Rights,
}

/// What a key is to be.
#[derive(Debug, Args)]
pub(crate) struct Rights {
    /// The account's id or e-mail address
    #[arg(long)]
    pub(crate) account: String,
    /// What the key is called
    #[arg(long)]
    pub(crate) name: String,
    /// Whether it may write, for good
    #[arg(long)]
    pub(crate) may_write: bool,
    /// Whether it belongs to the account or to one game
    #[arg(long, default_value = "account", requires_ifs = [("secret", "game"), ("public", "game")])]
    kind: Kind,
    /// The game's slug, for a secret or public key
    #[arg(long)]
    pub(crate) game: Option<String>,
    /// When it ends by itself, such as 2027-01-01T00:00:00Z
    #[arg(long, value_parser = moment)]
    expires: Option<OffsetDateTime>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    Test,
    Live,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Account,
    Secret,
    Public,
}

impl Rights {
    /// `account`, `secret` or `public`.
    pub(crate) const fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Account => "account",
            Kind::Secret => "secret",
            Kind::Public => "public",
        }
    }

    pub(crate) fn expires_at(&self) -> Option<prost_types::Timestamp> {
        self.expires.map(kit::timestamp::encode)
    }
}

fn moment(text: &str) -> Result<OffsetDateTime, String> {
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .ok_or_else(|| "write it such as 2027-01-01T00:00:00Z".to_owned())
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
            created_at: output::moment(key.created_at),
            last_used_at: output::moment(key.last_used_at),
            expires_at: output::moment(key.expires_at),
            grace_until: output::moment(key.grace_until),
            revoked_at: output::moment(key.revoked_at),
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

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Create(create) => {
            let answer = gateway.create_key(request(create)).await?.into_inner();
            let key = Key::from(answer.key.unwrap_or_default());
            made(&key, &answer.secret, None, output)
        }
        Command::List { account } => {
            let answer = gateway
                .list_keys(proto::ListKeysRequest { account })
                .await?;
            let keys: Vec<Key> = answer
                .into_inner()
                .keys
                .into_iter()
                .map(Key::from)
                .collect();
            output.answer(&serde_json::json!({ "keys": keys }), || listed(&keys))
        }
        Command::Rotate { id } => {
            let answer = gateway
                .rotate_key(proto::RotateKeyRequest { id })
                .await?
                .into_inner();
            let key = Key::from(answer.key.unwrap_or_default());
            let old = answer.old_key.map(Key::from);
            made(&key, &answer.secret, old.as_ref(), output)
        }
        Command::Revoke { id } => {
            let answer = gateway
                .revoke_key(proto::RevokeKeyRequest { id })
                .await?
                .into_inner();
            let key = Key::from(answer.key.unwrap_or_default());
            output.answer(&serde_json::json!({ "key": key }), || listed(&[key]))
        }
    }
}

fn request(Create { mode, rights }: Create) -> proto::CreateKeyRequest {
    proto::CreateKeyRequest {
        mode: match mode {
            Mode::Test => "test".to_owned(),
            Mode::Live => "live".to_owned(),
        },
        kind: rights.kind().to_owned(),
        expires_at: rights.expires_at(),
        account: rights.account,
        name: rights.name,
        may_write: rights.may_write,
        game: rights.game,
    }
}

/// A key that was just made, with its secret.
pub(crate) fn made(
    key: &Key,
    secret: &str,
    old: Option<&Key>,
    output: Output,
) -> Result<(), Problem> {
    let mut document = serde_json::json!({ "key": key, "secret": secret });
    if let Some(old) = old {
        document["old_key"] = serde_json::json!(old);
    }
    output.answer(&document, || listed(old.into_iter().chain([key])))?;
    output.say(&format!("The secret, shown this once: {secret}"));
    Ok(())
}

fn listed<'k>(keys: impl IntoIterator<Item = &'k Key>) -> comfy_table::Table {
    let rows = keys.into_iter().map(|key| {
        [
            key.id.clone(),
            key.name.clone(),
            key.mode.clone(),
            kind(&key.kind, key.game.as_deref()),
            output::yes(key.may_write),
            key.last4.clone(),
            output::shown(key.created_at.as_ref()),
            output::shown(key.last_used_at.as_ref()),
            works(key),
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
            "made",
            "last used",
            "works",
        ],
        rows,
    )
}

/// A kind, and the game that it is of.
pub(crate) fn kind(kind: &str, game: Option<&str>) -> String {
    game.map_or_else(|| kind.to_owned(), |game| format!("{kind} of {game}"))
}

fn works(key: &Key) -> String {
    let until = |at: &Timestamp| output::shown(Some(at));
    match (&key.revoked_at, &key.grace_until, &key.expires_at) {
        (Some(at), _, _) => format!("revoked {}", until(at)),
        (None, Some(at), _) => format!("rotated, until {}", until(at)),
        (None, None, Some(at)) => format!("until {}", until(at)),
        (None, None, None) => "yes".to_owned(),
    }
}
