//! Which votes count, and how the boards follow.

use catalogue::store::LOCK_TIMEOUT;
use contracts::catalogue::v1 as proto;
use contracts::common::v1::{Mode, PageRequest};
use contracts::listings::v1::State;
use kit::Code;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use testing::silent_proxy::SilentProxy;
use time::Duration;

use super::draws::slug;
use super::staff::voter;
use super::support::{LIMITS, Replica, account, account_of, cookie, new_account, shown, voter_id};
use crate::build::{game, game_change, id, page, page_change};

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_voter_judges_a_pair_once_a_day(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    for pair in [("game-1", "game-2"), ("game-2", "game-1")] {
        assert!(replica.try_vote(account(1), pair).await.unwrap(), "{pair:?}");
    }
    replica.vote(1, 1, 3).await;
    replica.vote(2, 2, 1).await;
    let board = shown(&[("Game 1", 2), ("Game 2", 1), ("Game 3", 0)]);
    assert_eq!(replica.board("week").await, board);
    // The day is a UTC day; it is 12:30.
    replica.clock.advance(Duration::minutes(11 * 60 + 29));
    assert!(replica.try_vote(account(1), ("game-1", "game-2")).await.unwrap());
    replica.clock.advance(Duration::minutes(1));
    replica.vote(1, 1, 2).await;
    assert_eq!(replica.board("week").await[0], ("Game 1".to_owned(), 3));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn many_votes_at_once_at_two_replicas_count_once_each(pool: PgPool) {
    let one = Replica::start(&pool).await;
    let two = Replica::start_at(&pool, one.clock.clone()).await;
    let votes = (0..60_u32).map(async |n| {
        let replica = if n % 2 == 0 { &one } else { &two };
        // Each voter casts the same vote at both replicas.
        let cast = replica.try_vote(account(n / 2), ("game-1", "game-2"));
        cast.await.unwrap()
    });
    let repeated = futures::future::join_all(votes).await;
    assert_eq!(repeated.iter().filter(|repeated| **repeated).count(), 30);
    let board = shown(&[("Game 1", 30), ("Game 2", 0)]);
    for replica in [&one, &two] {
        assert_eq!(replica.board("all").await, board);
    }
    let three = Replica::start_at(&pool, one.clock.clone()).await;
    assert_eq!(three.board_now("all").await, board);
    assert_eq!(three.board_now("week").await, board);
}

/// Each vote locks the sums of two listings, and a void those of all listings of its voter.
#[testing::database_test(catalogue::MIGRATOR)]
async fn votes_and_voids_of_the_same_listings_at_once_all_count(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let pairs = [(1, 2), (2, 3), (3, 1), (2, 1), (3, 2), (1, 3)];
    for (winner, loser) in pairs.into_iter().take(3) {
        replica.vote(99, winner, loser).await;
    }
    let votes = (0..60).map(async |n: u32| {
        let (winner, loser) = pairs[n as usize % pairs.len()];
        replica.vote(n, winner, loser).await;
    });
    let voids = async {
        for _ in 0..4 {
            assert_eq!(replica.void(voter(99)).await.unwrap(), (3, false));
            assert_eq!(replica.restore(voter(99)).await, (3, false));
        }
    };
    futures::future::join(futures::future::join_all(votes), voids).await;
    let board = replica.board("all").await;
    assert_eq!(board.iter().map(|(_, wins)| wins).sum::<u64>(), 63);
    assert_eq!(board, replica.board("week").await);
}

/// A replica that hangs in a transaction holds the sums of its listings.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_vote_on_a_held_listing_is_refused_and_others_go_on(pool: PgPool) {
    let options = PgConnectOptions::clone(&pool.connect_options()).options(LOCK_TIMEOUT);
    let replica = Replica::start(&PgPoolOptions::new().connect_lazy_with(options)).await;
    replica.vote(1, 1, 2).await;
    let mut hung = kit::pg::begin(&pool).await.unwrap();
    let held = sqlx::query!("update catalogue.tally set wins = wins");
    held.execute(&mut *hung).await.unwrap();
    replica.vote(2, 3, 4).await;
    let (vote, void) =
        futures::join!(replica.try_vote(account(2), ("game-5", "game-1")), replica.void(voter(1)));
    for refused in [vote.unwrap_err(), void.unwrap_err()] {
        assert_eq!(refused.code, Code::Unavailable);
    }
    hung.rollback().await.unwrap();
    replica.vote(2, 5, 1).await;
    assert_eq!(replica.void(voter(1)).await.unwrap(), (1, false));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_void_that_waits_for_the_audit_holds_no_sums(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    let mut held = kit::pg::begin(&pool).await.unwrap();
    let lock = sqlx::query!("lock table catalogue.audit in exclusive mode");
    lock.execute(&mut *held).await.unwrap();
    let looking = async {
        testing::wait_until("the void waits for the audit", async || {
            sqlx::query_scalar!(
                r#"select exists (
                       select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                   ) as "waits!""#
            )
            .fetch_one(&pool)
            .await
            .unwrap()
        })
        .await;
        let sums = sqlx::query!("select from catalogue.tally for update nowait")
            .fetch_all(&mut *held)
            .await;
        held.rollback().await.unwrap();
        sums
    };
    let (_void, sums) = futures::join!(replica.void(voter(1)), looking);
    assert_eq!(sums.unwrap().len(), 2);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn votes_of_a_bucket_at_once_stay_within_the_limit_of_their_network(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let most = usize::try_from(LIMITS.ipv6_daily).unwrap();
    let votes = (0..20).map(|number| {
        // The cookies of one bucket.
        let voter = cookie(16 * number, "2001:db8::1");
        replica.try_vote(voter, ("game-1", "game-2"))
    });
    let votes = futures::future::join_all(votes).await;
    assert_eq!(votes.iter().filter(|vote| vote.is_ok()).count(), most);
    let refused = votes.into_iter().filter_map(Result::err);
    assert!(refused.map(|fault| fault.code).all(|code| code == Code::RateLimited));
    assert_eq!(replica.board("all").await[0].1, most as u64);
}

/// Votes, sums and snapshots of boards that only a later release has.
#[testing::database_test(catalogue::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "statements of a test")]
async fn rows_of_an_unknown_kind_leave_the_others(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    let statement = "alter table catalogue.vote drop constraint vote_kind_check;
        alter table catalogue.tally drop constraint tally_kind_check;
        alter table catalogue.snapshot_board drop constraint snapshot_board_kind_check, drop constraint snapshot_board_board_check;
        insert into catalogue.vote select voter_id, day, 'ffffffff-ffff-ffff-ffff-fffffffffffe', 'ffffffff-ffff-ffff-ffff-ffffffffffff', low_won, in_network,
            'events', at, network, site from catalogue.vote;
        insert into catalogue.tally (listing_id, kind, wins, losses)
            values ('ffffffff-ffff-ffff-ffff-fffffffffffe', 'events', 1, 0), ('ffffffff-ffff-ffff-ffff-ffffffffffff', 'events', 0, 1);
        insert into catalogue.snapshot select '2026-02-01'::timestamptz + n * interval '1 day' from generate_series(0, 1) as n;
        insert into catalogue.snapshot_board values ('2026-02-01', 'events', 'week', '{}'), ('2026-02-01', 'games', 'year', '{}')";
    sqlx::raw_sql(statement).execute(&pool).await.unwrap();
    let shown = shown(&[("Game 1", 1), ("Game 2", 0)]);
    assert_eq!(replica.board("all").await, shown);
    let other = Replica::start_at(&pool, replica.clock.clone()).await;
    assert_eq!(other.board("all").await, shown);
    let listed = proto::ListVotersRequest {
        kind: "games".to_owned(),
        listing: "game-1".to_owned(),
        ..proto::ListVotersRequest::default()
    };
    let listed = replica.staff.clone().list_voters(listed).await;
    assert_eq!(listed.unwrap().into_inner().voters[0].votes_for, 1);
    // The release that knows the kind restores what this one has voided.
    assert_eq!(replica.void(voter(1)).await.unwrap(), (2, false));
    let left = "select sum(wins + losses)::bigint from catalogue.tally where kind = 'events'";
    let left: i64 = sqlx::query_scalar(left).fetch_one(&pool).await.unwrap();
    assert_eq!(left, 0);
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_listing_that_is_taken_down_leaves_the_boards_at_once_and_their_ranks_later(
    pool: PgPool,
) {
    let mut replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    replica.vote(1, 1, 3).await;
    replica.vote(1, 2, 3).await;
    let whole = shown(&[("Game 1", 2), ("Game 2", 1), ("Game 3", 0)]);
    assert_eq!(replica.board("week").await, whole);
    let mut removed = game(2);
    removed.page_id = id(2);
    removed.state = State::Removed.into();
    replica.list(&[game_change(&removed)]);
    let (rows, total) = replica.rows_and_total(Mode::Live, "games", "week").await;
    let rows: Vec<(&str, u64)> = rows.iter().map(|row| (&*row.name, row.rank)).collect();
    assert_eq!((rows, total), (vec![("Game 1", 1), ("Game 3", 3)], 3));
    let refused = replica.try_vote(account(2), ("game-2", "game-1")).await;
    assert!(refused.unwrap_err().fields.contains_key("winner"));
    let rest = shown(&[("Game 1", 2), ("Game 3", 0)]);
    assert_eq!(replica.board("week").await, rest);
    // Removing a page removes its games.
    let mut gone = page(1);
    gone.state = State::Removed.into();
    replica.list(&[page_change(&gone)]);
    let (rows, _) = replica.rows_and_total(Mode::Live, "games", "all").await;
    assert!(rows.iter().map(|row| &*row.name).eq(["Game 3"]));
    for voter in 100..120 {
        let pair = replica.draw(account(voter), "games").await.unwrap();
        for one in [pair.first, pair.second].map(slug) {
            assert!(!["game-1", "game-2", "game-6"].contains(&&*one), "{one}");
        }
    }
    assert_eq!(replica.board("all").await, shown(&[("Game 3", 0)]));
    removed.state = State::Published.into();
    replica.list(&[page_change(&page(1)), game_change(&removed)]);
    assert_eq!(replica.board("week").await, whole);
    // A board shows the current title, without a refresh.
    removed.title = "Renamed".to_owned();
    replica.list(&[game_change(&removed)]);
    let renamed = replica.board_now("week").await;
    assert_eq!(renamed[1], ("Renamed".to_owned(), 1));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn a_row_leads_to_its_page_and_a_cursor_belongs_to_its_board(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    replica.vote(1, 1, 2).await;
    let rows = replica.rows(Mode::Live, "games", "week").await;
    assert_eq!(rows[0].url, "https://mchezo.example/games/game-1");
    assert_eq!((&*rows[0].country_code, rows[0].previous_rank), ("KE", 0));
    let page = PageRequest { limit: 1, ..PageRequest::default() };
    let listed = replica.list_ranking(Mode::Live, ("games", "week"), page).await;
    let cursor = listed.unwrap().page.unwrap().next_cursor.unwrap();
    let page = PageRequest { limit: 1, cursor };
    let elsewhere = replica.list_ranking(Mode::Live, ("games", "month"), page).await;
    assert!(elsewhere.unwrap_err().fields.contains_key("cursor"));
    for board in [("events", "week"), ("games", "day"), ("", ""), ("Games", "week")] {
        let refused = replica.list_ranking(Mode::Live, board, PageRequest::default()).await;
        assert_eq!(refused.unwrap_err().code, Code::NotFound, "{board:?}");
    }
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn bad_votes_are_refused_with_their_fields(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    for (pair, field) in [(("game-1", "none"), "loser"), (("none", "game-1"), "winner")] {
        let refused = replica.try_vote(account(1), pair).await.unwrap_err();
        assert_eq!(refused.code, Code::Invalid);
        let fields: Vec<&String> = refused.fields.keys().collect();
        assert_eq!(fields, [field], "{pair:?}");
    }
    for voter in [
        proto::Voter::default(),
        cookie(1, "localhost"),
        account_of("kora".to_owned(), "192.0.2.1"),
        account_of(voter_id(1), ""),
        proto::Voter { other_account_ids: vec!["kora".to_owned()], ..account(1) },
        proto::Voter { other_account_ids: vec![voter_id(2); 1_001], ..account(1) },
    ] {
        let refused = replica.try_vote(voter.clone(), ("game-1", "game-2")).await;
        assert!(refused.unwrap_err().fields.contains_key("voter"));
        let refused = replica.draw(voter, "games").await.unwrap_err();
        assert!(refused.fields.contains_key("voter"));
    }
    let refused = replica.draw(account(1), "events").await.unwrap_err();
    assert!(refused.fields.contains_key("kind"));
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn cookies_are_limited_by_ipv6_network_and_day(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let most = LIMITS.ipv6_daily;
    let pair = ("game-1", "game-2");
    let network = |n: u32| format!("2001:db8::{n}");
    for n in 0..most {
        let cast = replica.try_vote(cookie(n, &network(n)), pair).await;
        assert!(!cast.unwrap());
        // A repeated vote uses nothing of the limit.
        assert!(replica.try_vote(cookie(n, &network(n)), pair).await.unwrap());
    }
    let refused = replica.try_vote(cookie(90, &network(90)), pair).await.unwrap_err();
    assert_eq!(refused.code, Code::RateLimited);
    // Retry after midnight; it is 12:30.
    assert_eq!(refused.retry_after, Some(11 * 3_600 + 1_800 + 1));
    // Another network and an account are not limited.
    assert!(!replica.try_vote(cookie(91, "2001:db8:0:1::1"), pair).await.unwrap());
    replica.vote(92, 1, 2).await;
    assert_eq!(replica.board("all").await[0].1, u64::from(most) + 2);
    replica.clock.advance(Duration::DAY);
    assert!(!replica.try_vote(cookie(90, &network(90)), pair).await.unwrap());
}

#[testing::database_test(catalogue::MIGRATOR)]
async fn an_ipv4_address_shared_by_many_phones_has_its_own_limit(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let most = LIMITS.ipv4_daily;
    let cast = async |number: u32| {
        let cast = replica.try_vote(cookie(number, "192.0.2.7"), ("game-1", "game-2"));
        cast.await
    };
    for number in 1..=most {
        assert!(!cast(number).await.unwrap(), "{number}");
    }
    let refused = cast(most + 1).await.unwrap_err();
    assert_eq!(refused.code, Code::RateLimited);
}

/// Otherwise somebody with one mailbox could vote with an account for each variant of its address.
#[testing::database_test(catalogue::MIGRATOR)]
async fn an_account_is_limited_with_its_network_until_it_is_a_month_old(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let pair = ("game-1", "game-2");
    let address = "192.0.2.7";
    for number in 1..=LIMITS.ipv4_daily {
        let voter = match number % 2 {
            0 => cookie(number, address),
            _ => new_account(number, address),
        };
        assert!(!replica.try_vote(voter, pair).await.unwrap(), "{number}");
    }
    for voter in [cookie(90, address), new_account(91, address)] {
        let refused = replica.try_vote(voter, pair).await.unwrap_err();
        assert_eq!(refused.code, Code::RateLimited);
    }
    // The same account votes elsewhere.
    assert!(!replica.try_vote(new_account(91, "192.0.2.8"), pair).await.unwrap());
    // An older account, a neighbour, is not limited by the network.
    let older = account_of(voter_id(92), address);
    assert!(!replica.try_vote(older, pair).await.unwrap());
    // Nor are the accounts of the attack when they are a month old, while cookies are.
    replica.clock.advance(Duration::days(30));
    for number in 1..=2 * LIMITS.ipv4_daily {
        assert!(!replica.try_vote(new_account(number, address), pair).await.unwrap(), "{number}");
    }
    assert!(!replica.try_vote(cookie(90, address), pair).await.unwrap());
}

/// The votes of the new day are free: nobody is told to come back on the day after.
#[testing::database_test(catalogue::MIGRATOR)]
async fn a_pair_of_yesterday_is_drawn_again_when_its_network_had_all_votes(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    // A minute before midnight.
    replica.clock.advance(Duration::minutes(11 * 60 + 29));
    let pair = ("game-1", "game-2");
    let voter = |number| cookie(number, "2001:db8::1");
    let late = replica.signed(&voter(90), pair);
    for number in 0..LIMITS.ipv6_daily {
        assert!(!replica.try_vote(voter(number), pair).await.unwrap());
    }
    replica.clock.advance(Duration::minutes(2));
    let refused = replica.try_vote_on(voter(90), pair, late).await.unwrap_err();
    assert!(refused.fields.keys().eq(["draw"]), "{refused:?}");
    assert!(!replica.try_vote(voter(90), pair).await.unwrap());
}

/// The plan of a statement.
#[expect(clippy::disallowed_methods, reason = "statements of a test")]
async fn plan(pool: &PgPool, statement: &str) -> String {
    let explain = sqlx::AssertSqlSafe(format!("explain {statement}"));
    let lines: Vec<String> = sqlx::query_scalar(explain).fetch_all(pool).await.unwrap();
    lines.join("\n")
}

#[testing::database_test(catalogue::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "statements of a test")]
async fn a_board_is_read_without_postgresql_and_votes_by_index(pool: PgPool) {
    let replica = Replica::start(&pool).await;
    let statement = "insert into catalogue.vote (voter_id, day, low, high, low_won, in_network, kind, at, network, site)
         select gen_random_uuid(), '2026-03-01', gen_random_uuid(), 'ffffffff-ffff-ffff-ffff-ffffffffffff', true, true, 'games', now(), n::text, n::text
         from generate_series(1, 20000) as n";
    sqlx::query(statement).execute(&pool).await.unwrap();
    let statement = "insert into catalogue.tally_hour (listing_id, hour, wins, losses)
         select gen_random_uuid(), n % 700, 1, 1 from generate_series(1, 20000) as n";
    sqlx::query(statement).execute(&pool).await.unwrap();
    sqlx::raw_sql("analyze").execute(&pool).await.unwrap();
    let nobody = "'00000000-0000-0000-0000-000000000000'";
    for statement in [
        format!(
            "select low, high from catalogue.vote where voter_id = {nobody} and day = '2026-03-01'"
        ),
        format!("select kind from catalogue.vote where voter_id = {nobody}"),
        "delete from catalogue.tally_hour where hour < 1".to_owned(),
        "select from catalogue.vote where in_network and site = '192.0.2.1'".to_owned(),
        format!("select from catalogue.vote where low = {nobody} and day >= '2026-03-01'"),
        format!("select from catalogue.vote where high = {nobody} and day >= '2026-03-01'"),
        format!(
            "select count(*) from catalogue.vote where voter_id = {nobody} and day >= '2026-02-28' and at >= '2026-03-01'"
        ),
    ] {
        let plan = plan(&pool, &statement).await;
        let indexes =
            ["vote_pkey", "tally_hour_by_hour", "vote_by_site", "vote_by_low", "vote_by_high"];
        assert!(indexes.iter().any(|index| plan.contains(index)), "{statement}: {plan}");
        assert!(!plan.contains("Seq Scan"), "{statement}: {plan}");
    }
    // Retention reads only the votes that it deletes.
    let old = "select ctid from catalogue.vote where at < '2020-01-01' limit 10000";
    let plan = plan(&pool, old).await;
    assert!(plan.contains("Index Scan using vote_by_age"), "{plan}");
    replica.vote(1, 1, 2).await;
    replica.catch_up().await;
    pool.close().await;
    let page = PageRequest::default();
    let listed = replica.list_ranking(Mode::Live, ("games", "all"), page).await;
    assert_eq!(listed.unwrap().page.unwrap().total, 2);
}

/// A proxy drops all packets of a connection. The votes stay locked only until the deadline.
#[testing::database_test(catalogue::MIGRATOR)]
async fn an_update_fails_when_its_connection_falls_silent(pool: PgPool) {
    let one = Replica::start(&pool).await;
    one.vote(1, 1, 2).await;
    let proxy = SilentProxy::start(&pool).await.unwrap();
    let through = PgPoolOptions::new()
        .acquire_timeout(std::time::Duration::from_millis(500))
        .connect_lazy_with(proxy.options(&pool));
    proxy.fall_silent_at("later_wins");
    let update = async || one.boards.refresh(&through, one.clock.now()).await;
    let updates = async {
        update().await.unwrap_err();
        while update().await.is_err() {}
    };
    let updated = tokio::time::timeout(testing::LONG, updates).await;
    updated.unwrap();
    assert_eq!(one.board_now("all").await, shown(&[("Game 1", 1), ("Game 2", 0)]));
}
