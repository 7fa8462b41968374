//! `staff vote …`: votes on the ranking boards

use clap::{Args, Subcommand};
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_client::StaffServiceClient;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List listings and voters whose votes look bought
    ///
    /// A listing is listed when more than half of its wins of the week come from voters first seen in the last 24 hours, a voter when
    /// the voter cast more than 50 votes within one hour of the week.
    ListSuspicious,
    /// List who voted on a listing: their age, address and share of one-sided votes
    ///
    /// A share is that of all stored votes of the voter which are for the listing, or against it, whichever are more. `vote void` takes the
    /// same filters.
    Voters {
        /// games/SLUG or creators/HANDLE
        #[arg(value_parser = listing)]
        listing: Listing,
        #[command(flatten)]
        filters: Filters,
    },
    /// Void the stored and the future votes of a voter: they leave the boards
    Void {
        #[command(flatten)]
        voters: VoterSelector,
        #[command(flatten)]
        filters: Filters,
        /// The reason, for the record
        #[arg(long)]
        reason: String,
    },
    /// Count the votes of a voter again, as far as they are stored
    Restore {
        #[command(flatten)]
        voters: VoterSelector,
        #[command(flatten)]
        filters: Filters,
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
    /// Instead of a voter: those voters of a listing, games/SLUG or creators/HANDLE, who pass the filters, of which one is needed
    #[arg(long, value_parser = listing)]
    listing: Option<Listing>,
}

