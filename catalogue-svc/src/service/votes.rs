//! Votes (§2.5).

use std::net::IpAddr;
use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use contracts::catalogue::v1::votes_service_server::VotesService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::feed::Producer;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::query_params::board_kind;
use super::{Reads, answer};
use crate::boards::{Votable, random_pair};
use crate::domain::draw::{Draw, SigningKey};
use crate::domain::drawer::{self, Drawer};
use crate::domain::rankings::BoardKind;
use crate::domain::vote::{self, Pair, Vote};
use crate::domain::voter::Voter;
use crate::index::Dataset;
use crate::store::{networks, votes};
use crate::write::{self, Limits};
use kit::Mode;

/// The most other accounts of a voter.
const MOST_ACCOUNTS: usize = 1_000;

#[derive(Debug)]
pub struct Votes {
    pub(super) pool: PgPool,
    pub(super) reads: Arc<Reads>,
    pub(super) producer: Producer,
    pub(super) limits: Limits,
    pub(super) draw_key: SigningKey,
}

#[tonic::async_trait]
impl VotesService for Votes {
    async fn draw_pair(
        &self,
        request: Request<proto::DrawPairRequest>,
    ) -> Result<Response<proto::DrawPairResponse>, Status> {
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let voter = bad.read("voter", voter(request.voter, self.reads.clock.now()));
        let kind = bad.read("kind", board_kind(&request.kind));
        let (voter, kind) = bad.finish(voter.zip(kind))?;
        let snapshot = (self.reads).snapshot_at(request.at_least.as_ref()).await?;
        let live = snapshot.dataset(Mode::Live);
        Ok(Response::new(self.draw(live, kind, &voter).await?))
    }

    async fn cast_vote(
        &self,
        request: Request<proto::CastVoteRequest>,
    ) -> Result<Response<proto::CastVoteResponse>, Status> {
        let vote = self.read(request.into_inner())?;
        let is_new = write::cast(&self.producer, &vote, self.limits).await?;
        Ok(Response::new(proto::CastVoteResponse { repeated_today: !is_new }))
    }
}

impl Votes {
    async fn draw(
        &self,
        listings: &Dataset,
        kind: BoardKind,
        voter: &Voter,
    ) -> Result<proto::DrawPairResponse, Fault> {
        let now = self.reads.clock.now();
        let day = vote::day(now);
        let judged = votes::judged(&self.pool, voter.id, kind, day).await?;
        let drawer = if judged.is_empty() && voter.counts_in_network {
            let (site, bucket) = (voter.network.site(), drawer::bucket(voter.id));
            let votes = networks::bucket_votes(&self.pool, site, day, bucket).await?;
            Drawer::bucket_of(voter, votes)
        } else {
            Drawer::Voter { id: voter.id, judged: judged.len() }
        };
        let seed = self.draw_key.seed(&drawer, kind, day);
        let mut rng = StdRng::from_seed(seed);
        let pair = random_pair(listings, kind, &mut rng, &voter.accounts, &judged);
        let [first, second] = pair.ok_or_else(|| {
            Fault::not_found("No two listings of different creators are left to judge today.")
        })?;
        let draw = Draw { kind, pair: Pair::new(first.id(), second.id()), drawn_at: now, drawer };
        Ok(proto::DrawPairResponse {
            first: Some(candidate(first)?),
            second: Some(candidate(second)?),
            draw: self.draw_key.sign(&draw, voter),
        })
    }

    /// Reads a vote with the listings of this replica, however far it is behind. The draw proves that the pair may be judged; the listings give
    /// only the ids and the owners. At a replica that is behind, a vote counts as if it had been cast before the latest takedowns and changes of
    /// owners. A listing that is not there yet is refused, and the voter gets the same pair again.
    fn read(&self, request: proto::CastVoteRequest) -> Result<Vote, Fault> {
        let snapshot = self.reads.catalogue.snapshot()?;
        let live = snapshot.dataset(Mode::Live);
        let now = self.reads.clock.now();
        let mut bad = BadFields::default();
        let voter = bad.read("voter", voter(request.voter, now));
        let kind = bad.read("kind", board_kind(&request.kind));
        let mut named =
            |field: &str, name: &str| bad.read(field, find(live, kind?, name, voter.as_ref()?));
        let winner = named("winner", &request.winner);
        let loser = named("loser", &request.loser);
        let draw = voter
            .as_ref()
            .and_then(|voter| bad.read("draw", self.draw_key.verify(&request.draw, voter, now)));
        if let (Some(kind), Some(winner), Some(loser), Some(draw)) = (kind, winner, loser, &draw)
            && (kind, Pair::new(winner, loser)) != (draw.kind, draw.pair)
        {
            let reason = "The winner and the loser are not the pair that was drawn.".to_owned();
            bad.add("draw", reason);
        }
        let named = kind.zip(winner.zip(loser));
        let (voter, ((kind, (winner, loser)), draw)) = bad.finish(voter.zip(named.zip(draw)))?;
        Ok(Vote {
            voter,
            kind,
            pair: Pair::new(winner, loser),
            winner: (!request.neither).then_some(winner),
            day: vote::day(draw.drawn_at),
            drawer: draw.drawer,
        })
    }
}

fn candidate(listing: Votable<'_>) -> Result<proto::Candidate, Fault> {
    let card = listing.card().map_err(|error| answer::broken(&error))?;
    let address = listing.address().to_string();
    let address = match listing {
        Votable::Game(_) => NameInAddress::Slug(address),
        Votable::Creator(_) => NameInAddress::Handle(address),
    };
    Ok(proto::Candidate {
        name_in_address: Some(address),
        name: card.name,
        tagline: card.tagline,
        country_code: card.country_code,
        url: card.url,
        picture_url: card.picture_url,
    })
}

/// The id of a public listing that `voter` may judge.
fn find(dataset: &Dataset, kind: BoardKind, name: &str, voter: &Voter) -> Result<Uuid, String> {
    let listing = dataset.votable(kind, name);
    let listing =
        listing.ok_or_else(|| "No published listing of this kind has this name.".to_owned())?;
    let owners = listing.owners(dataset);
    if owners.iter().any(|owner| voter.accounts.contains(owner)) {
        return Err("It belongs to an account of this voter. Draw another pair.".to_owned());
    }
    Ok(listing.id())
}

fn voter(voter: Option<proto::Voter>, now: OffsetDateTime) -> Result<Voter, String> {
    let id = |id: &str| {
        let id = id.parse::<Uuid>().ok();
        id.ok_or_else(|| "Its id is a UUID.".to_owned())
    };
    let voter = voter.unwrap_or_default();
    let others = voter.other_account_ids;
    if others.len() > MOST_ACCOUNTS {
        return Err(format!("It has at most {MOST_ACCOUNTS} other accounts."));
    }
    let others = others.iter().map(|account| id(account)).collect::<Result<Vec<_>, _>>()?;
    let address = voter.address.parse::<IpAddr>().ok();
    let network = address.ok_or_else(|| "Its address is an IP address.".to_owned())?.into();
    match voter.voter {
        Some(proto::voter::Voter::AccountId(account)) => {
            Ok(Voter::account(id(&account)?, others, network, now))
        }
        Some(proto::voter::Voter::CookieId(cookie)) => {
            Ok(Voter { accounts: others, ..Voter::cookie(id(&cookie)?, network) })
        }
        None => Err("Say who votes: an account or a cookie.".to_owned()),
    }
}
