//! Staff list voters, void votes and restore them.

use std::collections::BTreeSet;

use catalogue::jobs::retention;
use catalogue::write::Limits;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::common::v1::{AuditEntry, ListAuditRequest, PageRequest};
use contracts::listings::v1::State;
use kit::api::timestamp;
use kit::{Clock, Code, Fault};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use super::support::{Replica, START, account, account_of, cookie, new_account, shown, voter_id};
use crate::build::{game, game_change, id};

const UNLIMITED: Limits =
    Limits { ipv4_daily: u32::MAX, ipv6_daily: u32::MAX, hourly: 1_000, daily: 1_000 };

pub(super) fn voter(number: u32) -> proto::VotersOf {
    proto::VotersOf { voters: Some(Voters::Voter(voter_id(number))) }
}

fn at(address: &str) -> proto::VotersOf {
    proto::VotersOf { voters: Some(Voters::Address(address.to_owned())) }
}

impl Replica {
    /// Voids votes; returns their number, and whether nothing changed.
    pub(super) async fn void(&self, voters: proto::VotersOf) -> Result<(u64, bool), Fault> {
        let request =
            proto::VoidVotesRequest { voters: Some(voters), reason: "They look bought".to_owned() };
        let voided = self.staff.clone().void_votes(request).await;
        let voided = voided.map_err(Fault::from)?.into_inner();
        Ok((voided.votes, voided.unchanged))
    }

    pub(super) async fn restore(&self, voters: proto::VotersOf) -> (u64, bool) {
        let request = proto::RestoreVotesRequest { voters: Some(voters), reason: String::new() };
        let restored = self.staff.clone().restore_votes(request).await;
        let restored = restored.unwrap().into_inner();
        (restored.votes, restored.unchanged)
    }

    /// The audit, newest first: action, entity type and name.
    async fn audit(&self) -> Vec<AuditEntry> {
        let listed = self.staff.clone().list_audit(ListAuditRequest::default()).await;
        listed.unwrap().into_inner().entries
    }

    /// Votes for game 1 against game 2.
    async fn vote_as(&self, voter: proto::Voter) {
        assert!(!self.try_vote(voter, ("game-1", "game-2")).await.unwrap());
    }

