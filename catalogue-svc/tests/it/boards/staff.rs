//! Staff list voters, void votes and restore them.

use catalogue::jobs::retention;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::voters_of::Voters;
use contracts::common::v1::{ListAuditRequest, PageRequest};
use contracts::listings::v1::State;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;

use super::support::{Replica, account, cookie, shown, voter_id};
use crate::build::{game, game_change, id};

pub(super) fn voter(number: u32) -> proto::VotersOf {
    proto::VotersOf { voters: Some(Voters::Voter(voter_id(number))) }
}

fn at(address: &str) -> proto::VotersOf {
    proto::VotersOf { voters: Some(Voters::Address(address.to_owned())) }
}

impl Replica {
    pub(super) async fn void(&self, voters: proto::VotersOf) -> Result<Vec<(u64, bool)>, Fault> {
        let request =
            proto::VoidVotesRequest { voters: Some(voters), reason: "They look bought".to_owned() };
        let voided = self.staff.clone().void_votes(request).await;
        let voters = voided.map_err(Fault::from)?.into_inner().voters;
        Ok(voters.into_iter().map(|one| (one.votes, one.unchanged)).collect())
    }

    pub(super) async fn restore(&self, voters: proto::VotersOf) -> Vec<(u64, bool)> {
        let request = proto::RestoreVotesRequest { voters: Some(voters), reason: String::new() };
        let restored = self.staff.clone().restore_votes(request).await;
        let voters = restored.unwrap().into_inner().voters;
        voters.into_iter().map(|one| (one.votes, one.unchanged)).collect()
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
        proto::VotersOf { voters: Some(Voters::Voter("kora".to_owned())) },
    ] {
        assert_eq!(replica.void(bad).await.unwrap_err().code, Code::Invalid);
    }
    let request = proto::VoidVotesRequest { voters: Some(voter(1)), reason: "  ".to_owned() };
    let refused = replica.staff.clone().void_votes(request).await;
    assert!(Fault::from(refused.unwrap_err()).fields.contains_key("reason"));

    let mut staff = replica.staff.clone();
    let audit = staff.list_audit(ListAuditRequest::default()).await;
    let entries = audit.unwrap().into_inner().entries;
    let deeds: Vec<(&str, &str)> =
        (entries.iter()).map(|entry| (entry.action.as_str(), entry.name.as_str())).collect();
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

/// Address, voter, numbers of voters and of void ones, votes for and against the listing, and all votes.
type Row = (String, String, [u64; 2], [u64; 3]);

/// The voters of a listing of games, on pages of two rows, which are read to the end.
async fn voters_of(replica: &Replica, listing: &str, address: &str) -> Result<Vec<Row>, Fault> {
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::ListVotersRequest {
            kind: "games".to_owned(),
            listing: listing.to_owned(),
            address: address.to_owned(),
            page: Some(PageRequest { limit: 2, cursor }),
        };
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

#[testing::database_test(catalogue::MIGRATOR)]
async fn the_voters_of_a_listing_are_listed_by_address(pool: PgPool) {
    let mut replica = Replica::start(&pool).await;
    // A voter who votes on every game, and once picks neither.
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
    let cookie_row = |number, address: &str, void| {
        let address = address.to_owned();
        (address, voter_id(number), [1, void], [2, 0, 2])
    };
    let several = |address: &str, counts, votes| (address.to_owned(), String::new(), counts, votes);
    let all = [
        several("192.0.2.2", [2, 0], [4, 0, 4]),
        (String::new(), voter_id(1), [1, 0], [1, 0, 3]),
        several("192.0.2.1", [3, 3], [6, 0, 6]),
    ];
    assert_eq!(voters_of(&replica, "game-1", "").await.unwrap(), all);
    let against = voters_of(&replica, "game-2", "").await.unwrap();
    assert_eq!(against[0], (String::new(), voter_id(1), [1, 0], [1, 2, 3]));
    // The cookies of an address are rows of their own, so that one of them can be voided.
    replica.void(voter(21)).await.unwrap();
    assert_eq!(
        voters_of(&replica, "game-1", "192.0.2.2").await.unwrap(),
        [cookie_row(22, "192.0.2.2", 0), cookie_row(21, "192.0.2.2", 1),]
    );

    // A listing that was taken down is named by its id.
    let removed = contracts::listings::v1::Game { state: State::Removed.into(), ..game(1) };
    replica.list(&[game_change(&removed)]);
    let of_id = voters_of(&replica, &id(1), "").await.unwrap();
    assert_eq!(of_id.len(), 3);
    assert_eq!(of_id[0], several("192.0.2.2", [2, 1], [4, 0, 4]));
    for (listing, address, field) in [("game-1", "", "listing"), ("game-2", "localhost", "address")]
    {
        let fault = voters_of(&replica, listing, address).await.unwrap_err();
        assert!(fault.fields.keys().eq([field]), "{fault}");
    }
    let events = proto::ListVotersRequest {
        kind: "events".to_owned(),
        listing: id(1),
        ..Default::default()
    };
    let refused = replica.staff.clone().list_voters(events).await;
    let fault = Fault::from(refused.unwrap_err());
    assert!(fault.fields.keys().eq(["kind"]), "{fault}");
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
    // A void cookie stays without votes, with its address: later votes do not count either.
    assert_eq!(replica.void(voter(1)).await.unwrap(), [(1, false)]);
    replica.clock.advance(Duration::days(32));
    assert_eq!(remove().await, 1);
    assert_eq!(replica.restore(at("192.0.2.1")).await, [(0, false)]);
    // Any other cookie is removed with its last vote.
    assert_eq!(remove().await, 0);
    for gone in [at("192.0.2.1"), voter(1)] {
        let gone = replica.void(gone).await.unwrap_err();
        assert_eq!(gone.code, Code::NotFound);
    }
}
