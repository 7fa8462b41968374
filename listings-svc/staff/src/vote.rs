//! `staff vote …`: votes on the ranking boards

use clap::{Args, Subcommand};
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_client::StaffServiceClient;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::public::Timestamp;
use serde::Serialize;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List listings and voters whose votes look bought
    ///
    /// Listings that owe more than half of their wins of the week to voters first seen in the last 24 hours, and voters with more than 50
    /// votes within one hour of the week.
    Suspicious,
    /// Take the votes of a voter from the boards: those that are kept, and those to come
    Void {
        #[command(flatten)]
        whose: Whose,
        /// Why, for whoever looks later
        #[arg(long)]
        reason: String,
    },
    /// Let the votes of a voter count again, as far as they are kept
    Restore {
        #[command(flatten)]
        whose: Whose,
        /// Why, for whoever looks later
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

/// Whose votes.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Whose {
    /// The id of an account or a cookie
    voter: Option<String>,
    /// All who first voted with a cookie from this IP address, or IPv6 network (/64)
    #[arg(long)]
    address: Option<String>,
}

impl From<Whose> for proto::VotersOf {
    fn from(whose: Whose) -> Self {
        let voters = whose.voter.map(Voters::Voter);
        Self {
            voters: voters.or_else(|| whose.address.map(Voters::Address)),
        }
    }
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
struct Listing {
    kind: String,
    listing: String,
    name: String,
    wins: u64,
    wins_by_new_voters: u64,
    new_voters: Vec<String>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the contract has this name")]
struct Voter {
    voter: String,
    address: String,
    first_seen_at: Option<Timestamp>,
    votes_in_an_hour: u64,
}

#[derive(Debug, Serialize)]
struct Voided {
    voter: String,
    votes: u64,
    unchanged: bool,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut catalogue = StaffServiceClient::new(fleet.catalogue().await?);
    match command {
        Command::Suspicious => {
            let request = proto::ListSuspiciousVotesRequest {};
            let answer = catalogue.list_suspicious_votes(request).await?;
            suspicious(answer.into_inner(), output)
        }
        Command::Void { whose, reason } => {
            let request = proto::VoidVotesRequest {
                voters: Some(whose.into()),
                reason,
            };
            let answer = catalogue.void_votes(request).await?.into_inner();
            changed("void", answer.voters, output)
        }
        Command::Restore { whose, reason } => {
            let request = proto::RestoreVotesRequest {
                voters: Some(whose.into()),
                reason,
            };
            let answer = catalogue.restore_votes(request).await?.into_inner();
            changed("restored", answer.voters, output)
        }
    }
}

fn suspicious(answer: proto::ListSuspiciousVotesResponse, output: Output) -> Result<(), Problem> {
    let listings: Vec<Listing> = (answer.listings.into_iter())
        .map(|one| Listing {
            kind: one.kind,
            listing: one.listing,
            name: one.name,
            wins: one.wins,
            wins_by_new_voters: one.wins_by_new_voters,
            new_voters: one.new_voters,
        })
        .collect();
    let voters: Vec<Voter> = (answer.voters.into_iter())
        .map(|one| Voter {
            voter: one.voter,
            address: one.address,
            first_seen_at: output::moment(one.first_seen_at),
            votes_in_an_hour: one.votes_in_an_hour,
        })
        .collect();
    if output.is_json() {
        let document = serde_json::json!({ "listings": listings, "voters": voters });
        return output.line(&document, "");
    }
    if listings.is_empty() && voters.is_empty() {
        output.say("no vote looks bought");
    }
    if !listings.is_empty() {
        let rows = listings.iter().map(|one| {
            [
                one.kind.clone(),
                one.listing.clone(),
                one.wins.to_string(),
                one.wins_by_new_voters.to_string(),
                one.new_voters.join(" "),
            ]
        });
        let columns = ["kind", "listing", "wins", "by new voters", "new voters"];
        output.text(&table(columns, rows).to_string());
    }
    if !voters.is_empty() {
        let rows = voters.iter().map(|one| {
            [
                one.voter.clone(),
                one.address.clone(),
                output::shown(one.first_seen_at.as_ref()),
                one.votes_in_an_hour.to_string(),
            ]
        });
        let columns = ["voter", "address", "first seen", "votes in an hour"];
        output.text(&table(columns, rows).to_string());
    }
    Ok(())
}

fn changed(state: &str, voters: Vec<proto::VoterResult>, output: Output) -> Result<(), Problem> {
    let voters: Vec<Voided> = (voters.into_iter())
        .map(|one| Voided {
            voter: one.voter,
            votes: one.votes,
            unchanged: one.unchanged,
        })
        .collect();
    for voter in voters.iter().filter(|voter| voter.unchanged) {
        output::note(&format!("the votes of {} were so already", voter.voter));
    }
    let document = serde_json::json!({ "state": state, "voters": voters });
    if output.is_json() {
        return output.line(&document, "");
    }
    for voter in voters.iter().filter(|voter| !voter.unchanged) {
        output.say(&format!(
            "{state}: {} votes of {}",
            voter.votes, voter.voter
        ));
    }
    Ok(())
}