    /// The wins of game 1.
    async fn wins(&self) -> u64 {
        let board = self.board("all").await;
        board.into_iter().find(|(name, _)| name == "Game 1").map_or(0, |(_, wins)| wins)
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn voided_votes_leave_the_boards_until_they_are_restored(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let other = Replica::start_at(&pool, replica.clock.clone()).await;
    replica.vote(1, 1, 2).await;
    replica.clock.advance(Duration::hours(30));
    replica.vote(1, 1, 2).await;
    replica.vote(1, 3, 2).await;
    replica.vote(2, 2, 1).await;
    let whole = shown(&[("Game 1", 2), ("Game 3", 1), ("Game 2", 1)]);
    assert_eq!(replica.board("week").await, whole);
    assert_eq!(replica.void(voter(1)).await.unwrap(), (3, false));
    let rest = shown(&[("Game 2", 1), ("Game 1", 0)]);
    for board in ["week", "month", "all"] {
        assert_eq!(other.board(board).await, rest, "{board}");
    }
    assert_eq!(replica.void(voter(1)).await.unwrap(), (0, true));
    // Later votes of a voided voter are accepted but do not count.
    replica.vote(1, 4, 2).await;
    assert_eq!(replica.board("week").await, rest);
    // A replica that starts now does not count them either.
    let third = Replica::start_at(&pool, replica.clock.clone()).await;
    assert_eq!(third.board("all").await, rest);

    assert_eq!(replica.restore(voter(1)).await, (4, false));
    assert_eq!(replica.restore(voter(1)).await, (0, true));
    let back = shown(&[("Game 1", 2), ("Game 3", 1), ("Game 4", 1), ("Game 2", 1)]);
    assert_eq!(other.board("week").await, back);

    let unknown = replica.void(voter(9)).await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    for bad in [
        proto::VotersOf::default(),
        at("localhost"),
        proto::VotersOf { voters: Some(Voters::Voter("kora".to_owned())) },
    ] {
        assert_eq!(replica.void(bad).await.unwrap_err().code, Code::Invalid);
    }
    let request = proto::VoidVotesRequest { voters: Some(voter(1)), reason: "  ".to_owned() };
    let refused = replica.staff.clone().void_votes(request).await;
    assert!(Fault::from(refused.unwrap_err()).fields.contains_key("reason"));

    let entries = replica.audit().await;
    let deeds: Vec<(&str, &str)> =
        (entries.iter()).map(|entry| (entry.action.as_str(), entry.name.as_str())).collect();
    let id = voter_id(1);
    assert_eq!(deeds, [("restore_votes", &*id), ("void_votes", &*id)]);
    assert!(entries[1].details.contains("They look bought"));
}

/// Otherwise an attacker who drops the cookie after each vote would go on.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_void_of_a_network_is_of_every_later_voter_too(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for number in 1..=3 {
        replica.vote_as(cookie(number, "192.0.2.1")).await;
    }
    replica.vote_as(new_account(4, "192.0.2.1")).await;
    // A neighbour's account, which is older, and a cookie of another network.
    replica.vote_as(account_of(voter_id(5), "192.0.2.1")).await;
    replica.vote_as(cookie(6, "192.0.2.2")).await;
    assert_eq!(replica.wins().await, 6);
    assert_eq!(replica.void(at("192.0.2.1")).await.unwrap(), (4, false));
    assert_eq!(replica.wins().await, 2);
    for voter in [cookie(7, "192.0.2.1"), new_account(8, "192.0.2.1")] {
        replica.vote_as(voter).await;
    }
    assert_eq!(replica.wins().await, 2);
    replica.vote_as(account_of(voter_id(9), "192.0.2.1")).await;
    // A voter of the void network counts elsewhere: the void is of votes.
    let elsewhere = replica.try_vote(cookie(1, "192.0.2.2"), ("game-1", "game-3"));
    assert!(!elsewhere.await.unwrap());
    assert_eq!(replica.wins().await, 4);
    assert_eq!(replica.void(at("192.0.2.1")).await.unwrap(), (0, true));
    assert_eq!(replica.restore(at("192.0.2.1")).await, (6, false));
    assert_eq!(replica.wins().await, 10);
    assert_eq!(replica.restore(at("192.0.2.1")).await, (0, true));
    // A network from which nobody has voted yet.
    assert_eq!(replica.void(at("198.51.100.0")).await.unwrap(), (0, false));
    replica.vote_as(cookie(10, "198.51.100.0")).await;
    assert_eq!(replica.wins().await, 10);

