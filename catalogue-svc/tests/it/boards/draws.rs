//! The pairs that `DrawPair` draws.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use catalogue::boards::random_pair;
use catalogue::domain::rankings::BoardKind;
use catalogue::jobs::retention;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use contracts::common::v1::Change;
use contracts::listings::v1::State;
use kit::Mode;
use kit::{Clock, Code};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use sqlx::PgPool;
use time::Duration;
use time::macros::datetime;

use super::support::{
    LIMITS, Replica, START, account, cookie, games, index, list, new_account, voter_id,
};
use crate::build::{game, game_change, id, page, page_change};

pub(crate) fn slug(candidate: Option<proto::Candidate>) -> String {
    match candidate.unwrap().name_in_address {
        Some(NameInAddress::Slug(slug)) => slug,
        other => panic!("{other:?}"),
    }
}

/// Games 7 to `last`, each on a page of its own.
pub(super) fn games_until(last: u32) -> Vec<Change> {
    let games = (7..=last).flat_map(|number| {
        let game = contracts::listings::v1::Game { page_id: id(number), ..game(number) };
        [page_change(&page(number)), game_change(&game)]
    });
    games.collect()
}

#[test]
fn every_game_is_paired_with_every_other_one_equally_often() {
    let snapshot = list(&mut index(), &[games(), games_until(40)].concat());
    let mut rng = StdRng::seed_from_u64(1);
    let mut met: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut firsts: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..4_000 {
        let (live, games) = (snapshot.dataset(Mode::Live), BoardKind::Games);
        let drawn = random_pair(live, games, &mut rng, &[], &HashSet::new());
        let [one, other] = drawn.unwrap().map(|game| game.address().to_string());
        assert_ne!(one, other);
        *firsts.entry(one.clone()).or_default() += 1;
        met.entry(one.clone()).or_default().push(other.clone());
        met.entry(other).or_default().push(one);
    }
    assert_eq!(met.len(), 40);
    for (game, others) in &met {
        let different = others.iter().collect::<BTreeSet<_>>().len();
        let counts = [different, others.len(), firsts[game] as usize];
        let mut is_even = counts.into_iter().zip([35..=39, 140..=260, 60..=140]);
        assert!(is_even.all(|(count, range)| range.contains(&count)), "{game}: {counts:?}");
    }
}

/// The two games of the voter's next pair, sorted.
async fn drawn(replica: &Replica, voter: proto::Voter) -> BTreeSet<String> {
    let pair = replica.draw(voter, "games").await.unwrap();
    BTreeSet::from([pair.first, pair.second].map(slug))
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_voter_gets_the_same_pair_until_it_is_judged(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    let mut other = Replica::start_at(&pool, replica.clock.clone()).await;
    // The listings have other doc ids at the other replica.
    let mut listings = games_until(40);
    replica.list(&listings);
    listings.reverse();
    other.list(&listings);
    let mut seen = BTreeSet::new();
    for _ in 0..5 {
        let pair = drawn(&replica, account(1)).await;
        // A judged pair of creators brings no other pair of games.
        replica.skip_creators(account(1)).await;
        for replica in [&other, &replica] {
            assert_eq!(drawn(replica, account(1)).await, pair);
        }
        let games: Vec<&String> = pair.iter().collect();
        let games = (games[0].as_str(), games[1].as_str());
        assert!(!replica.pick_neither(account(1), games).await.unwrap());
        assert!(replica.try_vote(account(1), games).await.unwrap());
        seen.insert(pair);
    }
    assert_eq!(seen.len(), 5);
    assert_eq!(replica.board("all").await, [], "neither counts for nobody");
    let others = (2..12).map(|voter| drawn(&replica, account(voter)));
    let others = futures::future::join_all(others).await;
    assert!(others.into_iter().collect::<BTreeSet<_>>().len() > 5);
}

/// Otherwise a client could drop its cookie until the drawn pair has a certain game, and vote for that game each time.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_new_cookie_or_account_is_no_new_draw(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.list(&games_until(40));
    let mut of_networks = Vec::new();
    for address in ["192.0.2.1", "2001:db8:7:0::1"] {
        let mut pairs = BTreeSet::new();
        for number in 0..64_u32 {
            // All networks of an IPv6 site draw together.
            let address = address.replace(":0::", &format!(":{number}::"));
            pairs.insert(drawn(&replica, cookie(number, &address)).await);
            let pair = drawn(&replica, new_account(number, &address)).await;
            assert!(pairs.contains(&pair), "{pair:?}");
        }
        // The phones behind an address get different pairs all the same.
        assert!((12..=16).contains(&pairs.len()), "{address}: {pairs:?}");
        of_networks.push(pairs);
    }
    assert_ne!(of_networks[0], of_networks[1]);
    // A voter who has judged a pair draws their own.
    let mut pairs = BTreeSet::new();
    for number in [0, 16, 32, 48] {
        let voter = match number {
            0 | 16 => cookie(number, "192.0.2.2"),
            _ => new_account(number, "192.0.2.2"),
        };
        let skipped = replica.pick_neither(voter.clone(), ("game-1", "game-2"));
        assert!(!skipped.await.unwrap());
        pairs.insert(drawn(&replica, voter).await);
    }
    assert_eq!(pairs.len(), 4, "{pairs:?}");
}

