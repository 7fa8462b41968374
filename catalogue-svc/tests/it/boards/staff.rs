//! Staff list voters, void votes and restore them.

use catalogue::jobs::retention;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::common::v1::ListAuditRequest;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;

use super::support::{Replica, account, cookie, shown, voter_id};

fn voter(number: u32) -> proto::VotersOf {
    proto::VotersOf {
        voters: Some(Voters::Voter(voter_id(number))),
    }
}

fn at(address: &str) -> proto::VotersOf {
    proto::VotersOf {
        voters: Some(Voters::Address(address.to_owned())),
    }
}

impl Replica {
    async fn void(&self, voters: proto::VotersOf) -> Result<Vec<(u64, bool)>, Fault> {
        let request = proto::VoidVotesRequest {
            voters: Some(voters),
            reason: "They look bought".to_owned(),
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
        };
        let restored = self.staff.clone().restore_votes(request).await;
        let voters = restored.unwrap().into_inner().voters;
        voters
            .into_iter()
            .map(|one| (one.votes, one.unchanged))
            .collect()
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
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(3, false)]);
    let rest = shown(&[("Game 2", 1), ("Game 1", 0)]);
    for board in ["week", "month", "all"] {
        assert_eq!(other.board(board).await, rest, "{board}");
    }
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(0, true)]);
    // Later votes of a voided voter are accepted but do not count.
    replica.vote(1, 4, 2).await;
    assert_eq!(replica.board("week").await, rest);
    // A replica that starts now does not count them either.
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
async fn the_voters_of_a_listing_are_listed_with_their_votes(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    // A voter who votes on every game, and once picks neither.
    for (winner, loser) in [(1, 2), (3, 2), (2, 4)] {
        replica.vote(1, winner, loser).await;
    }
    let neither = replica.pick_neither(account(1), ("game-1", "game-3"));
    assert!(!neither.await.unwrap());
    for loser in ["game-2", "game-3"] {
        let cast = replica.try_vote(cookie(11, "192.0.2.1"), ("game-1", loser));
        assert!(!cast.await.unwrap());
    }
    replica.void(voter(11)).await.unwrap();
    let list = async |kind: &str, listing: &str| {
        let request = proto::ListVotersRequest {
            kind: kind.to_owned(),
            listing: listing.to_owned(),
        };
        let listed = replica.staff.clone().list_voters(request).await;
        let listed = listed.map_err(Fault::from)?.into_inner();
        assert_eq!(listed.total, listed.voters.len() as u64);
        let voters = listed.voters.into_iter();
        let voters = voters.map(|one| {
            let votes = [one.votes_for, one.votes_against, one.votes];
            (one.voter, one.address, votes, one.void)
        });
        Ok::<_, Fault>(voters.collect::<Vec<_>>())
    };
    assert_eq!(
        list("games", "game-1").await.unwrap(),
        [
            (voter_id(11), "192.0.2.1".to_owned(), [2, 0, 2], true),
            (voter_id(1), String::new(), [1, 0, 3], false),
        ]
    );
    let against = list("games", "game-2").await.unwrap();
    assert_eq!(against[0], (voter_id(1), String::new(), [1, 2, 3], false));
    for (kind, listing, field) in [("events", "game-1", "kind"), ("games", "none", "listing")] {
        let fault = list(kind, listing).await.unwrap_err();
        assert!(fault.fields.keys().eq([field]), "{fault}");
    }
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
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(2, false)]);
    let remove = async || {
        let removed = retention::remove(&pool, replica.clock.now(), Duration::days(31)).await;
        removed.unwrap()
    };
    replica.clock.advance(Duration::days(12));
    assert_eq!(remove().await, 1);
    assert_eq!(replica.restore(voter(1)).await, [(1, false)]);
    assert_eq!(replica.board("all").await[0].1, 1);
    // With the last vote of a cookie, its address is removed too.
    replica.clock.advance(Duration::days(32));
    assert_eq!(remove().await, 1);
    let gone = replica.void(at("192.0.2.1")).await.unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}
