//! A replica with listings, and helpers to call it.

use std::sync::Arc;

use catalogue::boards::Boards;
use catalogue::domain::draw::{Draw, SigningKey};
use catalogue::domain::drawer::Drawer;
use catalogue::domain::rankings::BoardKind;
use catalogue::domain::vote::Pair;
use catalogue::domain::voter::Voter;
use catalogue::index::{Catalogue, IndexWriter, Snapshot};
use catalogue::jobs::board_snapshot;
use catalogue::service::{Dependencies, Reads};
use catalogue::write::Limits;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::catalogue::v1::staff_service_client::StaffServiceClient;
use contracts::catalogue::v1::voter;
use contracts::catalogue::v1::votes_service_client::VotesServiceClient;
use contracts::common::v1::{Change, Mode, PageRequest};
use contracts::public::RankingRow;
use kit::Mode as ListingMode;
use kit::feed::{Position, Producer, Retention};
use kit::jobs::Leader;
use kit::lifecycle::{Lifecycle, Supervisor};
use kit::rpc::client::Client;
use kit::{Clock, Fault};
use sqlx::PgPool;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use crate::build::{EPOCH, entity, game, game_change, id, page, page_change, reads};

/// The clock's initial time.
pub(crate) const START: OffsetDateTime = datetime!(2026-03-01 12:30 UTC);
/// Vote limits small enough for a test to reach.
pub(crate) const LIMITS: Limits = Limits { ipv4_daily: 8, ipv6_daily: 5, hourly: 14, daily: 20 };

pub(crate) struct Replica {
    pub(crate) pool: PgPool,
    pub(crate) clock: Clock,
    pub(crate) boards: Arc<Boards>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) job: board_snapshot::Job,
    pub(crate) staff: StaffServiceClient<Client>,
    rankings: RankingsServiceClient<Client>,
    votes: VotesServiceClient<Client>,
    listings: IndexWriter,
    lifecycle: Lifecycle,
    _supervisor: Supervisor,
}

fn draw_key() -> SigningKey {
    SigningKey::new("the token of a test")
}

pub(crate) fn index() -> IndexWriter {
    let position = Position { epoch: EPOCH, seq: 0 };
    IndexWriter::new(position)
}

/// Applies changes to the index, as the follower of the listings feed does.
pub(crate) fn list(listings: &mut IndexWriter, changes: &[Change]) -> Snapshot {
    let mut seq = listings.snapshot().position.seq;
    for change in changes {
        seq += 1;
        listings.apply(entity(&Change { seq, ..change.clone() }));
    }
    listings.flush(seq).unwrap();
    listings.snapshot()
}

pub(crate) async fn boards(
    pool: &PgPool,
    clock: &Clock,
    snapshot: Snapshot,
) -> (Arc<Catalogue>, Arc<Boards>) {
    let catalogue = Arc::new(Catalogue::default());
    catalogue.publish(snapshot);
    let boards = Arc::new(Boards::new(Arc::clone(&catalogue)).unwrap());
    boards.refresh(pool, clock.now()).await.unwrap();
    (catalogue, boards)
}

/// Six published games, `game-1` to `game-6`; the first and the last share a page, each other game has its own.
pub(crate) fn games() -> Vec<Change> {
    let pages = (1..=5).map(|number| page_change(&page(number)));
    let games = (1..=6).map(|number| {
        let of = contracts::listings::v1::Game {
            page_id: id(if number == 6 { 1 } else { number }),
            ..game(number)
        };
        game_change(&of)
    });
    pages.chain(games).collect()
}

/// The id of a voter. An account with this id was created at [`START`] less 59 days.
pub(crate) fn voter_id(number: u32) -> String {
    id_at(datetime!(2026-01-01 0:00 UTC), number)
}

/// The id of an account that was created at this time: a version 7 UUID.
pub(crate) fn id_at(created_at: OffsetDateTime, number: u32) -> String {
    let milliseconds = u64::try_from(created_at.unix_timestamp() * 1_000).unwrap();
    let random = (u128::from(number) | 1 << 32).to_be_bytes();
    let random = random.last_chunk().unwrap();
    uuid::Builder::from_unix_timestamp_millis(milliseconds, random).into_uuid().to_string()
}