/// Otherwise cookies of many networks could vote on the pair of one network, which no vote of its own changes.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_pair_that_new_cookies_share_is_judged_in_its_network(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let pair = replica.draw(cookie(1, "192.0.2.1"), "games").await.unwrap();
    let [first, second] = [pair.first, pair.second].map(slug);
    let vote = async |address| {
        let draw = pair.draw.clone();
        let cast = replica.try_vote_on(cookie(1, address), (&first, &second), draw);
        cast.await
    };
    let refused = vote("192.0.2.2").await.unwrap_err();
    assert!(refused.fields.keys().eq(["draw"]), "{refused:?}");
    assert!(!vote("192.0.2.1").await.unwrap());
}

/// Many cookies that were shown a pair while it was the pair of their bucket cannot all vote on it, neither at once nor after midnight.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_pair_that_new_cookies_share_is_judged_twenty_times_at_most(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.list(&games_until(40));
    let almost = datetime!(2026-03-01 23:58 UTC);
    replica.clock.advance(almost - replica.clock.now());
    // One bucket; each cookie in an IPv6 network of its own.
    let voter = |number: u32| cookie(16 * number, &format!("2001:db8:7:{number}::1"));
    let draw = async |number| {
        let pair = replica.draw(voter(number), "games").await.unwrap();
        (slug(pair.first), slug(pair.second), pair.draw)
    };
    let vote = async |number, (first, second, draw): &(String, String, String)| {
        let cast = replica.try_vote_on(voter(number), (first, second), draw.clone());
        cast.await
    };
    let mut drawn = Vec::new();
    for number in 0..22 {
        drawn.push(draw(number).await);
    }
    let games = |(first, second, _): &(String, String, String)| (first.clone(), second.clone());
    assert!(drawn.iter().all(|pair| games(pair) == games(&drawn[0])));
    for (number, pair) in (0..10).zip(&drawn) {
        assert!(!vote(number, pair).await.unwrap(), "{number}");
    }
    let next = draw(22).await;
    assert_ne!(games(&next), games(&drawn[0]));
    replica.clock.advance(Duration::minutes(5));
    let removed = retention::remove(&pool, replica.clock.now(), Duration::days(31)).await;
    removed.unwrap();
    for (number, pair) in (0..20).zip(&drawn).skip(10) {
        assert!(!vote(number, pair).await.unwrap(), "{number}");
    }
    for number in [20, 21] {
        let refused = vote(number, &drawn[number as usize]).await.unwrap_err();
        assert_eq!(refused.code, Code::Invalid);
        assert!(refused.fields.keys().eq(["draw"]), "{refused:?}");
    }
    // The pair before the current one is still accepted. A refused voter draws another pair.
    assert!(!vote(22, &next).await.unwrap());
    let again = draw(20).await;
    assert!(!vote(20, &again).await.unwrap());
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_pair_is_drawn_after_all_earlier_writes_or_not_at_all(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    let newest = replica.catalogue.snapshot().unwrap().position.seq;
    for (seq, is_drawn) in [(newest, true), (newest + 1, false)] {
        for kind in ["games", "creators"] {
            let drawn = replica.draw_at(account(1), kind, Some(seq)).await;
            let code = drawn.err().map(|fault| fault.code);
            let expected = (!is_drawn).then_some(Code::Unavailable);
            assert_eq!(code, expected, "{kind} {seq}");
        }
    }
    replica.list(&[page_change(&page(7))]);
    let drawn = replica.draw_at(account(1), "games", Some(newest + 1)).await;
    drawn.unwrap();
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn pairs_of_one_creator_and_judged_pairs_are_not_drawn(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let mut judged = BTreeSet::new();
    for _ in 0..14 {
        let pair = replica.draw(account(8), "games").await.unwrap();
        let (first, second) = (slug(pair.first), slug(pair.second));
        let cast = replica.try_vote_on(account(8), (&first, &second), pair.draw).await;
        assert!(!cast.unwrap());
        assert!(judged.insert(BTreeSet::from([first, second])));
    }
    // Games 1 and 6 have the same creator.
    assert!(!judged.contains(&BTreeSet::from(["game-1", "game-6"].map(str::to_owned))));
    let none = replica.draw(account(8), "games").await.unwrap_err();
    assert_eq!(none.code, Code::NotFound);
    replica.clock.advance(Duration::DAY);
    assert!(replica.draw(account(8), "games").await.is_ok());

    let pair = replica.draw(account(8), "creators").await.unwrap();
    assert_ne!(pair.first, pair.second);
    assert!(matches!(pair.first.unwrap().name_in_address, Some(NameInAddress::Handle(_))));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_vote_needs_a_draw_of_its_voter_and_uses_it_once(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let other = Replica::start_at(&pool, replica.clock.clone()).await;
    let pair = replica.draw(account(1), "games").await.unwrap();
    let draw = pair.draw;
    let (first, second) = (slug(pair.first), slug(pair.second));
    let vote = async |voter, winner: &str, loser: &str, draw: &str| {
        // Any replica accepts the draw.
        let cast = other.try_vote_on(voter, (winner, loser), draw.to_owned());
        cast.await
    };
    let third = (1..=3).map(|number| format!("game-{number}"));
    let third = { third }.find(|game| ![&first, &second].contains(&game));
    let third = third.unwrap();
    for (voter, winner, draw) in [
        (account(1), &first, "AAAA"),
        (account(2), &first, draw.as_str()),
        (account(1), &third, &draw),
    ] {
        let refused = vote(voter, winner, &second, draw).await.unwrap_err();
        let fields: Vec<&String> = refused.fields.keys().collect();
        assert_eq!((refused.code, &*fields), (Code::Invalid, &[&"draw".to_owned()][..]));
    }
    replica.clock.advance(Duration::minutes(9));
    assert!(!vote(account(1), &second, &first, &draw).await.unwrap());
    // A second vote on the same draw is a repeat, even after midnight.
    assert!(vote(account(1), &second, &first, &draw).await.unwrap());
    let votes = sqlx::query_scalar!(r#"select count(*) as "count!" from catalogue.vote"#);
    assert_eq!(votes.fetch_one(&pool).await.unwrap(), 1);

    replica.clock.advance(datetime!(2026-03-01 23:55 UTC) - replica.clock.now());
    let late = replica.signed(&account(3), ("game-1", "game-2"));
    assert!(!vote(account(3), "game-1", "game-2", &late).await.unwrap());
    replica.clock.advance(Duration::minutes(9));
    assert!(vote(account(3), "game-1", "game-2", &late).await.unwrap());
    replica.clock.advance(Duration::minutes(2));
    let refused = vote(account(3), "game-1", "game-2", &late).await;
    assert!(refused.unwrap_err().fields["draw"].contains("ten minutes"));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_replica_that_lags_takes_votes_on_the_listings_that_it_has(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    let behind = Replica::start_at(&pool, replica.clock.clone()).await;
    // Game 7 is new; the lagging replica does not have it yet.
    replica.list(&games_until(7));
    let new = ("game-7", "game-1");
    let draw = replica.signed(&account(1), new);
    let refused = behind.try_vote_on(account(1), new, draw.clone()).await.unwrap_err();
    assert_eq!(refused.code, Code::Invalid);
    assert!(refused.fields.keys().eq(["winner"]), "{refused:?}");
    // The rejected vote did not consume the draw.
    let counted = replica.try_vote_on(account(1), new, draw).await;
    assert!(!counted.unwrap());

    // Game 2 was taken down after the draw; the lagging replica still has it.
    let removed =
        contracts::listings::v1::Game { state: State::Removed.into(), page_id: id(2), ..game(2) };
    let pair = ("game-2", "game-3");
    let draw = replica.signed(&account(2), pair);
    replica.list(&[game_change(&removed)]);
    let refused = replica.try_vote_on(account(2), pair, draw.clone()).await;
    assert!(refused.unwrap_err().fields.keys().eq(["winner"]));
    let counted = behind.try_vote_on(account(2), pair, draw).await;
    assert!(!counted.unwrap());
    // No board shows game 2.
    let board = replica.board("all").await;
    let names: BTreeSet<&str> = board.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["Game 1", "Game 3", "Game 7"]));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_vote_on_a_listing_of_the_voters_account_is_refused(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    let owned = contracts::listings::v1::Page { owners: vec![voter_id(1), voter_id(2)], ..page(1) };
    replica.list(&[page_change(&owned)]);
    replica.catch_up().await;
    // The third voter has two accounts and votes with the one that owns no page.
    let of_two_accounts = proto::Voter { other_account_ids: vec![voter_id(2)], ..account(4) };
    for owner in [account(1), account(2), of_two_accounts] {
        // Games 1 and 6 belong to the voters' page.
        for _ in 0..20 {
            let pair = replica.draw(owner.clone(), "games").await.unwrap();
            for game in [pair.first, pair.second].map(slug) {
                assert!(!["game-1", "game-6"].contains(&&*game), "{game}");
            }
            let pair = replica.draw(owner.clone(), "creators").await.unwrap();
            for page in [pair.first, pair.second] {
                assert_ne!(page.unwrap().name, "Maker 1");
            }
            // Each day draws another pair.
            replica.clock.advance(Duration::DAY);
        }
        // The voter may have become an owner after the draw.
        for (pair, field) in [(("game-1", "game-2"), "winner"), (("game-2", "game-6"), "loser")] {
            let refused = replica.try_vote(owner.clone(), pair).await.unwrap_err();
            let fields: Vec<&String> = refused.fields.keys().collect();
            assert_eq!(fields, [field]);
        }
        replica.try_vote(owner, ("game-2", "game-3")).await.unwrap();
    }
    replica.vote(3, 1, 2).await;
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_voter_has_an_hourly_and_a_daily_limit(pool: PgPool) {
    let clock = Clock::fixed(START);
    let mut replicas = [
        Replica::start_at(&pool, clock.clone()).await,
        Replica::start_at(&pool, clock.clone()).await,
    ];
    for replica in &mut replicas {
        replica.list(&games_until(12));
    }
    let pairs = (1..=5).flat_map(|one| (7..=12).map(move |other| (one, other)));
    let pairs: Vec<(String, String)> =
        pairs.map(|(one, other)| (format!("game-{one}"), format!("game-{other}"))).collect();
    let vote = async |number: usize| {
        let (one, other) = &pairs[number];
        let cast = replicas[number % 2].try_vote(account(1), (one, other));
        cast.await
    };
    // Concurrent votes at two replicas do not exceed the limit.
    let all = (0..pairs.len()).map(vote);
    let (taken, refused): (Vec<_>, Vec<_>) =
        futures::future::join_all(all).await.into_iter().partition(Result::is_ok);
    assert_eq!(i64::try_from(taken.len()).unwrap(), LIMITS.hourly);
    for refused in refused {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code, Code::RateLimited);
        assert_eq!(refused.retry_after, Some(1_800 + 1));
    }
    // A repeated vote does not count against the limit, and other voters are not limited.
    let mut repeated = 0;
    for number in 0..pairs.len() {
        repeated += i64::from(vote(number).await.is_ok_and(|repeated| repeated));
    }
    assert_eq!(repeated, LIMITS.hourly);
    replicas[0].vote(2, 1, 2).await;

    clock.advance(Duration::minutes(30));
    let mut taken = LIMITS.hourly;
    for number in 0..pairs.len() {
        match vote(number).await {
            Ok(repeated) => taken += i64::from(!repeated),
            Err(refused) => assert_eq!(refused.retry_after, Some(11 * 3_600 + 1)),
        }
    }
    assert_eq!(taken, LIMITS.daily);
    clock.advance(Duration::hours(11));
    assert!(!vote(0).await.unwrap());
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn votes_for_neither_count_against_the_limit(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.list(&games_until(22));
    let pick = async |other: i64| {
        let other = format!("game-{other}");
        replica.pick_neither(account(1), ("game-1", &other)).await
    };
    for other in 0..LIMITS.hourly {
        assert!(!pick(7 + other).await.unwrap());
    }
    let refused = pick(7 + LIMITS.hourly).await.unwrap_err();
    assert_eq!(refused.code, Code::RateLimited);
    assert!(pick(7).await.unwrap(), "it is no further one");
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn the_networks_of_an_ipv6_site_have_a_limit_together(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let most = LIMITS.ipv6_daily * 5;
    let cast = async |number: u32, address: String| {
        let cast = replica.try_vote(cookie(number, &address), ("game-1", "game-2"));
        cast.await
    };
    for n in 0..most {
        assert!(!cast(n, format!("2001:db8:1:{n:x}::1")).await.unwrap());
    }
    let refused = cast(900, "2001:db8:1:ffff::1".to_owned()).await;
    assert_eq!(refused.unwrap_err().code, Code::RateLimited);
    assert!(!cast(900, "2001:db8:2:ffff::1".to_owned()).await.unwrap());
}
