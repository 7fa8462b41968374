//! Boards in memory against a plain model: random votes, voids, listings that come and go, and hours that pass.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use catalogue::boards::{Boards, CastVotes, TallyChange};
use catalogue::domain::rankings::{BoardKind, Hour, Window};
use catalogue::index::Catalogue;
use catalogue::service::Rankings;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::rankings_service_server::RankingsService as _;
use contracts::common::v1::{Change, Form, Mode, PageRequest};
use contracts::listings::v1::{Game, State};
use contracts::public::RankingRow;
use futures::FutureExt as _;
use kit::Clock;
use proptest::prelude::*;
use prost::Message as _;
use time::{Duration, OffsetDateTime};
use tonic::Request;
use uuid::Uuid;

use super::support::{START, games, index, list};
use crate::build::{game, game_change, id};

const GAMES: u32 = 6;

#[derive(Debug, Clone)]
enum Step {
    /// A vote for one game against another, so many hours ago.
    Vote(u32, u32, u32),
    /// The vote with this number is void.
    Void(usize),
    /// A game is public, or not; published so many seconds after 1970.
    List(u32, bool, u8),
    /// So many hours pass, or are taken back.
    Hours(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let game = || 1..=GAMES;
    prop_oneof![
        8 => (game(), game(), 0..3_u32).prop_map(|(winner, loser, ago)| Step::Vote(winner, loser, ago)),
        1 => (0..40_usize).prop_map(Step::Void),
        2 => (game(), any::<bool>(), 0..3_u8).prop_map(|(game, public, at)| Step::List(game, public, at)),
        2 => prop_oneof![1..6_i64, 160..170_i64, 715..725_i64, -2..0_i64].prop_map(Step::Hours),
    ]
}

/// What a plain program would hold.
#[derive(Debug, Default)]
struct Model {
    /// Votes that count: winner, loser, hour.
    votes: Vec<(u32, u32, u32)>,
    /// Public games, with when they were published.
    public: BTreeMap<u32, i64>,
}

impl Model {
    fn board(&self, window: u32, now: u32) -> Vec<(String, u64)> {
        let counted = |hour: u32| hour + window > now;
        let mut rows: Vec<_> = (self.public.iter())
            .filter_map(|(game, published)| {
                let votes = self.votes.iter().filter(|vote| counted(vote.2));
                let wins = votes.clone().filter(|vote| vote.0 == *game).count();
                let losses = votes.filter(|vote| vote.1 == *game).count();
                // A share as people would work it out, in millionths.
                let share = (wins * 1_000_000).checked_div(wins + losses)?;
                let key = (
                    Reverse(wins),
                    Reverse(share),
                    *published,
                    format!("game-{game}"),
                );
                Some((key, *game))
            })
            .collect();
        rows.sort();
        let rows = rows.into_iter();
        rows.map(|((wins, ..), game)| (format!("Game {game}"), wins.0 as u64))
            .collect()
    }
}

fn uuid(game: u32) -> Uuid {
    id(game).parse().unwrap()
}

fn change(seq: i64, change: &[TallyChange]) -> Change {
    let state = proto::TallyChanges {
        changes: change.iter().map(TallyChange::encode).collect(),
    };
    Change {
        seq,
        entity: "voter".to_owned(),
        happening: true,
        state: state.encode_to_vec().into(),
        ..Change::default()
    }
}

/// The rows of a board, page by page.
fn shown(rankings: &Rankings, board: &str) -> Vec<(String, u64)> {
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListRankingRequest {
            mode: Mode::Live.into(),
            page: Some(PageRequest { limit: 2, cursor }),
            form: Form::Json.into(),
            at_least: None,
            kind: "games".to_owned(),
            board: board.to_owned(),
        };
        // It waits for nothing.
        let answer = rankings.list_ranking(Request::new(request)).now_or_never();
        let answer = answer.unwrap().unwrap().into_inner();
        let page: Vec<RankingRow> = serde_json::from_slice(&answer.json).unwrap();
        for row in page {
            rows.push((row.name, row.wins));
            assert_eq!(usize::try_from(row.rank).unwrap(), rows.len());
        }
        let info = answer.page.unwrap();
        let Some(next) = info.next_cursor else {
            assert_eq!(usize::try_from(info.total).unwrap(), rows.len());
            return rows;
        };
        cursor = next;
    }
}

fn hour(at: OffsetDateTime) -> u32 {
    Hour::of(at).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn boards_are_as_a_plain_program_works_them_out(steps in prop::collection::vec(step(), 1..60)) {
        let clock = Clock::fixed(START);
        let catalogue = Arc::new(Catalogue::default());
        let boards = Arc::new(Boards::new(CastVotes::none(), clock.now()).unwrap());
        let mut listings = index();
        list(&mut listings, &catalogue, &boards, &games());
        let rankings = Rankings::new(Arc::clone(&catalogue), Arc::clone(&boards), clock.clone());
        let mut model = Model {
            public: (1..=GAMES).map(|game| (game, i64::from(game))).collect(),
            ..Model::default()
        };
        let mut seq = 0;
        for step in steps {
            match step {
                Step::Vote(winner, loser, ago) if winner != loser => {
                    let hour = hour(clock.now()) - ago;
                    let vote = TallyChange::of_vote(BoardKind::Games, uuid(winner), uuid(loser), Hour(hour));
                    seq += 1;
                    boards.apply(&[change(seq, &vote)], seq, None);
                    model.votes.push((winner, loser, hour));
                }
                Step::Void(number) if number < model.votes.len() => {
                    let (winner, loser, hour) = model.votes.remove(number);
                    let vote = TallyChange::of_vote(BoardKind::Games, uuid(winner), uuid(loser), Hour(hour));
                    let void = vote.map(|one| TallyChange { wins: -one.wins, losses: -one.losses, ..one });
                    seq += 1;
                    let void = change(seq, &void);
                    boards.apply(std::slice::from_ref(&void), seq, None);
                    // What comes twice counts once.
                    boards.apply(&[void], seq, None);
                }
                Step::List(number, public, at) => {
                    let state = if public { State::Published } else { State::Pending };
                    let listed = Game {
                        page_id: id(if number == 6 { 1 } else { number }),
                        state: state.into(),
                        first_published_at: Some(crate::build::at(at.into())),
                        ..game(number)
                    };
                    list(&mut listings, &catalogue, &boards, &[game_change(&listed)]);
                    model.public.remove(&number);
                    if public {
                        model.public.insert(number, at.into());
                    }
                }
                Step::Hours(hours) => clock.advance(Duration::hours(hours)),
                Step::Vote(..) | Step::Void(_) => {}
            }
        }
        let now = hour(clock.now());
        for (window, hours) in [(Window::Week, 168), (Window::Month, 720), (Window::All, now)] {
            prop_assert_eq!(shown(&rankings, window.as_str()), model.board(hours, now), "{:?}", window);
        }
        // Built whole, they are the same.
        let before = Window::ALL.map(|window| shown(&rankings, window.as_str()));
        boards.set_listings(&listings.snapshot());
        prop_assert_eq!(Window::ALL.map(|window| shown(&rankings, window.as_str())), before);
    }
}
