//! `staff page …`: whose pages are, and claims of them

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;

use super::account;
use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Claims that are asked for at once.
const PAGE: u32 = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the owners of a page
    Owners {
        /// Its handle
        handle: String,
    },
    /// Give a page to an account, beside its other owners
    AddOwner {
        /// Its handle
        handle: String,
        /// The account's id or e-mail address
        #[arg(long)]
        account: String,
    },
    /// Take a page from an account
    RemoveOwner {
        /// Its handle
        handle: String,
        /// The account's id or e-mail address
        #[arg(long)]
        account: String,
    },
    /// List the claims that wait, oldest first
    Claims,
    /// Grant a claim: the page is the account's too
    Grant {
        /// The claim's id
        id: String,
    },
    /// Reject a claim
    Reject {
        /// The claim's id
        id: String,
        /// Why, for the account
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Serialize)]
struct Owners {
    owners: Vec<Owner>,
}

#[derive(Debug, Serialize)]
struct Owner {
    account_id: String,
    by_way_of: String,
    since: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
struct Claims {
    claims: Vec<Claim>,
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
            made_at: output::moment(claim.made_at),
            reason: claim.reason,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut pages = StaffPageServiceClient::new(fleet.listings().await?);
    match command {
        Command::Owners { handle } => {
            let request = proto::ListOwnersRequest { handle };
            let owners = pages.list_owners(request).await?.into_inner().owners;
            show_owners(owners, fleet, output).await
        }
        Command::AddOwner { handle, account } => {
            let account_id = account::id(fleet, account).await?;
            let request = proto::AddOwnerRequest { handle, account_id };
            let owners = pages.add_owner(request).await?.into_inner().owners;
            show_owners(owners, fleet, output).await
        }
        Command::RemoveOwner { handle, account } => {
            let account_id = account::id(fleet, account).await?;
            let request = proto::RemoveOwnerRequest { handle, account_id };
            let owners = pages.remove_owner(request).await?.into_inner().owners;
            show_owners(owners, fleet, output).await
        }
        Command::Claims => show_claims(all_claims(&mut pages).await?, fleet, output).await,
        Command::Grant { id } => {
            let request = proto::GrantClaimRequest { id };
            let claim = pages.grant_claim(request).await?.into_inner().claim;
            show_claims(claim.into_iter().collect(), fleet, output).await
        }
        Command::Reject { id, reason } => {
            let request = proto::RejectClaimRequest { id, reason };
            let claim = pages.reject_claim(request).await?.into_inner().claim;
            show_claims(claim.into_iter().collect(), fleet, output).await
        }
    }
}

async fn all_claims(
    pages: &mut StaffPageServiceClient<Client>,
) -> Result<Vec<proto::Claim>, Problem> {
    let mut claims = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = contracts::common::v1::PageRequest {
            limit: PAGE,
            cursor,
        };
        let request = proto::ListClaimsRequest { page: Some(page) };
        let answer = pages.list_claims(request).await?.into_inner();
        claims.extend(answer.claims);
        match answer.page.and_then(|page| page.next_cursor) {
            Some(next) => cursor = next,
            None => return Ok(claims),
        }
    }
}

async fn show_owners(
    owners: Vec<proto::Owner>,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Problem> {
    let owners = owners.into_iter().map(|owner| Owner {
        account_id: owner.account_id,
        by_way_of: owner.by_way_of,
        since: output::moment(owner.since),
    });
    let mut document = Owners {
        owners: owners.collect(),
    };
    let ids = (document.owners.iter_mut()).map(|owner| &mut owner.account_id);
    account::name_beside_id(ids, fleet, output).await;
    output.answer(&document, || {
        let rows = document.owners.iter().map(|owner| {
            [
                owner.account_id.clone(),
                owner.by_way_of.clone(),
                output::shown(owner.since.as_ref()),
            ]
        });
        table(["account", "by way of", "since"], rows)
    })
}

async fn show_claims(
    claims: Vec<proto::Claim>,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Problem> {
    let mut document = Claims {
        claims: claims.into_iter().map(Claim::from).collect(),
    };
    let ids = (document.claims.iter_mut()).map(|claim| &mut claim.account_id);
    account::name_beside_id(ids, fleet, output).await;
    output.answer(&document, || {
        let rows = document.claims.iter().map(|claim| {
            [
                claim.id.clone(),
                claim.handle.clone(),
                claim.account_id.clone(),
                claim.state.to_owned(),
                output::shown(claim.made_at.as_ref()),
                claim.evidence.clone(),
            ]
        });
        table(["id", "page", "account", "state", "made", "evidence"], rows)
    })
}
