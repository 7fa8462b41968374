//! Votes that look bought, and those that staff void.

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::common::v1::ListAuditRequest;
use contracts::listings::v1 as listings;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;

use super::support::{Replica, cookie, shown, voter_id};
use crate::build::{game, game_change, id};

pub(super) fn voter(number: u32) -> proto::VotersOf {
    proto::VotersOf {
        voters: Some(Voters::Voter(voter_id(number))),
    }
}

pub(super) fn at(address: &str) -> proto::VotersOf {
    proto::VotersOf {
        voters: Some(Voters::Address(address.to_owned())),
    }
}

impl Replica {
    pub(super) async fn void(&self, voters: proto::VotersOf) -> Result<Vec<(u64, bool)>, Fault> {
        let request = proto::VoidVotesRequest {
            voters: Some(voters),
            reason: "They look bought".to_owned(),
            dry_run: false,
        };
        let voided = self.staff.clone().void_votes(request).await;
        let voters = voided.map_err(Fault::from)?.into_inner().voters;
        Ok(voters
            .into_iter()
            .map(|one| (one.votes, one.unchanged))
            .collect())
    }

    async fn restore(&self, voters: proto::VotersOf) -> Vec<(u64, bool)> {
        let request = proto::RestoreVotesRequest {
            voters: Some(voters),
            reason: String::new(),
            dry_run: false,
        };
        let restored = self.staff.clone().restore_votes(request).await;
        let voters = restored.unwrap().into_inner().voters;
        voters
            .into_iter()
            .map(|one| (one.votes, one.unchanged))
            .collect()
    }

    async fn suspicious(&self) -> proto::ListSuspiciousVotesResponse {
        let request = proto::ListSuspiciousVotesRequest {};
        let answer = self.staff.clone().list_suspicious_votes(request).await;
        answer.unwrap().into_inner()
    }

