//! `staff key request`, `pending`, `approve`, `reject` and `reveal`: the review of live keys

use clap::Subcommand;
use contracts::common::v1::PageRequest;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;

use crate::account;
use crate::arguments::key_request_id;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::key::{self, Properties};
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

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

const COLUMNS: &[Column<proto::KeyRequest>] = &[
    ("id", |it| it.id.clone()),
    ("account", |it| it.account_id.clone()),
    ("name", |it| it.name.clone()),
    ("kind", |it| {
        key::kind_and_game(&it.kind, it.game.as_deref())
    }),
    ("writes", |it| output::yes_no(it.may_write)),
    ("requested", |it| output::format_time(it.asked_at)),
    ("state", |it| it.state.clone()),
    ("reason", |it| it.reason.clone().unwrap_or_default()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Request(properties) => {
            let mut request = request(properties);
            request.account_id = account::id(fleet, request.account_id).await?;
            let response = gateway.request_key(request).await?.into_inner();
            print(response.request, output)
        }
        Command::Pending => {
            let read = async |page: PageRequest| {
                let request = proto::ListKeyRequestsRequest {
                    state: "asked".to_owned(),
                    limit: page.limit,
                    cursor: page.cursor,
                };
                let response = gateway.clone().list_key_requests(request).await?;
                let response = response.into_inner();
                Ok((response.requests, response.next_cursor.unwrap_or_default()))
            };
            output.rows("requests", &rows::read_all(read).await?, COLUMNS)
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
            key::print_with_secret(response.key, &response.secret, None, output)
        }
    }
}

fn request(properties: Properties) -> proto::RequestKeyRequest {
    proto::RequestKeyRequest {
        kind: properties.kind().to_owned(),
        account_id: properties.account,
        name: properties.name,
        may_write: properties.may_write,
        game: properties.game,
    }
}

fn print(request: Option<proto::KeyRequest>, output: Output) -> Result<(), Error> {
    output.row("request", &request.unwrap_or_default(), COLUMNS)
}
