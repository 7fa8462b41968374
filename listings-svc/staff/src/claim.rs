//! `staff claim …`: accounts that ask to own a page

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;

use crate::account;
use crate::arguments::claim_id;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

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

const COLUMNS: &[Column<proto::Claim>] = &[
    ("id", |it| it.id.clone()),
    ("page", |it| it.handle.clone()),
    ("account", |it| it.account_id.clone()),
    ("state", |it| output::name_of(it.state())),
    ("made", |it| output::format_time(it.made_at)),
    ("evidence", |it| it.evidence.clone()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut pages = StaffPageServiceClient::new(fleet.listings().await?);
    let mut claims = match command {
        Command::List => {
            let read = async |page| {
                let request = proto::ListClaimsRequest { page: Some(page) };
                let response = pages.clone().list_claims(request).await?.into_inner();
                let page = response.page.unwrap_or_default();
                Ok((response.claims, page.next_cursor.unwrap_or_default()))
            };
            rows::read_all(read).await?
        }
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
    let ids = claims.iter_mut().map(|claim| &mut claim.account_id);
    account::prefix_with_names(ids, fleet, output).await;
    output.rows("claims", &claims, COLUMNS)
}
