//! `staff key request`, `pending`, `approve`, `reject` and `reveal`: the review of live keys

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;

use crate::arguments::key_request_id;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::key::{self, Key, Properties};
use crate::output::{self, Output};
use crate::table::table;

/// Key requests per call.
const PAGE_SIZE: u32 = 500;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Request a live key for its owner: it is pending until it is reviewed
    Request(Properties),
    /// List the pending requests for live keys, oldest first
    Pending,
    /// Approve a request: the owner can reveal the key
    Approve {
        /// The id of the request
        #[arg(value_parser = key_request_id)]
        id: String,
    },
    /// Reject a request
    Reject {
        /// The id of the request
        #[arg(value_parser = key_request_id)]
        id: String,
        /// The reason that the owner reads
        #[arg(long)]
        reason: String,
    },
    /// Reveal an approved key for its owner: make its secret, which is shown once
    Reveal {
        /// The id of the request
        #[arg(value_parser = key_request_id)]
        id: String,
    },
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
            expires_at: output::timestamp(request.expires_at),
            state: request.state,
            asked_at: output::timestamp(request.asked_at),
            decided_at: output::timestamp(request.decided_at),
            reason: request.reason,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Request(properties) => {
            let response = gateway.request_key(request(properties)).await?.into_inner();
            print(response.request, output)
        }
        Command::Pending => {
            let requests = pending(&mut gateway).await?;
            let document = serde_json::json!({ "requests": requests });
            output.answer(&document, || request_table(&requests))
        }
        Command::Approve { id } => {
            let response = gateway.approve_key(proto::ApproveKeyRequest { id }).await?;
            print(response.into_inner().request, output)
        }
        Command::Reject { id, reason } => {
            let request = proto::RejectKeyRequest { id, reason };
            let response = gateway.reject_key(request).await?;
            print(response.into_inner().request, output)
        }
        Command::Reveal { id } => {
            let response = gateway.reveal_key(proto::RevealKeyRequest { id }).await?;
            let response = response.into_inner();
            let key = Key::from(response.key.unwrap_or_default());
            key::print_with_secret(&key, &response.secret, None, output)
        }
    }
}

fn request(properties: Properties) -> proto::RequestKeyRequest {
    proto::RequestKeyRequest {
        kind: properties.kind().to_owned(),
        expires_at: properties.expires_at(),
        account: properties.account,
        name: properties.name,
        may_write: properties.may_write,
        game: properties.game,
    }
}

async fn pending(gateway: &mut StaffServiceClient<Client>) -> Result<Vec<KeyRequest>, Error> {
    let mut requests = Vec::new();
    let mut cursor = Some(String::new());
    while let Some(page) = cursor {
        let request = proto::ListKeyRequestsRequest {
            state: "asked".to_owned(),
            limit: PAGE_SIZE,
            cursor: page,
        };
        let response = gateway.list_key_requests(request).await?.into_inner();
        requests.extend(response.requests.into_iter().map(KeyRequest::from));
        cursor = response.next_cursor;
    }
    Ok(requests)
}

fn print(request: Option<proto::KeyRequest>, output: Output) -> Result<(), Error> {
    let request = KeyRequest::from(request.unwrap_or_default());
    let document = serde_json::json!({ "request": request });
    output.answer(&document, || request_table(&[request]))
}

fn request_table(requests: &[KeyRequest]) -> comfy_table::Table {
    let rows = requests.iter().map(|request| {
        [
            request.id.clone(),
            request.account_id.clone(),
            request.name.clone(),
            key::kind_and_game(&request.kind, request.game.as_deref()),
            output::yes_no(request.may_write),
            output::format_time(request.expires_at.as_ref()),
            output::format_time(request.asked_at.as_ref()),
            request.state.clone(),
            request.reason.clone().unwrap_or_default(),
        ]
    });
    table(
        [
            "id",
            "account",
            "name",
            "kind",
            "writes",
            "expires",
            "requested",
            "state",
            "reason",
        ],
        rows,
    )
}
