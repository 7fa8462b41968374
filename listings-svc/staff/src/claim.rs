//! `staff claim …`: accounts that ask to own a page

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;

use crate::account;
use crate::arguments::claim_id;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

/// Claims per request.
const PAGE_SIZE: u32 = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the pending claims, oldest first
    List,
    /// Grant a claim: the account becomes an owner of the page
    Grant {
        /// The id of the claim
        #[arg(value_parser = claim_id)]
        id: String,
    },
    /// Reject a claim
    Reject {
        /// The id of the claim
        #[arg(value_parser = claim_id)]
        id: String,
        /// The reason that the account reads
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Serialize)]
struct Claim {
    id: String,
    handle: String,
    account_id: String,
    evidence: String,
    state: &'static str,
    made_at: Option<Timestamp>,
    reason: String,
}

impl From<proto::Claim> for Claim {
    fn from(claim: proto::Claim) -> Self {
        Self {
            state: match claim.state() {
                proto::ClaimState::Granted => "granted",
                proto::ClaimState::Rejected => "rejected",
                proto::ClaimState::Waiting | proto::ClaimState::Unspecified => "waiting",
            },
            id: claim.id,
            handle: claim.handle,
            account_id: claim.account_id,
            evidence: claim.evidence,
            made_at: output::timestamp(claim.made_at),
            reason: claim.reason,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut pages = StaffPageServiceClient::new(fleet.listings().await?);
    let claims = match command {
        Command::List => list(&mut pages).await?,
        Command::Grant { id } => {
            let response = pages.grant_claim(proto::GrantClaimRequest { id }).await?;
            response.into_inner().claim.into_iter().collect()
        }
        Command::Reject { id, reason } => {
            let request = proto::RejectClaimRequest { id, reason };
            let response = pages.reject_claim(request).await?;
            response.into_inner().claim.into_iter().collect()
        }
    };
    print(claims, fleet, output).await
}

async fn list(pages: &mut StaffPageServiceClient<Client>) -> Result<Vec<proto::Claim>, Error> {
    let mut claims = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = contracts::common::v1::PageRequest {
            limit: PAGE_SIZE,
            cursor,
        };
        let request = proto::ListClaimsRequest { page: Some(page) };
        let response = pages.list_claims(request).await?.into_inner();
        claims.extend(response.claims);
        match response.page.and_then(|page| page.next_cursor) {
            Some(next) => cursor = next,
            None => return Ok(claims),
        }
    }
}

async fn print(claims: Vec<proto::Claim>, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut claims: Vec<Claim> = claims.into_iter().map(Claim::from).collect();
    let ids = claims.iter_mut().map(|claim| &mut claim.account_id);
    account::prefix_with_names(ids, fleet, output).await;
    output.answer(&serde_json::json!({ "claims": claims }), || {
        let rows = claims.iter().map(|claim| {
            [
                claim.id.clone(),
                claim.handle.clone(),
                claim.account_id.clone(),
                claim.state.to_owned(),
                output::format_time(claim.made_at.as_ref()),
                claim.evidence.clone(),
            ]
        });
        table(["id", "page", "account", "state", "made", "evidence"], rows)
    })
}