/// An account that is older than a month.
pub(crate) fn account(number: u32) -> proto::Voter {
    account_of(voter_id(number), "198.51.100.1")
}

/// An account that was created at [`START`].
pub(crate) fn new_account(number: u32, address: &str) -> proto::Voter {
    account_of(id_at(START, number), address)
}

pub(crate) fn account_of(id: String, address: &str) -> proto::Voter {
    voter_at(voter::Voter::AccountId(id), address)
}

pub(crate) fn cookie(number: u32, address: &str) -> proto::Voter {
    voter_at(voter::Voter::CookieId(voter_id(number)), address)
}

fn voter_at(voter: voter::Voter, address: &str) -> proto::Voter {
    proto::Voter { voter: Some(voter), other_account_ids: Vec::new(), address: address.to_owned() }
}

impl Replica {
    /// A replica with the six games.
    pub(crate) async fn start(pool: &PgPool) -> Self {
        Self::start_at(pool, Clock::fixed(START)).await
    }

    pub(crate) async fn start_at(pool: &PgPool, clock: Clock) -> Self {
        Self::start_with(pool, clock, LIMITS).await
    }

    pub(crate) async fn start_with(pool: &PgPool, clock: Clock, limits: Limits) -> Self {
        let (lifecycle, supervisor) = Lifecycle::new();
        let mut listings = index();
        let snapshot = list(&mut listings, &games());
        let (catalogue, boards) = boards(pool, &clock, snapshot).await;
        let leader = Leader::start(&lifecycle, pool.clone(), catalogue::SCHEMA, clock.clone());
        // A test that advances the clock by weeks triggers compaction, which must not delete the moves that the test reads.
        let retention = Retention {
            happenings: std::time::Duration::from_hours(24 * 36_500),
            ..Retention::default()
        };
        let producer = Producer::start(&leader, &lifecycle, retention);
        let job = board_snapshot::Job {
            pool: pool.clone(),
            catalogue: Arc::clone(&catalogue),
            producer: producer.clone(),
            lowest: 100,
        };
        let mut services = kit::rpc::server::services();
        let dependencies = Dependencies {
            pool: pool.clone(),
            reads: Reads {
                boards: Arc::clone(&boards),
                clock: clock.clone(),
                ..reads(Arc::clone(&catalogue))
            },
            producer: producer.clone(),
            limits,
            draw_key: draw_key(),
        };
        dependencies.add_to(&mut services);
        let address = testing::serve(services, &lifecycle).await.unwrap();
        let fleet = testing::client(&address, &lifecycle).unwrap();
        let staff = testing::staff_client(&address, &lifecycle).unwrap();
        Self {
            pool: pool.clone(),
            clock,
            boards,
            catalogue,
            job,
            staff: StaffServiceClient::new(staff),
            rankings: RankingsServiceClient::new(fleet.clone()),
            votes: VotesServiceClient::new(fleet),
            listings,
            lifecycle,
            _supervisor: supervisor,
        }
    }

    /// Applies changes of the listings feed.
    pub(crate) fn list(&mut self, changes: &[Change]) {
        self.catalogue.publish(list(&mut self.listings, changes));
    }

    /// Refreshes the boards, so that they count every committed vote.
    pub(crate) async fn catch_up(&self) {
        self.refresh().await.unwrap();
    }

    /// Like `catch_up`, but returns the error.
    pub(crate) async fn refresh(&self) -> anyhow::Result<()> {
        self.boards.refresh(&self.pool, self.clock.now()).await?;
        Ok(())
    }

    pub(crate) async fn draw(
        &self,
        voter: proto::Voter,
        kind: &str,
    ) -> Result<proto::DrawPairResponse, Fault> {
        self.draw_at(voter, kind, None).await
    }