/// Which voters of a listing are meant.
#[derive(Debug, Args)]
pub(crate) struct Filters {
    /// Only voters first seen within so many hours
    #[arg(long, value_name = "HOURS", requires = "listing")]
    max_age: Option<u32>,
    /// Only cookies first seen in this block of addresses, such as 192.0.2.0/24
    #[arg(long, requires = "listing")]
    block: Option<String>,
    /// Only voters with at least this share, in percent, of one-sided votes
    #[arg(long, value_name = "PERCENT", requires = "listing")]
    min_share: Option<u32>,
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

impl Filters {
    fn of(self, listing: Listing) -> proto::ListingVoters {
        proto::ListingVoters {
            kind: listing.kind,
            listing: listing.name,
            max_age_hours: self.max_age,
            block: self.block,
            min_share: self.min_share,
        }
    }
}

impl VoterSelector {
    fn with(self, filters: Filters) -> proto::VotersOf {
        let voters = self.voter.map(Voters::Voter);
        let voters = voters.or_else(|| self.address.map(Voters::Address));
        let of_listing = |listing| Voters::Listing(filters.of(listing));
        proto::VotersOf {
            voters: voters.or_else(|| self.listing.map(of_listing)),
        }
    }
}

#[derive(Debug, Serialize)]
struct ListingVoter {
    voter: String,
    address: String,
    first_seen_at: Option<Timestamp>,
    votes_for: u64,
    votes_against: u64,
    votes: u64,
    one_sided_percent: u64,
    void: bool,
}

#[derive(Debug, Serialize)]
struct SuspiciousListing {
    kind: String,
    listing: String,
    name: String,
    wins: u64,
    wins_by_new_voters: u64,
    new_voters: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SuspiciousVoter {
    voter: String,
    address: String,
    first_seen_at: Option<Timestamp>,
    votes_in_an_hour: u64,
}

#[derive(Debug, Serialize)]
struct ChangedVoter {
    voter: String,
    votes: u64,
    unchanged: bool,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut catalogue = StaffServiceClient::new(fleet.catalogue().await?);
    match command {
        Command::ListSuspicious => {
            let request = proto::ListSuspiciousVotesRequest {};
            let response = catalogue.list_suspicious_votes(request).await?;
            print_suspicious(response.into_inner(), output)
        }
        Command::Voters { listing, filters } => {
            let request = proto::ListVotersRequest {
                voters: Some(filters.of(listing)),
            };
            let response = catalogue.list_voters(request).await?;
            print_voters(response.into_inner(), output)
        }
        Command::Void {
            voters,
            filters,
            reason,
        } => {
            let request = proto::VoidVotesRequest {
                voters: Some(voters.with(filters)),
                reason,
            };
            let response = catalogue.void_votes(request).await?.into_inner();
            print_changed("void", response.voters, output)
        }
        Command::Restore {
            voters,
            filters,
            reason,
        } => {
            let request = proto::RestoreVotesRequest {
                voters: Some(voters.with(filters)),
                reason,
            };
            let response = catalogue.restore_votes(request).await?.into_inner();
            print_changed("restored", response.voters, output)
        }
    }
}

fn print_suspicious(
    response: proto::ListSuspiciousVotesResponse,
    output: Output,
) -> Result<(), Error> {
    let listings: Vec<SuspiciousListing> = (response.listings.into_iter())
        .map(|one| SuspiciousListing {
            kind: one.kind,
            listing: one.listing,
            name: one.name,
            wins: one.wins,
            wins_by_new_voters: one.wins_by_new_voters,
            new_voters: one.new_voters,
        })
        .collect();
    let voters: Vec<SuspiciousVoter> = (response.voters.into_iter())
        .map(|one| SuspiciousVoter {
            voter: one.voter,
            address: one.address,
            first_seen_at: output::timestamp(one.first_seen_at),
            votes_in_an_hour: one.votes_in_an_hour,
        })
        .collect();
    if output.is_json() {
        let document = serde_json::json!({ "listings": listings, "voters": voters });
        return output.line(&document, "");
    }
    if listings.is_empty() && voters.is_empty() {
        output.print("no vote looks bought");
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
        output.print(&table(columns, rows).to_string());
    }
    if !voters.is_empty() {
        let rows = voters.iter().map(|one| {
            [
                one.voter.clone(),
                one.address.clone(),
                output::format_time(one.first_seen_at.as_ref()),
                one.votes_in_an_hour.to_string(),
            ]
        });
        let columns = ["voter", "address", "first seen", "votes in an hour"];
        output.print(&table(columns, rows).to_string());
    }
    Ok(())
}

fn print_voters(response: proto::ListVotersResponse, output: Output) -> Result<(), Error> {
    let total = response.total;
    let voters: Vec<ListingVoter> = (response.voters.into_iter())
        .map(|one| ListingVoter {
            voter: one.voter,
            address: one.address,
            first_seen_at: output::timestamp(one.first_seen_at),
            votes_for: one.votes_for,
            votes_against: one.votes_against,
            votes: one.votes,
            one_sided_percent: one.votes_for.max(one.votes_against) * 100 / one.votes.max(1),
            void: one.void,
        })
        .collect();
    if output.is_json() {
        let document = serde_json::json!({ "total": total, "voters": voters });
        return output.line(&document, "");
    }
    if voters.is_empty() {
        output.print("no such voter has a stored vote on this listing");
        return Ok(());
    }
    let rows = voters.iter().map(|one| {
        [
            one.voter.clone(),
            one.address.clone(),
            output::format_time(one.first_seen_at.as_ref()),
            one.votes_for.to_string(),
            one.votes_against.to_string(),
            one.votes.to_string(),
            format!("{} %", one.one_sided_percent),
            if one.void { "void" } else { "" }.to_owned(),
        ]
    });
    let columns = [
        "voter",
        "address",
        "first seen",
        "for",
        "against",
        "of all",
        "one-sided",
        "state",
    ];
    output.print(&table(columns, rows).to_string());
    let listed = voters.len();
    if u64::try_from(listed).is_ok_and(|listed| listed < total) {
        output::note(&format!("the first {listed} of {total} voters are listed"));
    }
    Ok(())
}

fn print_changed(
    state: &str,
    voters: Vec<proto::VoterResult>,
    output: Output,
) -> Result<(), Error> {
    let voters: Vec<ChangedVoter> = (voters.into_iter())
        .map(|one| ChangedVoter {
            voter: one.voter,
            votes: one.votes,
            unchanged: one.unchanged,
        })
        .collect();
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
    if voters.is_empty() {
        output.print("nothing was changed: no voter passes the filters");
    }
    for voter in voters.iter().filter(|voter| !voter.unchanged) {
        output.print(&format!(
            "{state}: {} votes of {}",
            voter.votes, voter.voter
        ));
    }
    Ok(())
}
