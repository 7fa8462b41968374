//! `staff vote …`: votes on the ranking boards

use clap::{Args, Subcommand};
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_client::StaffServiceClient;
use contracts::catalogue::v1::voters_of::Voters;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List who voted on a listing: address, age, votes for and against it
    List {
        /// games/SLUG or creators/HANDLE
        #[arg(value_parser = listing)]
        listing: Listing,
    },
    /// Void the stored and the future votes of a voter: they leave the boards
    Void {
        #[command(flatten)]
        voters: VoterSelector,
        /// The reason, for the record
        #[arg(long)]
        reason: String,
    },
    /// Count the votes of a voter again, as far as they are stored
    Restore {
        #[command(flatten)]
        voters: VoterSelector,
        /// The reason, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct VoterSelector {
    /// The id of an account or a cookie
    voter: Option<String>,
    /// Instead of a voter: all cookies that first voted from this IP address, or IPv6 network (/64)
    #[arg(long)]
    address: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Listing {
    kind: String,
    name: String,
}

fn listing(text: &str) -> Result<Listing, String> {
    let (kind, name) = text
        .split_once('/')
        .ok_or("use games/SLUG or creators/HANDLE")?;
    Ok(Listing {
        kind: kind.to_owned(),
        name: name.to_owned(),
    })
}

impl From<VoterSelector> for proto::VotersOf {
    fn from(selector: VoterSelector) -> Self {
        let voter = selector.voter.map(Voters::Voter);
        Self {
            voters: voter.or_else(|| selector.address.map(Voters::Address)),
        }
    }
}

const COLUMNS: &[Column<proto::ListingVoter>] = &[
    ("voter", |it| it.voter.clone()),
    ("address", |it| it.address.clone()),
    ("first seen", |it| output::format_time(it.first_seen_at)),
    ("for", |it| it.votes_for.to_string()),
    ("against", |it| it.votes_against.to_string()),
    ("of all", |it| it.votes.to_string()),
    ("state", |it| if it.void { "void" } else { "" }.to_owned()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut catalogue = StaffServiceClient::new(fleet.catalogue().await?);
    match command {
        Command::List { listing } => {
            let request = proto::ListVotersRequest {
                kind: listing.kind,
                listing: listing.name,
            };
            let response = catalogue.list_voters(request).await?;
            print_voters(&response.into_inner(), output)
        }
        Command::Void { voters, reason } => {
            let request = proto::VoidVotesRequest {
                voters: Some(voters.into()),
                reason,
            };
            let response = catalogue.void_votes(request).await?.into_inner();
            print_changed("void", &response.voters, output)
        }
        Command::Restore { voters, reason } => {
            let request = proto::RestoreVotesRequest {
                voters: Some(voters.into()),
                reason,
            };
            let response = catalogue.restore_votes(request).await?.into_inner();
            print_changed("restored", &response.voters, output)
        }
    }
}

fn print_voters(response: &proto::ListVotersResponse, output: Output) -> Result<(), Error> {
    let proto::ListVotersResponse { total, voters } = response;
    if output.is_json() {
        let document = serde_json::json!({ "total": total, "voters": voters });
        return output.line(&document, "");
    }
    if voters.is_empty() {
        output.print("nobody has a stored vote on this listing");
        return Ok(());
    }
    output.print(&table(voters, COLUMNS).to_string());
    let listed = voters.len();
    if u64::try_from(listed).is_ok_and(|listed| listed < *total) {
        output::note(&format!("the first {listed} of {total} voters are listed"));
    }
    Ok(())
}

fn print_changed(state: &str, voters: &[proto::VoterResult], output: Output) -> Result<(), Error> {
    for voter in voters.iter().filter(|voter| voter.unchanged) {
        output::note(&format!(
            "nothing was changed: the votes of {} were {state} already",
            voter.voter
        ));
    }
    let document = serde_json::json!({ "state": state, "voters": voters });
    if output.is_json() {
        return output.line(&document, "");
    }
    for voter in voters.iter().filter(|voter| !voter.unchanged) {
        output.print(&format!(
            "{state}: {} votes of {}",
            voter.votes, voter.voter
        ));
    }
    Ok(())
}
