//! `staff page …`: the verbs of every listing, and the accounts that own a page

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::account;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::ListingKind;
use crate::listing::{self, Verb};
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Verb(Verb),
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

#[derive(Debug, Serialize)]
struct Owner {
    account_id: String,
    by_way_of: String,
    since: Option<Timestamp>,
}

impl From<proto::Owner> for Owner {
    fn from(owner: proto::Owner) -> Self {
        Self {
            account_id: owner.account_id,
            by_way_of: owner.by_way_of,
            since: output::timestamp(owner.since),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let owners = match command {
        Command::Verb(verb) => {
            return listing::run_verb(ListingKind::Page, verb, fleet, output).await;
        }
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
    print_owners(owners, fleet, output).await
}

async fn print_owners(
    owners: Vec<proto::Owner>,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let mut owners: Vec<Owner> = owners.into_iter().map(Owner::from).collect();
    let ids = owners.iter_mut().map(|owner| &mut owner.account_id);
    account::prefix_with_names(ids, fleet, output).await;
    output.answer(&serde_json::json!({ "owners": owners }), || {
        let rows = owners.iter().map(|owner| {
            [
                owner.account_id.clone(),
                owner.by_way_of.clone(),
                output::format_time(owner.since.as_ref()),
            ]
        });
        table(["account", "by way of", "since"], rows)
    })
}
