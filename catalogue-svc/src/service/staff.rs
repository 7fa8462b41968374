//! Votes, by staff (`catalogue/v1/staff.proto`).
//!
//! Votes that look bought (`staff vote list-suspicious`): [`crate::domain::suspicion`] has the rules. `staff vote voters games/SLUG` lists who
//! voted on a listing, with `--max-age`, `--block` and `--min-share` as filters; it reads all stored votes once. Voiding (`staff vote void
//! VOTER`, `--address` for all cookies first seen at an address, or `--listing` with these filters) subtracts the stored votes of a voter from
//! the tallies by changes on the feed; later votes of this voter are accepted and not counted. `staff vote restore` undoes it. A vote is stored
//! for 31 days (`CATALOGUE_VOTES_KEPT`), the longest window of a board; older votes stay in the tally of all time. The last vote of a cookie
//! is deleted together with its address. A restore says how many votes were deleted while they were void.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_server::StaffService;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kit::audit::{Audit, reason};
use kit::bad_fields::BadFields;
use kit::feed::Writer;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Reads;
use super::query_params;
use super::stored_listing::StoredListing;
use crate::domain::listing::Mode;
use crate::domain::rankings::{BoardKind, Window};
use crate::domain::staff_action::{Action, By};
use crate::domain::{suspicion, vote};
use crate::feeds::votes::fold;
use crate::store::listing_voters::{self, VoterFilter};
use crate::store::voters;
use crate::store::votes::{self, NewlyFavoured};
use crate::write::{Command, CommandHandler, Outcome, Void};

/// The most listings in an answer.
const LISTED: usize = 100;
/// The most voters of a listing in an answer.
const LISTED_VOTERS: i64 = 500;
/// The least votes on a listing for which a share means something: of a single vote all are for one side.
const MIN_VOTES: u32 = 5;
/// Voters whose votes are voided concurrently.
const AT_ONCE: usize = 32;

/// The service.
#[derive(Debug)]
pub struct Staff {
    pub(super) pool: PgPool,
    pub(super) reads: Arc<Reads>,
    pub(super) writer: Writer<CommandHandler>,
    pub(super) audit: Audit,
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn list_suspicious_votes(
        &self,
        request: Request<proto::ListSuspiciousVotesRequest>,
    ) -> Result<Response<proto::ListSuspiciousVotesResponse>, Status> {
        self.admit(&request, Action::Look, "").await?;
        Ok(Response::new(self.suspicious().await?))
    }

    async fn list_voters(
        &self,
        request: Request<proto::ListVotersRequest>,
    ) -> Result<Response<proto::ListVotersResponse>, Status> {
        self.admit(&request, Action::Look, "").await?;
        let of = request.into_inner().voters.unwrap_or_default();
        let filter = self.filter(&of).await?;
        let voters = listing_voters::list(&self.pool, &filter, Some(LISTED_VOTERS));
        let voters = voters.await.map_err(|error| Fault::internal(&error))?;
        let count = |count: i64| u64::try_from(count).unwrap_or_default();
        Ok(Response::new(proto::ListVotersResponse {
            total: voters.first().map_or(0, |voter| count(voter.total)),
            voters: (voters.into_iter())
                .map(|voter| proto::ListingVoter {
                    voter: voter.id.to_string(),
                    address: voter.network.unwrap_or_default(),
                    first_seen_at: Some(timestamp::encode(voter.first_seen_at)),
                    votes_for: count(voter.wins),
                    votes_against: count(voter.losses),
                    votes: count(voter.votes),
                    void: voter.is_void,
                })
                .collect(),
        }))
    }

    async fn void_votes(
        &self,
        request: Request<proto::VoidVotesRequest>,
    ) -> Result<Response<proto::VoidVotesResponse>, Status> {
        let name = audit_name(request.get_ref().voters.as_ref());
        let by = self.admit(&request, Action::VoidVotes, &name).await?;
        let request = request.into_inner();
        let reason = reason(&request.reason)?;
        if reason.is_empty() {
            let why = "Say why; the audit keeps it.";
            return Err(Fault::invalid_field("reason", why).into());
        }
        let voters = self.voters(request.voters).await?;
        let voters = if request.dry_run {
            self.preview(&voters, false).await?
        } else {
            self.set_void(&by, voters, false, &reason).await?
        };
        Ok(Response::new(proto::VoidVotesResponse { voters }))
    }

    async fn restore_votes(
        &self,
        request: Request<proto::RestoreVotesRequest>,
    ) -> Result<Response<proto::RestoreVotesResponse>, Status> {
        let name = audit_name(request.get_ref().voters.as_ref());
        let by = self.admit(&request, Action::RestoreVotes, &name).await?;
        let request = request.into_inner();
        let reason = reason(&request.reason)?;
        let voters = self.voters(request.voters).await?;
        let voters = if request.dry_run {
            self.preview(&voters, true).await?
        } else {
            self.set_void(&by, voters, true, &reason).await?
        };
        Ok(Response::new(proto::RestoreVotesResponse { voters }))
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<Action>(request).await
    }
}

