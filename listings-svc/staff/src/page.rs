//! `staff page …`: the verbs of every listing, and the accounts that own a page

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;

use crate::account;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::ListingKind;
use crate::listing::{self, Verb};
use crate::output::{self, Output};
use crate::table::Column;

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
        /// The id of the account, or the e-mail address of a person who belongs to no other one
        #[arg(long)]
        account: String,
    },
    /// Take a page from an owner
    RemoveOwner {
        /// The handle of the page
        page: String,
        /// The id of the account, or the e-mail address of a person who belongs to no other one
        #[arg(long)]
        account: String,
    },
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