    let entries = replica.audit().await;
    let deeds = entries.iter().map(|it| (&*it.action, &*it.entity, &*it.name));
    let expected = [
        ("void_votes", "network", "198.51.100.0"),
        ("restore_votes", "network", "192.0.2.1"),
        ("void_votes", "network", "192.0.2.1"),
    ];
    assert_eq!(deeds.collect::<Vec<_>>(), expected);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_site_is_voided_as_a_whole_and_recorded_once_as_it_was_typed(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for (number, address) in
        [(1, "2001:db8::1"), (2, "2001:db8::2"), (3, "2001:db8:0:5::1"), (4, "2001:db8:1::1")]
    {
        replica.vote_as(cookie(number, address)).await;
    }
    assert_eq!(replica.void(at("2001:db8::7")).await.unwrap(), (2, false));
    // The first network is void already.
    assert_eq!(replica.void(at("2001:db8:0:5::/48")).await.unwrap(), (1, false));
    replica.vote_as(cookie(5, "2001:db8:0:99::1")).await;
    assert_eq!(replica.wins().await, 1);
    // The votes of the network stay void with those of the site.
    assert_eq!(replica.restore(at("2001:db8::/64")).await, (0, false));
    assert_eq!(replica.restore(at("2001:db8::/48")).await, (4, false));
    assert_eq!(replica.wins().await, 5);
    let entries = replica.audit().await;
    let names = entries.iter().rev().map(|entry| &*entry.name);
    let typed = ["2001:db8::7", "2001:db8:0:5::/48", "2001:db8::/64", "2001:db8::/48"];
    assert_eq!(names.collect::<Vec<_>>(), typed);
    let networks = ["2001:db8::/64", "2001:db8::/48"];
    for (entry, network) in entries.iter().rev().zip(networks) {
        assert!(entry.details.contains(&format!("\"network\":\"{network}\"")), "{entry:?}");
    }
}

/// The boards have exactly the votes that no void covers, whatever voids of voters, networks and
/// sites overlap.
#[testing::database_test(catalogue::MIGRATOR)]
async fn overlapping_voids_subtract_each_vote_once(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let mut rng = StdRng::seed_from_u64(7);
    let addresses = ["192.0.2.1", "2001:db8:0:1::1", "2001:db8:0:2::1"];
    let networks = ["192.0.2.1", "2001:db8:0:1::/64", "2001:db8:0:2::/64", "2001:db8::/48"];
    let covers = |network: &str, address: &str| match network {
        "2001:db8::/48" => address.starts_with("2001:db8:0:"),
        "192.0.2.1" => address == network,
        _ => address.starts_with(network.trim_end_matches(":/64")),
    };
    let mut votes: Vec<(u32, bool, &str)> = Vec::new();
    let mut void_voters = BTreeSet::new();
    let mut void_networks = BTreeSet::new();
    for step in 0..150 {
        if step % 3 == 0 {
            let (number, address) = (rng.random_range(1..5), addresses[rng.random_range(0..3)]);
            let is_older = number == 4;
            let voter = match number {
                4 => account_of(voter_id(4), address),
                _ => cookie(number, address),
            };
            // A new day, on which each voter may judge the pair again.
            replica.clock.advance(Duration::DAY);
            replica.vote_as(voter).await;
            votes.push((number, !is_older, address));
        } else if rng.random_bool(0.5) {
            let network = networks[rng.random_range(0..4)];
            if void_networks.remove(network) {
                assert!(!replica.restore(at(network)).await.1);
            } else {
                assert!(!replica.void(at(network)).await.unwrap().1);
                void_networks.insert(network);
            }
        } else if let Some((number, ..)) = votes.choose(&mut rng) {
            if void_voters.remove(number) {
                assert!(!replica.restore(voter(*number)).await.1);
            } else {
                assert!(!replica.void(voter(*number)).await.unwrap().1);
                void_voters.insert(*number);
            }
        }
        let counted = votes.iter().filter(|(number, counts_in_network, address)| {
            let is_void = *counts_in_network && void_networks.iter().any(|it| covers(it, address));
            !is_void && !void_voters.contains(number)
        });
        assert_eq!(replica.wins().await, counted.count() as u64, "step {step}");
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_void_of_a_network_misses_no_vote_that_is_cast_meanwhile(pool: PgPool) {
    let replica = Replica::start_with(&pool, Clock::fixed(START), UNLIMITED).await;
    let votes = (0..60).map(|number| replica.vote_as(cookie(number, "192.0.2.1")));
    let voids = async {
        for _ in 0..4 {
            assert!(!replica.void(at("192.0.2.1")).await.unwrap().1);
            assert!(!replica.restore(at("192.0.2.1")).await.1);
        }
        assert!(!replica.void(at("192.0.2.1")).await.unwrap().1);
    };
    futures::future::join(futures::future::join_all(votes), voids).await;
    assert_eq!(replica.wins().await, 0);
    assert_eq!(replica.restore(at("192.0.2.1")).await, (60, false));
    assert_eq!(replica.wins().await, 60);
}

/// Address, voter, numbers of voters and of void ones, votes for and against the listing, and all votes.
type Row = (String, String, [u64; 2], [u64; 3]);

fn list_of(listing: &str) -> proto::ListVotersRequest {
    proto::ListVotersRequest {
        kind: "games".to_owned(),
        listing: listing.to_owned(),
        ..Default::default()
    }
}

fn list_from(listing: &str, address: &str) -> proto::ListVotersRequest {
    proto::ListVotersRequest { address: address.to_owned(), ..list_of(listing) }
}

/// The voters of a listing, on pages of two rows, which are read to the end.
async fn voters_of(
    replica: &Replica,
    request: proto::ListVotersRequest,
) -> Result<Vec<Row>, Fault> {
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = Some(PageRequest { limit: 2, cursor });
        let request = proto::ListVotersRequest { page, ..request.clone() };
        let listed =
            replica.staff.clone().list_voters(request).await.map_err(Fault::from)?.into_inner();
        rows.extend(listed.voters.into_iter().map(|row| {
            let votes = [row.votes_for, row.votes_against, row.votes];
            (row.address, row.voter, [row.voters, row.void], votes)
        }));
        cursor = listed.next_cursor;
        if cursor.is_empty() {
            return Ok(rows);
        }
    }
}

fn several(address: &str, counts: [u64; 2], votes: [u64; 3]) -> Row {
    (address.to_owned(), String::new(), counts, votes)
}

fn one(number: u32, address: &str, void: u64, votes: [u64; 3]) -> Row {
    (address.to_owned(), voter_id(number), [1, void], votes)
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn the_voters_of_a_listing_are_listed_by_network(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    // An older account that votes on every game, and once picks neither.
    for (winner, loser) in [(1, 2), (3, 2), (2, 4)] {
        replica.vote(1, winner, loser).await;
    }
    let neither = replica.pick_neither(account(1), ("game-1", "game-3"));
    assert!(!neither.await.unwrap());
    // The first wave of an attack, which staff void, and the second one from another address.
    for (cookies, address) in [(11..14, "192.0.2.1"), (21..23, "192.0.2.2")] {
        for number in cookies {
            for loser in ["game-2", "game-3"] {
                let cast = replica.try_vote(cookie(number, address), ("game-1", loser));
                assert!(!cast.await.unwrap());
            }
        }
    }
    replica.void(at("192.0.2.1")).await.unwrap();
    // A neighbour of the attack.
    replica.vote_as(account_of(voter_id(2), "192.0.2.1")).await;
    let all = [
        several("192.0.2.2", [2, 0], [4, 0, 4]),
        one(1, "198.51.100.1", 0, [1, 0, 3]),
        one(2, "192.0.2.1", 0, [1, 0, 1]),
        several("192.0.2.1", [3, 3], [6, 0, 6]),
    ];
    assert_eq!(voters_of(&replica, list_of("game-1")).await.unwrap(), all);
    let against = voters_of(&replica, list_of("game-2")).await.unwrap();
    assert_eq!(against[0], one(1, "198.51.100.1", 0, [1, 2, 3]));
    // The voters of a network are rows of their own, so that one of them can be voided.
    replica.void(voter(21)).await.unwrap();
    assert_eq!(
        voters_of(&replica, list_from("game-1", "192.0.2.2")).await.unwrap(),
        [one(22, "192.0.2.2", 0, [2, 0, 2]), one(21, "192.0.2.2", 1, [2, 0, 2])]
    );
    let neighbours = voters_of(&replica, list_from("game-1", "192.0.2.1")).await.unwrap();
    assert_eq!(neighbours[0], one(2, "192.0.2.1", 0, [1, 0, 1]));
    assert_eq!(neighbours.len(), 4);
    let request = list_from("game-1", "192.0.2.1");
    let listed = replica.staff.clone().list_voters(request).await.unwrap().into_inner().voters;
    let older = listed.iter().map(|row| row.older_account);
    assert_eq!(older.collect::<Vec<_>>(), [true, false, false, false]);

    // A listing that was taken down is named by its id.
    let removed = contracts::listings::v1::Game { state: State::Removed.into(), ..game(1) };
    replica.list(&[game_change(&removed)]);
    let of_id = voters_of(&replica, list_of(&id(1))).await.unwrap();
    assert_eq!(of_id.len(), 4);
    assert_eq!(of_id[0], several("192.0.2.2", [2, 1], [4, 0, 4]));
    for (listing, address, field) in [("game-1", "", "listing"), ("game-2", "localhost", "address")]
    {
        let fault = voters_of(&replica, list_from(listing, address)).await.unwrap_err();
        assert!(fault.fields.keys().eq([field]), "{fault}");
    }
    let events = proto::ListVotersRequest { kind: "events".to_owned(), ..list_of(&id(1)) };
    let refused = replica.staff.clone().list_voters(events).await;
    let fault = Fault::from(refused.unwrap_err());
    assert!(fault.fields.keys().eq(["kind"]), "{fault}");
}

/// An attacker with a /48 has a network for each vote.
#[testing::database_test(catalogue::MIGRATOR)]
async fn the_networks_of_a_site_are_listed_together(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for number in 1..=4 {
        replica.vote_as(cookie(number, &format!("2001:db8:1:{number}::1"))).await;
    }
    replica.vote_as(cookie(5, "192.0.2.1")).await;
    replica.vote_as(account_of(voter_id(6), "2001:db8:1:9::1")).await;
    let by_site = proto::ListVotersRequest { by_site: true, ..list_of("game-1") };
    let site = |void| several("2001:db8:1::/48", [4, void], [4, 0, 4]);
    let others = [one(6, "2001:db8:1:9::/64", 0, [1, 0, 1]), one(5, "192.0.2.1", 0, [1, 0, 1])];
    let listed = voters_of(&replica, by_site.clone()).await.unwrap();
    assert_eq!(listed[0], site(0));
    assert_eq!(listed.len(), 3);
    assert!(others.iter().all(|row| listed.contains(row)), "{listed:?}");
    assert_eq!(voters_of(&replica, list_of("game-1")).await.unwrap().len(), 6);
    replica.void(at("2001:db8:1:2::/64")).await.unwrap();
    assert_eq!(voters_of(&replica, by_site).await.unwrap()[0], site(1));
    let of_site = voters_of(&replica, list_from("game-1", "2001:db8:1::/48")).await.unwrap();
    assert_eq!(of_site.len(), 5);
    assert_eq!(of_site[4], one(2, "2001:db8:1:2::/64", 1, [1, 0, 1]));
}

#[testing::database_test(catalogue::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "statements of a test")]
async fn a_list_of_voters_reads_a_bounded_number_of_votes(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let votes = sqlx::query(
        "insert into catalogue.vote (voter_id, day, low, high, low_won, in_network, kind, at, network, site)
         select gen_random_uuid(), (at at time zone 'UTC')::date, least($1, $2), greatest($1, $2), $1 < $2, true, 'games', at,
             '192.0.2.1', '192.0.2.1'
         from (select $3 - n * interval '10 seconds' as at from generate_series(1, 250000) as n) as times",
    );
    let [winner, loser] = [1, 2].map(|game| id(game).parse::<Uuid>().unwrap());
    votes.bind(winner).bind(loser).bind(START).execute(&pool).await.unwrap();
    voters_of(&replica, list_of("game-1")).await.unwrap();
    replica.vote_as(cookie(1, "192.0.2.2")).await;
    let refused = voters_of(&replica, list_of("game-1")).await.unwrap_err();
    assert_eq!(refused.code, Code::Invalid);
    assert!(refused.fields["since"].contains("250000"), "{refused:?}");
    let since = Some(timestamp::encode(START));
    let request = proto::ListVotersRequest { since, ..list_of("game-1") };
    let listed = voters_of(&replica, request).await.unwrap();
    assert_eq!(listed, [one(1, "192.0.2.2", 0, [1, 0, 1])]);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn only_votes_that_are_still_stored_are_restored(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let cookie = cookie(1, "192.0.2.1");
    for later in [Duration::ZERO, Duration::days(20)] {
        replica.clock.advance(later);
        let cast = replica.try_vote(cookie.clone(), ("game-1", "game-2"));
        assert!(!cast.await.unwrap());
    }
    assert_eq!(replica.void(voter(1)).await.unwrap(), (2, false));
    let remove = async || {
        let removed = retention::remove(&pool, replica.clock.now(), Duration::days(31)).await;
        removed.unwrap()
    };
    replica.clock.advance(Duration::days(12));
    assert_eq!(remove().await, 1);
    assert_eq!(replica.restore(voter(1)).await, (1, false));
    assert_eq!(replica.board("all").await[0].1, 1);
    assert_eq!(replica.void(at("192.0.2.1")).await.unwrap(), (1, false));
    // A void voter and a void network stay without votes: later votes do not count either.
    assert_eq!(replica.void(voter(1)).await.unwrap(), (0, false));
    replica.clock.advance(Duration::days(32));
    assert_eq!(remove().await, 1);
    assert_eq!(replica.restore(voter(1)).await, (0, false));
    assert_eq!(replica.restore(at("192.0.2.1")).await, (0, false));
    // Any other cookie is removed with its last vote.
    assert_eq!(remove().await, 0);
    let gone = replica.void(voter(1)).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}
