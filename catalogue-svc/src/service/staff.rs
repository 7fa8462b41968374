//! Votes, by staff (`catalogue/v1/staff.proto`).
//!
//! `staff vote list games/SLUG` lists who voted on a listing, by network. Voiding (`staff vote void
//! VOTER`, or `--address` for the cookies and new accounts of a network) subtracts the stored votes
//! from the tallies; later votes of the voter or network are accepted and not counted. `staff vote
//! restore` undoes it. A vote is stored for 31 days (`CATALOGUE_VOTES_KEPT`), the longest window of
//! a board; older votes stay in the tally of all time. A cookie is deleted with its last vote
//! unless its votes are void; a void network stays until it is restored.

use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_server::StaffService;
use contracts::catalogue::v1::voters_of;
use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::Page;
use kit::api::timestamp;
use kit::audit::{Audit, reason};
use kit::feed::Producer;
use kit::network::Network;
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Reads;
use super::query_params;
use crate::boards::Votable;
use crate::domain::rankings::BoardKind;
use crate::domain::staff_action::{Action, AuthorizedAction};
use crate::domain::voter::Voters;
use crate::store::listing_voters::{self, Key, ListingVoters, ListingVotes, Rows};
use crate::write::{self, VoidChange};
use kit::Mode;

/// The most votes on a listing that a list reads: PostgreSQL reads them in seconds also from a
/// disk.
const MOST_VOTES: i64 = 250_000;

#[derive(Debug)]
pub struct Staff {
    pub(super) pool: PgPool,
    pub(super) reads: Arc<Reads>,
    pub(super) producer: Producer,
    pub(super) audit: Audit,
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn list_voters(
        &self,
        request: Request<proto::ListVotersRequest>,
    ) -> Result<Response<proto::ListVotersResponse>, Status> {
        self.admit(&request, Action::Look, ("voter", "")).await?;
        let request = request.into_inner();
        let (kind, listing) = self.listing(&request)?;
        let mut bad = BadFields::default();
        let rows = if !request.address.is_empty() {
            bad.read("address", request.address.parse()).map(Rows::VotersFrom)
        } else if request.by_site {
            Some(Rows::Sites)
        } else {
            Some(Rows::Networks)
        };
        let since = bad.time("since", request.since).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let filters = [
            kind.as_str(),
            &listing.to_string(),
            &format!("{rows:?}"),
            &since.unix_timestamp_nanos().to_string(),
        ];
        let binding = Binding::new("voters", filters.map(Some));
        let page: Page<Key> = bad.read_public_page(binding, request.page);
        let rows = bad.finish(rows)?;
        let votes = ListingVotes { kind, listing, since };
        self.check_count(votes).await?;
        let (after, limit) = (page.after.as_ref(), page.rows_to_fetch());
        let listed = listing_voters::list(&self.pool, votes, rows, after, limit).await;
        let mut listed = listed.map_err(Fault::from)?;
        let next_cursor = page.cut(&mut listed, |row| Key::from(row))?;
        Ok(Response::new(proto::ListVotersResponse {
            voters: listed.into_iter().map(voters_message).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        }))
    }

    async fn void_votes(
        &self,
        request: Request<proto::VoidVotesRequest>,
    ) -> Result<Response<proto::VoidVotesResponse>, Status> {
        let on = audit_name(request.get_ref().voters.as_ref());
        let by = self.admit(&request, Action::VoidVotes, on).await?;
        let request = request.get_ref();
        let reason = reason(&request.reason)?;
        if reason.is_empty() {
            let why = "Say why; the audit keeps it.";
            return Err(Fault::invalid_field("reason", why).into());
        }
        let voters = voters(request.voters.as_ref())?;
        let change = VoidChange { voters, name: on.1, is_void: true, reason: &reason };
        let votes = write::set_void(&self.producer, &by, &change).await?;
        Ok(Response::new(proto::VoidVotesResponse {
            votes: votes.unwrap_or_default(),
            unchanged: votes.is_none(),
        }))
    }