impl Staff {
    /// The member of staff who makes this call, if their role allows the action.
    async fn admit<T>(
        &self,
        request: &Request<T>,
        action: Action,
        voter: &str,
    ) -> Result<By, Status> {
        self.audit.admit(request, action, ("voter", voter)).await
    }

    /// Adds up what was committed before this call, and sorts the boards.
    async fn refresh(&self, now: OffsetDateTime) -> anyhow::Result<()> {
        fold(&self.pool).await?;
        self.reads.boards.refresh(&self.pool, now).await?;
        Ok(())
    }

    async fn suspicious(&self) -> Result<proto::ListSuspiciousVotesResponse, Fault> {
        let now = self.reads.clock.now();
        // The boards have the wins of each listing: they must include the votes that were read.
        let favoured = votes::by_new_voters(&self.pool, now - suspicion::NEW).await?;
        let refreshed = self.refresh(now).await;
        refreshed.map_err(|error| Fault::internal(error.as_ref()))?;
        let listings = self.suspicious_listings(favoured).await?;
        let voters = votes::busy_voters(
            &self.pool,
            now - suspicion::PERIOD,
            suspicion::VOTES_IN_AN_HOUR,
        )
        .await?;
        let voters = voters.into_iter().map(|voter| proto::SuspiciousVoter {
            voter: voter.id.to_string(),
            address: voter.network.unwrap_or_default(),
            first_seen_at: Some(timestamp::encode(voter.first_seen_at)),
            votes_in_an_hour: u64::try_from(voter.votes).unwrap_or_default(),
        });
        Ok(proto::ListSuspiciousVotesResponse {
            listings,
            voters: voters.collect(),
        })
    }

    /// The listings whose wins of the week look bought, in any state: those with the most such wins first.
    async fn suspicious_listings(
        &self,
        favoured: Vec<NewlyFavoured>,
    ) -> Result<Vec<proto::SuspiciousListing>, Fault> {
        let boards = self.reads.boards.of(Mode::Live)?;
        let tallies = &boards.votes.tallies;
        let bought = favoured.into_iter().filter_map(|one| {
            let wins = tallies.record(one.kind, one.listing, Window::Week).wins;
            suspicion::is_favoured(one.wins, wins).then_some((one, wins))
        });
        let mut bought: Vec<(NewlyFavoured, u32)> = bought.collect();
        bought.sort_by(|(a, _), (b, _)| {
            let by_wins = b.wins.cmp(&a.wins);
            by_wins.then_with(|| (a.kind, a.listing).cmp(&(b.kind, b.listing)))
        });
        bought.truncate(LISTED);
        let mut stored = HashMap::new();
        for kind in BoardKind::ALL {
            let of_kind = bought.iter().filter(|(one, _)| one.kind == kind);
            let ids: Vec<Uuid> = of_kind.map(|(one, _)| one.listing).collect();
            for listing in StoredListing::with_ids(&self.pool, kind, &ids).await? {
                stored.insert((kind, listing.id), listing);
            }
        }
        let listings = bought.into_iter().map(|(one, wins)| {
            // The schema gets a new listing a moment after readers.
            let (listing, name) = stored.remove(&(one.kind, one.listing)).map_or_else(
                || (one.listing.to_string(), String::new()),
                |stored| (stored.address, stored.name),
            );
            proto::SuspiciousListing {
                kind: one.kind.as_str().to_owned(),
                listing,
                name,
                wins: wins.into(),
                wins_by_new_voters: one.wins,
                new_voters: one.voters.iter().map(Uuid::to_string).collect(),
            }
        });
        Ok(listings.collect())
    }

    /// Voids or restores the votes of each voter in a transaction of its own. After an interruption the call can be repeated.
    async fn set_void(
        &self,
        by: &By,
        voters: Vec<Uuid>,
        restore: bool,
        reason: &str,
    ) -> Result<Vec<proto::VoterResult>, Fault> {
        let results = stream::iter(voters).map(async |voter| {
            let command = Void {
                voter,
                restore,
                reason: reason.to_owned(),
            };
            let command = Command::Void(by.clone(), command);
            let voided = self.writer.write_as(command, |outcome| match outcome {
                Outcome::Voided(voided) => Some(voided),
                _ => None,
            });
            let voided = voided.await?;
            Ok::<_, Fault>(proto::VoterResult {
                voter: voter.to_string(),
                votes: voided.votes,
                unchanged: voided.unchanged,
                lost: voided.lost,
            })
        });
        results.buffered(AT_ONCE).try_collect().await
    }

