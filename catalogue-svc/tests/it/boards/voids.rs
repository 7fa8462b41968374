//! Voters of a listing whom staff void: which of them, what a dry run says, and what a restore gives back.

use std::pin::pin;

use catalogue::jobs::retention::{self, Periods};
use catalogue::store::{voters, votes};
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::listings::v1 as listings;
use kit::Code;
use sqlx::PgPool;
use time::Duration;

use super::staff::{at, voter};
use super::support::{Replica, account, cookie, voter_id};
use crate::build::{game, game_change, id};

/// A filter by share.
fn one_sided(listing: &str, min_votes: Option<u32>) -> proto::ListingVoters {
    proto::ListingVoters {
        kind: "games".to_owned(),
        listing: listing.to_owned(),
        min_share: Some(90),
        min_votes,
        ..proto::ListingVoters::default()
    }
}

fn of_listing(of: proto::ListingVoters) -> proto::VotersOf {
    proto::VotersOf {
        voters: Some(Voters::Listing(of)),
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_single_vote_is_not_one_sided_and_a_dry_run_changes_nothing(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    for loser in 2..=5 {
        replica.vote(2, 1, loser).await;
    }
    replica.clock.advance(Duration::DAY);
    replica.vote(2, 1, 2).await;
    let bought = of_listing(one_sided("game-1", None));
    let request = proto::VoidVotesRequest {
        voters: Some(bought.clone()),
        reason: "They look bought".to_owned(),
        dry_run: true,
    };
    let dry = replica.staff.clone().void_votes(request).await;
    let dry = dry.unwrap().into_inner().voters;
    let dry: Vec<(&str, u64)> = (dry.iter())
        .map(|one| (one.voter.as_str(), one.votes))
        .collect();
    assert_eq!(dry, [(&*voter_id(2), 5)]);
    assert_eq!(replica.board("all").await[0].1, 6);
    assert_eq!(replica.void(bought).await.unwrap(), [(5, false)]);
    assert_eq!(replica.board("all").await[0].1, 1);
    let all = of_listing(one_sided("game-1", Some(1)));
    let voided = replica.void(all).await.unwrap();
    assert_eq!(voided, [(0, true), (1, false)]);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn votes_for_neither_do_not_hide_one_sided_ones(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    for pair in [
        ("game-1", "game-3"),
        ("game-2", "game-3"),
        ("game-2", "game-4"),
    ] {
        let voter = account(1);
        assert!(!replica.pick_neither(voter, pair).await.unwrap());
    }
    let request = proto::ListVotersRequest {
        voters: Some(one_sided("game-1", Some(1))),
    };
    let listed = replica.staff.clone().list_voters(request).await;
    let voters = listed.unwrap().into_inner().voters;
    assert_eq!((voters.len(), voters[0].votes), (1, 1));
    // Of the games that it did not favour there is no new voter.
    assert_eq!(replica.favoured().await, [("game-1".to_owned(), 1, 1, 1)]);
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(1, false)]);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn voters_of_a_listing_that_is_taken_down_are_seen(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    let removed = listings::Game {
        page_id: id(1),
        state: listings::State::Removed.into(),
        ..game(1)
    };
    replica.list_and_persist(&[game_change(&removed)]).await;
    for name in ["game-1", &removed.id] {
        let request = proto::ListVotersRequest {
            voters: Some(one_sided(name, Some(1))),
        };
        let listed = replica.staff.clone().list_voters(request).await;
        assert_eq!(listed.unwrap().into_inner().total, 1, "{name}");
    }
    // Both are in the message of the listing.
    for part in ["game", "g"] {
        let unknown = replica.void(of_listing(one_sided(part, None))).await;
        assert!(unknown.unwrap_err().fields.contains_key("listing"));
    }
    let voided = replica.void(of_listing(one_sided("game-1", Some(1)))).await;
    assert_eq!(voided.unwrap(), [(1, false)]);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_restore_says_how_many_votes_are_gone(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let cookie = cookie(1, "192.0.2.1");
    assert!(
        !replica
            .try_vote(cookie.clone(), ("game-1", "game-2"))
            .await
            .unwrap()
    );
    replica.clock.advance(Duration::days(20));
    assert!(
        !replica
            .try_vote(cookie, ("game-1", "game-2"))
            .await
            .unwrap()
    );
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(2, false)]);
    let periods = Periods {
        votes: Duration::days(31),
        snapshots: Duration::days(35),
    };
    let remove = async || {
        retention::remove(&pool, replica.clock.now(), periods)
            .await
            .unwrap()
    };
    replica.clock.advance(Duration::days(12));
    assert_eq!(remove().await, 1);
    for dry_run in [true, false, false] {
        let request = proto::RestoreVotesRequest {
            voters: Some(voter(1)),
            reason: String::new(),
            dry_run,
        };
        let restored = replica.staff.clone().restore_votes(request).await;
        let one = restored.unwrap().into_inner().voters.remove(0);
        let of_changed = if one.unchanged { (0, 0) } else { (1, 1) };
        assert_eq!((one.votes, one.lost), of_changed);
    }
    assert_eq!(replica.board("all").await[0].1, 1);
    // The last vote of a void cookie takes its address along.
    assert_eq!(replica.void(at("192.0.2.1")).await.unwrap(), [(1, false)]);
    replica.clock.advance(Duration::days(32));
    assert_eq!(remove().await, 1);
    let gone = replica.void(at("192.0.2.1")).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}

/// Staff void a voter while retention removes a vote of the voter. The void has subtracted the vote, so a restore must say that it is gone.
#[testing::database_test(catalogue::MIGRATOR)]
#[expect(
    clippy::disallowed_methods,
    reason = "a statement of a test, about a view of PostgreSQL"
)]
async fn a_vote_that_is_removed_during_a_void_is_lost(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    replica.clock.advance(Duration::days(32));
    let (id, now) = (voter_id(1).parse().unwrap(), replica.clock.now());
    let mut void = pool.begin().await.unwrap();
    voters::lock(&mut void, id).await.unwrap();
    voters::set_voided(&mut void, id, Some(now)).await.unwrap();
    let mut removal = pin!(votes::remove_before(&pool, now, 10));
    let waiting = async {
        let waits = "select exists (
             select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         )";
        loop {
            let is_waiting: bool = sqlx::query_scalar(waits).fetch_one(&pool).await.unwrap();
            if is_waiting {
                break;
            }
        }
    };
    tokio::select! {
        removed = &mut removal => panic!("it does not wait for the void: {removed:?}"),
        () = waiting => {}
    }
    void.commit().await.unwrap();
    assert_eq!(removal.await.unwrap(), 1);
    let counts = voters::vote_counts(&pool, &[id]).await.unwrap();
    assert_eq!((counts[0].votes, counts[0].lost), (0, 1));
}

/// Votes of new voters are a sign of bought ones, and a filter of voids.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_voter_who_returns_after_a_month_is_not_new(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for number in [1, 2] {
        replica.vote(number, 1, 2).await;
    }
    let visitor = cookie(3, "192.0.2.1");
    assert!(
        !replica
            .try_vote(visitor.clone(), ("game-1", "game-2"))
            .await
            .unwrap()
    );
    replica.clock.advance(Duration::days(40));
    let periods = Periods {
        votes: Duration::days(31),
        snapshots: Duration::days(35),
    };
    let removed = retention::remove(&pool, replica.clock.now(), periods).await;
    assert_eq!(removed.unwrap(), 3);
    for number in [1, 2] {
        replica.vote(number, 1, 2).await;
    }
    assert!(
        !replica
            .try_vote(visitor, ("game-1", "game-2"))
            .await
            .unwrap()
    );
    assert_eq!(replica.favoured().await, []);
    // Somebody who votes for the first time is new.
    for number in 4..=7 {
        replica.vote(number, 1, 2).await;
    }
    assert_eq!(replica.favoured().await, [("game-1".to_owned(), 7, 4, 4)]);
}