    async fn restore_votes(
        &self,
        request: Request<proto::RestoreVotesRequest>,
    ) -> Result<Response<proto::RestoreVotesResponse>, Status> {
        let on = audit_name(request.get_ref().voters.as_ref());
        let by = self.admit(&request, Action::RestoreVotes, on).await?;
        let request = request.get_ref();
        let reason = reason(&request.reason)?;
        let voters = voters(request.voters.as_ref())?;
        let change = VoidChange { voters, name: on.1, is_void: false, reason: &reason };
        let votes = write::set_void(&self.producer, &by, &change).await?;
        Ok(Response::new(proto::RestoreVotesResponse {
            votes: votes.unwrap_or_default(),
            unchanged: votes.is_none(),
        }))
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
        on: (&str, &str),
    ) -> Result<AuthorizedAction, Status> {
        self.audit.admit(request, action, on).await
    }

    /// Fails if a list would have to read more than [`MOST_VOTES`].
    async fn check_count(&self, votes: ListingVotes) -> Result<(), Fault> {
        if listing_voters::count(&self.pool, votes, MOST_VOTES + 1).await? <= MOST_VOTES {
            return Ok(());
        }
        let reason = format!(
            "More than {MOST_VOTES} votes on this listing are stored. Must be a time since which there are fewer, such as yesterday."
        );
        Err(Fault::invalid_field("since", reason))
    }

    /// The kind and the id of a listing. Only public ones have a name here.
    fn listing(&self, request: &proto::ListVotersRequest) -> Result<(BoardKind, Uuid), Fault> {
        let snapshot = self.reads.catalogue.snapshot()?;
        let live = snapshot.dataset(Mode::Live);
        let mut bad = BadFields::default();
        let kind = bad.read("kind", query_params::board_kind(&request.kind));
        let listing = kind.and_then(|kind| {
            let name = request.listing.as_str();
            let id = live.votable(kind, name).map(Votable::id).or_else(|| name.parse().ok());
            let reason = "No published listing of this kind has this name. Give the id of another: `staff game show` and `staff page show` print it.";
            bad.read("listing", id.ok_or(reason))
        });
        bad.finish(kind.zip(listing))
    }
}

/// The voters that a call names.
fn voters(voters: Option<&proto::VotersOf>) -> Result<Voters, Fault> {
    match voters.and_then(|voters| voters.voters.as_ref()) {
        Some(voters_of::Voters::Voter(voter)) => {
            let id = voter.parse::<Uuid>().ok().map(Voters::Voter);
            id.ok_or_else(|| {
                Fault::invalid_field(
                    "voter",
                    "Must be the id of a voter, a UUID; or name a network with `address`.",
                )
            })
        }
        Some(voters_of::Voters::Address(address)) => {
            let network = address.parse::<Network>();
            let network = network.map_err(|reason| Fault::invalid_field("address", reason))?;
            Ok(Voters::Network(network))
        }
        None => Err(Fault::invalid_field("voters", "Name a voter or an address.")),
    }
}

fn voters_message(row: ListingVoters) -> proto::ListingVoters {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    proto::ListingVoters {
        address: row.network,
        voter: row.voter.map(|voter| voter.to_string()).unwrap_or_default(),
        older_account: row.is_older_account,
        voters: count(row.voters),
        void: count(row.void),
        votes_for: count(row.wins),
        votes_against: count(row.losses),
        votes: count(row.votes),
        first_seen_at: Some(timestamp::encode(row.first_seen_at)),
    }
}

/// The type and the name of the voters of a call in the audit, as they were typed.
fn audit_name(voters: Option<&proto::VotersOf>) -> (&'static str, &str) {
    match voters.and_then(|voters| voters.voters.as_ref()) {
        Some(voters_of::Voters::Voter(name)) => ("voter", name),
        Some(voters_of::Voters::Address(name)) => ("network", name),
        None => ("voter", ""),
    }
}