    /// Draws a pair once the replica has read up to `seq` of the listings feed.
    pub(crate) async fn draw_at(
        &self,
        voter: proto::Voter,
        kind: &str,
        seq: Option<i64>,
    ) -> Result<proto::DrawPairResponse, Fault> {
        let epoch = EPOCH;
        let request = proto::DrawPairRequest {
            voter: Some(voter),
            kind: kind.to_owned(),
            at_least: seq.map(|seq| Position { epoch, seq }.into()),
        };
        let drawn = self.votes.clone().draw_pair(request).await;
        Ok(drawn.map_err(Fault::from)?.into_inner())
    }

    /// A draw of two games, signed as `DrawPair` signs it. An unknown game gets the nil id.
    pub(crate) fn signed(&self, voter: &proto::Voter, (one, other): (&str, &str)) -> String {
        let snapshot = self.catalogue.snapshot().unwrap();
        let games = &snapshot.dataset(ListingMode::Live).games;
        let game = |slug| games.get(slug).map(|game| game.id).unwrap_or_default();
        let id = match &voter.voter {
            Some(voter::Voter::AccountId(id) | voter::Voter::CookieId(id)) => id,
            None => "",
        };
        let id = id.parse().unwrap_or_default();
        let voter = Voter::cookie(id, "192.0.2.1".parse().unwrap());
        let draw = Draw {
            kind: BoardKind::Games,
            pair: Pair::new(game(one), game(other)),
            drawn_at: self.clock.now(),
            drawer: Drawer::Voter { id, judged: 0 },
        };
        draw_key().sign(&draw, &voter)
    }

    /// Votes on a pair with a signed draw of it; returns whether the vote was a repeat.
    pub(crate) async fn try_vote(
        &self,
        voter: proto::Voter,
        pair: (&str, &str),
    ) -> Result<bool, Fault> {
        let draw = self.signed(&voter, pair);
        self.try_vote_on(voter, pair, draw).await
    }

    /// Votes with a given draw; returns whether the vote was a repeat.
    pub(crate) async fn try_vote_on(
        &self,
        voter: proto::Voter,
        (winner, loser): (&str, &str),
        draw: String,
    ) -> Result<bool, Fault> {
        let request = proto::CastVoteRequest {
            voter: Some(voter),
            kind: "games".to_owned(),
            winner: winner.to_owned(),
            loser: loser.to_owned(),
            draw,
            neither: false,
        };
        self.cast(request).await
    }

    /// Picks neither game of a pair, with a signed draw of the pair.
    pub(crate) async fn pick_neither(
        &self,
        voter: proto::Voter,
        pair: (&str, &str),
    ) -> Result<bool, Fault> {
        let request = proto::CastVoteRequest {
            draw: self.signed(&voter, pair),
            voter: Some(voter),
            kind: "games".to_owned(),
            winner: pair.0.to_owned(),
            loser: pair.1.to_owned(),
            neither: true,
        };
        self.cast(request).await
    }

    /// Draws a pair of creators, and picks neither.
    pub(crate) async fn skip_creators(&self, voter: proto::Voter) {
        let pair = self.draw(voter.clone(), "creators").await.unwrap();
        let [first, second] =
            [pair.first, pair.second].map(|candidate| match candidate.unwrap().name_in_address {
                Some(NameInAddress::Handle(handle)) => handle,
                other => panic!("{other:?}"),
            });
        let request = proto::CastVoteRequest {
            voter: Some(voter),
            kind: "creators".to_owned(),
            winner: first,
            loser: second,
            draw: pair.draw,
            neither: true,
        };
        assert!(!self.cast(request).await.unwrap());
    }

    async fn cast(&self, request: proto::CastVoteRequest) -> Result<bool, Fault> {
        let cast = self.votes.clone().cast_vote(request).await;
        Ok(cast.map_err(Fault::from)?.into_inner().repeated_today)
    }

    /// Casts a vote of an account, which must not be a repeat.
    pub(crate) async fn vote(&self, voter: u32, winner: u32, loser: u32) {
        let (winner, loser) = (format!("game-{winner}"), format!("game-{loser}"));
        let cast = self.try_vote(account(voter), (&winner, &loser)).await;
        assert!(!cast.unwrap(), "voter {voter}: {winner}, {loser}");
    }