    /// Listings that look favoured: name, wins, wins by new voters, how many these are.
    pub(super) async fn favoured(&self) -> Vec<(String, u64, u64, usize)> {
        let listings = self.suspicious().await.listings.into_iter();
        listings
            .map(|one| {
                (
                    one.listing,
                    one.wins,
                    one.wins_by_new_voters,
                    one.new_voters.len(),
                )
            })
            .collect()
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn votes_that_are_void_leave_the_boards_and_may_come_back(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let other = Replica::start_at(&pool, replica.clock.clone()).await;
    replica.vote(1, 1, 2).await;
    replica.clock.advance(Duration::hours(30));
    replica.vote(1, 1, 2).await;
    replica.vote(1, 3, 2).await;
    replica.vote(2, 2, 1).await;
    let whole = shown(&[("Game 1", 2), ("Game 3", 1), ("Game 2", 1)]);
    assert_eq!(replica.board("week").await, whole);
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(3, false)]);
    let rest = shown(&[("Game 2", 1), ("Game 1", 0)]);
    for board in ["week", "month", "all"] {
        assert_eq!(other.board(board).await, rest, "{board}");
    }
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(0, true)]);
    // Later votes of such a voter are taken, and count nowhere.
    replica.vote(1, 4, 2).await;
    assert_eq!(replica.board("week").await, rest);
    // So it is for a replica that starts.
    replica.fold().await;
    let third = Replica::start_at(&pool, replica.clock.clone()).await;
    assert_eq!(third.board("all").await, rest);

    assert_eq!(replica.restore(voter(1)).await, [(4, false)]);
    assert_eq!(replica.restore(voter(1)).await, [(0, true)]);
    let back = shown(&[("Game 1", 2), ("Game 3", 1), ("Game 4", 1), ("Game 2", 1)]);
    assert_eq!(other.board("week").await, back);

    let unknown = replica.void(voter(9)).await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    for bad in [
        proto::VotersOf::default(),
        at("localhost"),
        proto::VotersOf {
            voters: Some(Voters::Voter("kora".to_owned())),
        },
    ] {
        assert_eq!(replica.void(bad).await.unwrap_err().code, Code::Invalid);
    }
    let request = proto::VoidVotesRequest {
        voters: Some(voter(1)),
        reason: "  ".to_owned(),
        dry_run: false,
    };
    let refused = replica.staff.clone().void_votes(request).await;
    assert!(
        Fault::from(refused.unwrap_err())
            .fields
            .contains_key("reason")
    );

    let mut staff = replica.staff.clone();
    let audit = staff.list_audit(ListAuditRequest::default()).await;
    let entries = audit.unwrap().into_inner().entries;
    let deeds: Vec<(&str, &str)> = (entries.iter())
        .map(|entry| (entry.action.as_str(), entry.name.as_str()))
        .collect();
    let id = voter_id(1);
    assert_eq!(deeds, [("restore_votes", &*id), ("void_votes", &*id)]);
    assert!(entries[1].details.contains("They look bought"));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn the_cookies_of_an_address_are_voided_together(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for (number, address) in [(1, "2001:db8::1"), (2, "2001:db8::2"), (3, "192.0.2.1")] {
        let cast = replica.try_vote(cookie(number, address), ("game-1", "game-2"));
        assert!(!cast.await.unwrap());
    }
    assert_eq!(replica.board("all").await[0].1, 3);
    let voided = replica.void(at("2001:db8::/64")).await.unwrap();
    assert_eq!(voided, [(1, false), (1, false)]);
    assert_eq!(replica.board("all").await[0].1, 1);
    assert_eq!(replica.restore(at("2001:db8::7")).await.len(), 2);
    assert_eq!(replica.board("all").await[0].1, 3);
    let nobody = replica.void(at("198.51.100.1")).await.unwrap_err();
    assert_eq!(nobody.code, Code::NotFound);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn listings_that_new_voters_favour_are_seen(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for voter in 1..=3 {
        replica.vote(voter, 1, 2).await;
        replica.vote(voter, 2, 3).await;
    }
    assert_eq!(
        replica.favoured().await.len(),
        2,
        "all voters are new at first"
    );
    replica.clock.advance(Duration::hours(25));
    assert_eq!(replica.favoured().await, []);
    // Three by voters who are known; four by new ones make more than half.
    for voter in 11..=13 {
        replica.vote(voter, 1, 2).await;
    }
    assert_eq!(replica.favoured().await, [], "half is not more than half");
    replica.vote(14, 1, 2).await;
    // A known voter's does not count among them.
    replica.vote(1, 2, 4).await;
    assert_eq!(replica.favoured().await, [("game-1".to_owned(), 7, 4, 4)]);
    replica.void(voter(14)).await.unwrap();
    assert_eq!(replica.favoured().await, []);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_listing_that_is_taken_down_after_bought_votes_stays_suspicious(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    for voter in 1..=3 {
        replica.vote(voter, 1, 2).await;
    }
    let removed = listings::Game {
        page_id: id(1),
        state: listings::State::Removed.into(),
        ..game(1)
    };
    replica.list_and_persist(&[game_change(&removed)]).await;
    assert_eq!(replica.favoured().await, [("game-1".to_owned(), 3, 3, 3)]);
    assert_eq!(replica.suspicious().await.listings[0].name, "Game 1");
    // What the schema lacks is named by its id, as `list-voters` takes it.
    sqlx::query!("delete from catalogue.entity")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!(replica.favoured().await, [(removed.id, 3, 3, 3)]);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn voters_in_a_hurry_are_seen(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    // Votes 70 seconds apart, over the turn of an hour: 52 in any hour. More pairs than there are games are made up.
    let cast = async |number: u32, votes: i32, seconds: f64| {
        sqlx::query!(
            "insert into catalogue.voter (id, first_seen_at) values ($1, $2)",
            voter_id(number).parse::<uuid::Uuid>().unwrap(),
            replica.clock.now()
        )
        .execute(&pool)
        .await
        .unwrap();
        sqlx::query!(
            "insert into catalogue.vote (voter_id, day, low, high, low_won, kind, at)
             select $1, ($2::timestamptz at time zone 'UTC')::date, gen_random_uuid(), 'ffffffff-ffff-ffff-ffff-ffffffffffff', true, 'games',
                 $2 - n * make_interval(secs => $4)
             from generate_series(0, $3 - 1) as n",
            voter_id(number).parse::<uuid::Uuid>().unwrap(),
            replica.clock.now(),
            votes,
            seconds
        )
        .execute(&pool)
        .await
        .unwrap();
    };
    cast(1, 200, 70.0).await;
    // 51 in 59 minutes; 50, which is not more; and 300, which are spread over days.
    cast(2, 51, 70.0).await;
    cast(3, 50, 1.0).await;
    cast(4, 300, 900.0).await;
    let voters = replica.suspicious().await.voters;
    let seen: Vec<(&str, u64)> = (voters.iter())
        .map(|one| (one.voter.as_str(), one.votes_in_an_hour))
        .collect();
    assert_eq!(seen, [(&*voter_id(1), 52), (&*voter_id(2), 51)]);
    assert_eq!(replica.void(voter(2)).await.unwrap(), [(51, false)]);
    assert_eq!(replica.suspicious().await.voters.len(), 1);
    // A week later it is forgotten.
    replica.clock.advance(Duration::days(7) + Duration::MINUTE);
    assert_eq!(replica.suspicious().await.voters.len(), 0);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn voters_of_a_listing_are_seen_and_voided_by_age_address_and_share(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    // Somebody who votes on everything.
    for (winner, loser) in [(1, 2), (3, 2), (2, 4)] {
        replica.vote(1, winner, loser).await;
    }
    replica.clock.advance(Duration::days(2));
    for (number, address) in [(11, "192.0.2.1"), (12, "192.0.2.9"), (13, "2001:db8::1")] {
        for loser in ["game-2", "game-3"] {
            let cast = replica.try_vote(cookie(number, address), ("game-1", loser));
            assert!(!cast.await.unwrap());
        }
    }
    let of = |max_age_hours, block: Option<&str>, min_share| proto::ListingVoters {
        kind: "games".to_owned(),
        listing: "game-1".to_owned(),
        max_age_hours,
        block: block.map(str::to_owned),
        min_share,
        min_votes: Some(1),
    };
    let list = async |of: proto::ListingVoters| {
        let request = proto::ListVotersRequest { voters: Some(of) };
        let listed = replica.staff.clone().list_voters(request).await;
        let listed = listed.map_err(Fault::from)?.into_inner();
        let voters = listed.voters.into_iter();
        let voters = voters.map(|one| (one.voter, one.votes_for, one.votes_against, one.votes));
        let voters: Vec<(String, u64, u64, u64)> = voters.collect();
        assert_eq!(listed.total, voters.len() as u64);
        Ok::<_, Fault>(voters)
    };
    let whole = |number| (voter_id(number), 2, 0, 2);
    let honest = (voter_id(1), 1, 0, 3);
    for (filter, expected) in [
        (
            of(None, None, None),
            vec![whole(11), whole(12), whole(13), honest.clone()],
        ),
        (
            of(Some(24), None, None),
            vec![whole(11), whole(12), whole(13)],
        ),
        (
            of(None, Some("192.0.2.0/24"), None),
            vec![whole(11), whole(12)],
        ),
        (of(None, Some("2001:db8::/32"), Some(100)), vec![whole(13)]),
        (
            of(None, None, Some(33)),
            vec![whole(11), whole(12), whole(13), honest],
        ),
        (
            of(None, None, Some(34)),
            vec![whole(11), whole(12), whole(13)],
        ),
    ] {
        assert_eq!(list(filter.clone()).await.unwrap(), expected, "{filter:?}");
    }
    // What is one-sided may be against a listing.
    let against = proto::ListingVoters {
        listing: "game-2".to_owned(),
        ..of(None, None, Some(50))
    };
    let of_two = list(against).await.unwrap();
    assert_eq!(of_two[0], (voter_id(1), 1, 2, 3));
    let bad = proto::ListingVoters {
        kind: "events".to_owned(),
        ..of(None, Some("192.0.2.1"), Some(101))
    };
    let fields = list(bad).await.unwrap_err().fields;
    assert_eq!(
        fields.into_keys().collect::<Vec<_>>(),
        ["block", "kind", "min_share"]
    );

    assert_eq!(replica.board("all").await[0], ("Game 1".to_owned(), 7));
    let listing = |of| proto::VotersOf {
        voters: Some(Voters::Listing(of)),
    };
    let everybody = replica.void(listing(of(None, None, None))).await;
    assert!(everybody.unwrap_err().fields.contains_key("voters"));
    let of_block = listing(of(Some(24), Some("192.0.2.0/24"), Some(90)));
    let voided = replica.void(of_block.clone()).await.unwrap();
    assert_eq!(voided, [(2, false), (2, false)]);
    assert_eq!(replica.board("all").await[0], ("Game 1".to_owned(), 3));
    assert_eq!(replica.restore(of_block).await, [(2, false), (2, false)]);
    assert_eq!(replica.board("all").await[0], ("Game 1".to_owned(), 7));
}