    /// What [`Self::set_void`] would do.
    async fn preview(
        &self,
        voters: &[Uuid],
        restore: bool,
    ) -> Result<Vec<proto::VoterResult>, Fault> {
        let counts = voters::vote_counts(&self.pool, voters).await?;
        if counts.is_empty() && !voters.is_empty() {
            return Err(Fault::not_found("No voter has this id."));
        }
        let result = |count: voters::VoteCount| {
            let unchanged = count.is_void != restore;
            let changed = |number: i64| match u64::try_from(number) {
                Ok(number) if !unchanged => number,
                _ => 0,
            };
            proto::VoterResult {
                voter: count.id.to_string(),
                votes: changed(count.votes),
                unchanged,
                lost: changed(count.lost.into()),
            }
        };
        Ok(counts.into_iter().map(result).collect())
    }

    /// The id of a live listing in any state: of its id, or of its slug or handle.
    async fn listing(&self, kind: BoardKind, name: &str) -> Result<Option<Uuid>, Fault> {
        if let Ok(id) = name.parse() {
            return Ok(Some(id));
        }
        let snapshot = self.reads.catalogue.snapshot()?;
        let live = snapshot.dataset(Mode::Live);
        let public = match kind {
            BoardKind::Games => live.games.get(name).map(|row| row.id),
            BoardKind::Creators => live.creators.get(name).map(|row| row.id),
        };
        if public.is_some() {
            return Ok(public);
        }
        let stored = StoredListing::find(&self.pool, kind, name).await?;
        Ok(stored.map(|listing| listing.id))
    }

    /// Reads and checks the filter of the voters of a listing.
    async fn filter(&self, of: &proto::ListingVoters) -> Result<VoterFilter, Fault> {
        let mut bad = BadFields::default();
        let kind = bad.read("kind", query_params::board_kind(&of.kind));
        let found = match kind {
            Some(kind) => self.listing(kind, &of.listing).await?,
            None => None,
        };
        let listing = kind.and_then(|_| {
            let reason = "No listing of this kind has this name or id.";
            bad.read("listing", found.ok_or(reason))
        });
        let block = of.block.as_deref().map(vote::block);
        let block = block.and_then(|block| bad.read("block", block));
        let share = of.min_share.unwrap_or_default();
        if of.min_share.is_some() && !(1..=100).contains(&share) {
            bad.add("min_share", "Give a whole number from 1 to 100.");
        }
        let least = if of.min_share.is_some() { MIN_VOTES } else { 0 };
        let (kind, listing) = bad.finish(kind.zip(listing))?;
        let age = of.max_age_hours.map(|hours| Duration::hours(hours.into()));
        Ok(VoterFilter {
            kind,
            listing,
            seen_after: age.map(|age| self.reads.clock.now() - age),
            block,
            min_share: share.into(),
            min_votes: of.min_votes.unwrap_or(least).into(),
        })
    }

    /// The ids of the voters that a call names.
    async fn voters(&self, voters: Option<proto::VotersOf>) -> Result<Vec<Uuid>, Fault> {
        match voters.and_then(|voters| voters.voters) {
            Some(Voters::Voter(voter)) => {
                let id = voter.parse::<Uuid>().ok();
                let id = id.ok_or_else(|| {
                    Fault::invalid_field("voter", "It is the id of a voter, a UUID.")
                })?;
                Ok(vec![id])
            }
            Some(Voters::Address(address)) => {
                // A network is named as `ListSuspiciousVotes` does.
                let address = address.strip_suffix("/64").unwrap_or(&address);
                let address = address.parse::<IpAddr>().ok().ok_or_else(|| {
                    Fault::invalid_field("address", "It is an IP address, or an IPv6 network /64.")
                })?;
                let voters = voters::of_network(&self.pool, &vote::network(address)).await?;
                if voters.is_empty() {
                    return Err(Fault::not_found(
                        "Nobody voted with a cookie that was first seen at this address.",
                    ));
                }
                Ok(voters)
            }
            Some(Voters::Listing(of)) => {
                if of.max_age_hours.is_none() && of.block.is_none() && of.min_share.is_none() {
                    let reason = "Filter the voters of a listing by age, block or share: honest ones vote on it too.";
                    return Err(Fault::invalid_field("voters", reason));
                }
                let voters =
                    listing_voters::list(&self.pool, &self.filter(&of).await?, None).await?;
                Ok(voters.into_iter().map(|voter| voter.id).collect())
            }
            None => Err(Fault::invalid_field(
                "voters",
                "Name a voter, an address or a listing.",
            )),
        }
    }
}

/// The name of the voters of a call in the audit.
fn audit_name(voters: Option<&proto::VotersOf>) -> String {
    match voters.and_then(|voters| voters.voters.as_ref()) {
        Some(Voters::Voter(name) | Voters::Address(name)) => name.clone(),
        Some(Voters::Listing(of)) => format!("{}/{}", of.kind, of.listing),
        None => String::new(),
    }
}