    pub(crate) async fn list_ranking(
        &self,
        mode: Mode,
        (kind, board): (&str, &str),
        page: PageRequest,
    ) -> Result<proto::ListRankingResponse, Fault> {
        let request = proto::ListRankingRequest {
            mode: mode.into(),
            page: Some(page),
            at_least: None,
            kind: kind.to_owned(),
            board: board.to_owned(),
        };
        let listed = self.rankings.clone().list_ranking(request).await;
        Ok(listed.map_err(Fault::from)?.into_inner())
    }

    /// The ranks of a live game: board, rank, previous rank and wins.
    pub(crate) async fn ranks(&self, game: &str) -> Result<Vec<(String, u64, u64, u64)>, Fault> {
        let request = proto::GetRanksRequest {
            mode: Mode::Live.into(),
            kind: "games".to_owned(),
            name: game.to_owned(),
            at_least: None,
        };
        let got = self.rankings.clone().get_ranks(request).await;
        let ranks = got.map_err(Fault::from)?.into_inner().ranks.into_iter();
        Ok(ranks.map(|it| (it.board, it.rank, it.previous_rank, it.wins)).collect())
    }

    /// Refreshes the boards and returns the first rows of one.
    pub(crate) async fn rows(&self, mode: Mode, kind: &str, board: &str) -> Vec<RankingRow> {
        self.catch_up().await;
        self.rows_now(mode, kind, board).await
    }

    /// The first rows of a board as last refreshed, with ranks without gaps and an exact total.
    pub(crate) async fn rows_now(&self, mode: Mode, kind: &str, board: &str) -> Vec<RankingRow> {
        let (rows, total) = self.rows_and_total(mode, kind, board).await;
        assert_eq!(usize::try_from(total).unwrap(), rows.len());
        for (row, rank) in rows.iter().zip(1..) {
            assert_eq!(row.rank, rank, "ranks have no gaps");
        }
        rows
    }

    /// The first rows of a board as last refreshed, and its total.
    pub(crate) async fn rows_and_total(
        &self,
        mode: Mode,
        kind: &str,
        board: &str,
    ) -> (Vec<RankingRow>, u64) {
        let page = PageRequest { limit: 100, ..PageRequest::default() };
        let listed = self.list_ranking(mode, (kind, board), page).await.unwrap();
        let rows = serde_json::from_slice(&listed.json).unwrap();
        (rows, listed.page.unwrap().total)
    }

    /// Names and wins of a refreshed board of live games.
    pub(crate) async fn board(&self, board: &str) -> Vec<(String, u64)> {
        let rows = self.rows(Mode::Live, "games", board).await;
        rows.into_iter().map(|row| (row.name, row.wins)).collect()
    }

    /// Names and wins of a board of live games as last refreshed.
    pub(crate) async fn board_now(&self, board: &str) -> Vec<(String, u64)> {
        let rows = self.rows_now(Mode::Live, "games", board).await;
        rows.into_iter().map(|row| (row.name, row.wins)).collect()
    }

    /// Names and previous ranks of a refreshed board of live games.
    pub(crate) async fn previous(&self, board: &str) -> Vec<(String, u64)> {
        let rows = self.rows(Mode::Live, "games", board).await.into_iter();
        rows.map(|row| (row.name, row.previous_rank)).collect()
    }

    /// The number of board snapshots that were taken.
    pub(crate) async fn snapshots(&self) -> i64 {
        let count = sqlx::query_scalar!(r#"select count(*) as "count!" from catalogue.snapshot"#);
        count.fetch_one(&self.pool).await.unwrap()
    }

    /// The name of a live game, if it is public.
    pub(crate) fn name(&self, id: Uuid) -> Option<String> {
        let snapshot = self.catalogue.snapshot().unwrap();
        let mut games = (snapshot.dataset(ListingMode::Live)).votables(BoardKind::Games);
        let game = games.find(|game| game.id() == id)?;
        Some(game.card().unwrap().name)
    }
}

impl Drop for Replica {
    /// Closes the connections to the database, which the test is about to drop.
    fn drop(&mut self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }
}

pub(crate) fn shown(rows: &[(&str, u64)]) -> Vec<(String, u64)> {
    let rows = rows.iter();
    rows.map(|(name, number)| ((*name).to_owned(), *number)).collect()
}
