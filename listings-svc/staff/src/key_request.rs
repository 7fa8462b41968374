//! `staff key request`, `pending`, `approve`, `reject`, `reveal`: live keys under review

use clap::{Args, Subcommand};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;

use super::fleet::Fleet;
use super::key::{self, Key, Rights};
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Requests asked for at once.
const PAGE: u32 = 500;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask for a live key, for its owner: it waits for a review
    Request(Ask),
    /// List the live keys that wait for a review, the oldest first
    Pending,
    /// Let the owner of a live key reveal it
    Approve {
        /// The request's id
        id: String,
    },
    /// Refuse a live key that was asked for
    Reject {
        /// The request's id
        id: String,
        /// Why, for its owner
        #[arg(long)]
        reason: String,
    },
    /// Make the secret of an approved key, for its owner; it is shown this once
    Reveal {
        /// The request's id
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    #[command(flatten)]
    rights: Rights,
}

#[derive(Debug, Serialize)]
struct KeyRequest {
    id: String,
    account_id: String,
    name: String,
    kind: String,
    may_write: bool,
    game: Option<String>,
    expires_at: Option<Timestamp>,
    state: String,
    asked_at: Option<Timestamp>,
    decided_at: Option<Timestamp>,
    reason: Option<String>,
}

impl From<proto::KeyRequest> for KeyRequest {
    fn from(request: proto::KeyRequest) -> Self {
        Self {
            id: request.id,
            account_id: request.account_id,
            name: request.name,
            kind: request.kind,
            may_write: request.may_write,
            game: request.game,
            expires_at: output::moment(request.expires_at),
            state: request.state,
            asked_at: output::moment(request.asked_at),
            decided_at: output::moment(request.decided_at),
            reason: request.reason,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Request(Ask { rights }) => {
            let answer = gateway.request_key(request(rights)).await?.into_inner();
            one(answer.request, output)
        }
        Command::Pending => {
            let requests = pending(&mut gateway).await?;
            let document = serde_json::json!({ "requests": requests });
            output.answer(&document, || listed(&requests))
        }
        Command::Approve { id } => {
            let answer = gateway.approve_key(proto::ApproveKeyRequest { id }).await?;
            one(answer.into_inner().request, output)
        }
        Command::Reject { id, reason } => {
            let request = proto::RejectKeyRequest { id, reason };
            let answer = gateway.reject_key(request).await?;
            one(answer.into_inner().request, output)
        }
        Command::Reveal { id } => {
            let answer = gateway.reveal_key(proto::RevealKeyRequest { id }).await?;
            let answer = answer.into_inner();
            let key = Key::from(answer.key.unwrap_or_default());
            key::made(&key, &answer.secret, None, output)
        }
    }
}

fn request(rights: Rights) -> proto::RequestKeyRequest {
    proto::RequestKeyRequest {
        kind: rights.kind().to_owned(),
        expires_at: rights.expires_at(),
        account: rights.account,
        name: rights.name,
        may_write: rights.may_write,
        game: rights.game,
    }
}

async fn pending(gateway: &mut StaffServiceClient<Client>) -> Result<Vec<KeyRequest>, Problem> {
    let mut requests = Vec::new();
    let mut cursor = Some(String::new());
    while let Some(page) = cursor {
        let request = proto::ListKeyRequestsRequest {
            state: "asked".to_owned(),
            limit: PAGE,
            cursor: page,
        };
        let answer = gateway.list_key_requests(request).await?.into_inner();
        requests.extend(answer.requests.into_iter().map(KeyRequest::from));
        cursor = answer.next_cursor;
    }
    Ok(requests)
}

fn one(request: Option<proto::KeyRequest>, output: Output) -> Result<(), Problem> {
    let request = KeyRequest::from(request.unwrap_or_default());
    let document = serde_json::json!({ "request": request });
    output.answer(&document, || listed(&[request]))
}

fn listed(requests: &[KeyRequest]) -> comfy_table::Table {
    let rows = requests.iter().map(|request| {
        [
            request.id.clone(),
            request.account_id.clone(),
            request.name.clone(),
            key::kind(&request.kind, request.game.as_deref()),
            output::yes(request.may_write),
            output::shown(request.expires_at.as_ref()),
            output::shown(request.asked_at.as_ref()),
            request.state.clone(),
            request.reason.clone().unwrap_or_default(),
        ]
    });
    table(
        [
            "id", "account", "name", "kind", "writes", "expires", "asked", "state", "reason",
        ],
        rows,
    )
}
