//! `staff page …`: the verbs of every listing, and the accounts that own a page

use clap::{Args, Subcommand};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use crate::account;
use crate::arguments::revision_number;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::{ListingKind, ListingMode};
use crate::listing::{self, Verb, show};
use crate::output::{self, Output};
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Verb(Verb),
    /// Give a page the verified badge; it loses it when an owner changes its name
    Verify(Verify),
    /// Take the verified badge from a page
    Unverify(Verify),
    /// List the owners of a page
    ListOwners {
        /// The handle of the page
        page: String,
    },
    /// Make an account an owner of a page; other owners stay
    AddOwner {
        /// The handle of the page
        page: String,
        /// The id or e-mail address of the account
        #[arg(long)]
        account: String,
    },
    /// Take a page from an owner
    RemoveOwner {
        /// The handle of the page
        page: String,
        /// The id or e-mail address of the account
        #[arg(long)]
        account: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The handle of the page
    page: String,
    /// The revision that you checked: any other is refused
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: Option<i64>,
}

const COLUMNS: &[Column<proto::Owner>] = &[
    ("account", |it| it.account_id.clone()),
    ("by way of", |it| it.by_way_of.clone()),
    ("since", |it| output::format_time(it.since)),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut owners = match command {
        Command::Verb(verb) => {
            return listing::run_verb(ListingKind::Page, verb, fleet, output).await;
        }
        Command::Verify(page) => return verify(page, true, fleet, output).await,
        Command::Unverify(page) => return verify(page, false, fleet, output).await,
        Command::ListOwners { page } => {
            let mut pages = StaffPageServiceClient::new(fleet.listings().await?);
            let request = proto::ListOwnersRequest { handle: page };
            pages.list_owners(request).await?.into_inner().owners
        }
        Command::AddOwner { page, account } => {
            let account_id = account::id(fleet, account).await?;
            let mut pages = StaffPageServiceClient::new(fleet.listings().await?);
            let request = proto::AddOwnerRequest {
                handle: page,
                account_id,
            };
            pages.add_owner(request).await?.into_inner().owners
        }
        Command::RemoveOwner { page, account } => {
            let account_id = account::id(fleet, account).await?;
            let mut pages = StaffPageServiceClient::new(fleet.listings().await?);
            let request = proto::RemoveOwnerRequest {
                handle: page,
                account_id,
            };
            pages.remove_owner(request).await?.into_inner().owners
        }
    };
    let ids = owners.iter_mut().map(|owner| &mut owner.account_id);
    account::prefix_with_names(ids, fleet, output).await;
    output.rows("owners", &owners, COLUMNS)
}

async fn verify(page: Verify, verified: bool, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let request = proto::VerifyRequest {
        name: Some(ListingKind::Page.named(ListingMode::Live, page.page)),
        verified,
        revision: page.revision,
    };
    let listing = review.verify(request).await?.into_inner().listing;
    show::print(listing, output)
}
