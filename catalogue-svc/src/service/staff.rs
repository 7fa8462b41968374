//! Votes, by staff (`catalogue/v1/staff.proto`).
//!
//! `staff vote list games/SLUG` lists who voted on a listing, by address; it reads all stored votes once. Voiding (`staff vote void VOTER`, or
//! `--address` for all cookies first seen at an address) subtracts the stored votes of a voter from the tallies; later votes of this voter
//! are accepted and not counted. `staff vote restore` undoes it. A vote is stored for 31 days (`CATALOGUE_VOTES_KEPT`), the longest window of a
//! board; older votes stay in the tally of all time. A cookie is deleted with its last vote, address included, unless its votes are void.

use std::net::IpAddr;
use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::staff_service_server::StaffService;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::Page;
use kit::api::timestamp;
use kit::audit::{Audit, reason};
use kit::feed::Producer;
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Reads;
use super::query_params;
use crate::boards::Votable;
use crate::domain::rankings::BoardKind;
use crate::domain::staff_action::{Action, AuthorizedAction};
use crate::domain::vote;
use crate::store::listing_voters::{self, Key, ListingVoters};
use crate::store::voters;
use crate::write;
use kit::Mode;

/// Voters whose votes are voided concurrently: half the connections of the smallest pool, which is also used by votes.
const AT_ONCE: usize = 2;

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
        self.admit(&request, Action::Look, "").await?;
        let request = request.into_inner();
        let (kind, listing) = self.listing(&request)?;
        let network = Some(request.address.as_str())
            .filter(|address| !address.is_empty())
            .map(network_of)
            .transpose()?;
        let id = listing.to_string();
        let filters = [Some(kind.as_str()), Some(&*id), network.as_deref()];
        let mut bad = BadFields::default();
        let page = bad.read_public_page(Binding::new("voters", filters), request.page);
        let page: Page<Key> = bad.finish(Some(page))?;
        let (after, limit) = (page.after.as_ref(), page.rows_to_fetch());
        let mut rows =
            listing_voters::list(&self.pool, (kind, listing), network.as_deref(), after, limit)
                .await
                .map_err(|error| Fault::internal(&error))?;
        let next_cursor = page.cut(&mut rows, |row| Key::from(row))?;
        Ok(Response::new(proto::ListVotersResponse {
            voters: rows.into_iter().map(voters_message).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
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
        let voters = self.voters(request.voters, true).await?;
        let voters = self.set_void(&by, voters, true, &reason).await?;
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
        let voters = self.voters(request.voters, false).await?;
        let voters = self.set_void(&by, voters, false, &reason).await?;
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
    ) -> Result<AuthorizedAction, Status> {
        self.audit.admit(request, action, ("voter", voter)).await
    }

    /// Voids or restores the votes of each voter in a transaction of its own. After an interruption the call can be repeated.
    async fn set_void(
        &self,
        by: &AuthorizedAction,
        voters: Vec<Uuid>,
        is_void: bool,
        reason: &str,
    ) -> Result<Vec<proto::VoterResult>, Fault> {
        let results = stream::iter(voters).map(async |voter| {
            let votes = write::set_void(&self.producer, by, voter, is_void, reason).await?;
            Ok::<_, Fault>(proto::VoterResult {
                voter: voter.to_string(),
                votes: votes.unwrap_or_default(),
                unchanged: votes.is_none(),
            })
        });
        results.buffered(AT_ONCE).try_collect().await
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

    /// The ids of the voters that a call names.
    async fn voters(
        &self,
        voters: Option<proto::VotersOf>,
        is_void: bool,
    ) -> Result<Vec<Uuid>, Fault> {
        match voters.and_then(|voters| voters.voters) {
            Some(Voters::Voter(voter)) => {
                let id = voter.parse::<Uuid>().ok();
                let id = id.ok_or_else(|| {
                    Fault::invalid_field("voter", "It is the id of a voter, a UUID.")
                })?;
                Ok(vec![id])
            }
            Some(Voters::Address(address)) => {
                let network = network_of(&address)?;
                let voters = voters::of_network(&self.pool, &network, is_void).await?;
                if voters.is_empty() {
                    return Err(Fault::not_found(
                        "Nobody voted with a cookie that was first seen at this address.",
                    ));
                }
                Ok(voters)
            }
            None => Err(Fault::invalid_field("voters", "Name a voter or an address.")),
        }
    }
}

/// The network of an address, or a network as `ListVoters` names it.
fn network_of(address: &str) -> Result<String, Fault> {
    let address = address.strip_suffix("/64").unwrap_or(address);
    let address = address.parse::<IpAddr>().ok().ok_or_else(|| {
        Fault::invalid_field("address", "It is an IP address, or an IPv6 network /64.")
    })?;
    Ok(vote::network(address))
}

fn voters_message(row: ListingVoters) -> proto::ListingVoters {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    let voter = match &row.voters[..] {
        [voter] => voter.to_string(),
        _ => String::new(),
    };
    proto::ListingVoters {
        address: row.network.unwrap_or_default(),
        voter,
        voters: row.voters.len() as u64,
        void: count(row.void),
        votes_for: count(row.wins),
        votes_against: count(row.losses),
        votes: count(row.votes),
        first_seen_at: Some(timestamp::encode(row.first_seen_at)),
    }
}

/// The name of the voters of a call in the audit.
fn audit_name(voters: Option<&proto::VotersOf>) -> String {
    match voters.and_then(|voters| voters.voters.as_ref()) {
        Some(Voters::Voter(name) | Voters::Address(name)) => name.clone(),
        None => String::new(),
    }
}
