//! `staff vote …`: votes on the ranking boards

use clap::{Args, Subcommand};
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_client::StaffServiceClient;
use contracts::catalogue::v1::voters_of::Voters;
use serde::Serialize;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::{Column, table};

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
        /// games/SLUG or creators/HANDLE, or the id of a listing in any state: games/ID
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
        /// Say which votes would be voided, and change nothing
        #[arg(long)]
        dry_run: bool,
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
        /// Say which votes would be restored, and change nothing
        #[arg(long)]
        dry_run: bool,
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
    /// Only voters with at least this many stored votes on the listing; 5 with --min-share
    #[arg(long, value_name = "VOTES", requires = "listing")]
    min_votes: Option<u32>,
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
            min_votes: self.min_votes,
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

/// A voter of a listing, and the share of one-sided votes.
#[derive(Debug, Serialize)]
struct ListingVoter {
    #[serde(flatten)]
    voter: proto::ListingVoter,
    one_sided_percent: u64,
}

const VOTER_COLUMNS: &[Column<ListingVoter>] = &[
    ("voter", |it| it.voter.voter.clone()),
    ("address", |it| it.voter.address.clone()),
    ("first seen", |it| {
        output::format_time(it.voter.first_seen_at)
    }),
    ("for", |it| it.voter.votes_for.to_string()),
    ("against", |it| it.voter.votes_against.to_string()),
    ("of all", |it| it.voter.votes.to_string()),
    ("one-sided", |it| format!("{} %", it.one_sided_percent)),
    ("state", |it| {
        if it.voter.void { "void" } else { "" }.to_owned()
    }),
];

const SUSPICIOUS_LISTING_COLUMNS: &[Column<proto::SuspiciousListing>] = &[
    ("kind", |it| it.kind.clone()),
    ("listing", |it| it.listing.clone()),
    ("wins", |it| it.wins.to_string()),
    ("by new voters", |it| it.wins_by_new_voters.to_string()),
    ("new voters", |it| it.new_voters.join(" ")),
];

const SUSPICIOUS_VOTER_COLUMNS: &[Column<proto::SuspiciousVoter>] = &[
    ("voter", |it| it.voter.clone()),
    ("address", |it| it.address.clone()),
    ("first seen", |it| output::format_time(it.first_seen_at)),
    ("votes in an hour", |it| it.votes_in_an_hour.to_string()),
];

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
            dry_run,
        } => {
            let request = proto::VoidVotesRequest {
                voters: Some(voters.with(filters)),
                reason,
                dry_run,
            };
            let response = catalogue.void_votes(request).await?.into_inner();
            print_changed("void", dry_run, &response.voters, output)
        }
        Command::Restore {
            voters,
            filters,
            reason,
            dry_run,
        } => {
            let request = proto::RestoreVotesRequest {
                voters: Some(voters.with(filters)),
                reason,
                dry_run,
            };
            let response = catalogue.restore_votes(request).await?.into_inner();
            print_changed("restored", dry_run, &response.voters, output)
        }
    }
}

fn print_suspicious(
    response: proto::ListSuspiciousVotesResponse,
    output: Output,
) -> Result<(), Error> {
    if output.is_json() {
        return output.line(&response, "");
    }
    let (listings, voters) = (response.listings, response.voters);
    if listings.is_empty() && voters.is_empty() {
        output.print("no vote looks bought");
    }
    if !listings.is_empty() {
        output.print(&table(&listings, SUSPICIOUS_LISTING_COLUMNS).to_string());
    }
    if !voters.is_empty() {
        output.print(&table(&voters, SUSPICIOUS_VOTER_COLUMNS).to_string());
    }
    Ok(())
}

fn print_voters(response: proto::ListVotersResponse, output: Output) -> Result<(), Error> {
    let total = response.total;
    let voters: Vec<ListingVoter> = (response.voters.into_iter())
        .map(|voter| ListingVoter {
            one_sided_percent: voter.votes_for.max(voter.votes_against) * 100 / voter.votes.max(1),
            voter,
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
    output.print(&table(&voters, VOTER_COLUMNS).to_string());
    let listed = voters.len();
    if u64::try_from(listed).is_ok_and(|listed| listed < total) {
        output::note(&format!("the first {listed} of {total} voters are listed"));
    }
    Ok(())
}

fn print_changed(
    state: &str,
    dry_run: bool,
    voters: &[proto::VoterResult],
    output: Output,
) -> Result<(), Error> {
    for voter in voters.iter().filter(|voter| voter.unchanged) {
        output::note(&format!(
            "nothing was changed: the votes of {} were {state} already",
            voter.voter
        ));
    }
    let document = serde_json::json!({ "state": state, "dry_run": dry_run, "voters": voters });
    if output.is_json() {
        return output.line(&document, "");
    }
    if voters.is_empty() {
        output.print("nothing was changed: no voter passes the filters");
    }
    let prefix = if dry_run { "dry run, not done: " } else { "" };
    for voter in voters.iter().filter(|voter| !voter.unchanged) {
        output.print(&format!(
            "{prefix}{state}: {} votes of {}",
            voter.votes, voter.voter
        ));
        if voter.lost > 0 {
            output::note(&format!(
                "{} void votes of {} are too old to be stored, and do not come back",
                voter.lost, voter.voter
            ));
        }
    }
    Ok(())
}
