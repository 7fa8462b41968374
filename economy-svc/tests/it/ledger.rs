//! The ledger reconciles under concurrent bookings and broken connections.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{Economy, start};

const GAMES: [&str; 3] = ["bao", "kora", "mancala"];

/// A deterministic pseudo-random sequence (`SplitMix64`).
fn random(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// Makes one booking and ignores its result. Ids and keys repeat.
async fn book(economy: &Economy, numbers: [u64; 5]) {
    let [kind, from, to, amount, name] = numbers;
    let game = |n: u64| GAMES[usize::try_from(n % 3).unwrap()];
    let amount = amount % 1_000 + 1;
    let name = format!("n-{}", name % 40);
    if kind.is_multiple_of(2) {
        let body = json!({"player": name, "amount": amount});
        drop(economy.tip(game(from), &body, &name).await);
    } else {
        let (gives, gets) = ((game(from), amount), (game(to), amount / 2 + 1));
        drop(economy.swap(&name, &name, gives, gets).await);
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn the_ledger_reconciles_under_random_bookings_and_broken_connections(pool: PgPool) {
    let replicas = [start(pool.clone()).await, start(pool.clone()).await];
    for game in GAMES {
        replicas[0].currency(game).await;
    }
    let mut numbers = random(7);
    let mut next = || numbers.next().unwrap();
    for round in 0..10 {
        let bookings: Vec<[u64; 5]> = (0..40)
            .map(|_| [next(), next(), next(), next(), next()])
            .collect();
        let booking = join_all(
            bookings
                .iter()
                .enumerate()
                .map(|(n, numbers)| book(&replicas[n % 2], *numbers)),
        );
        let breaking = async {
            // Like a crash of the service in the middle of its transactions.
            if round % 3 == 1 {
                sqlx::query_scalar!(
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity
                     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
                )
                .fetch_one(&pool)
                .await
                .unwrap();
            }
        };
        futures::join!(booking, breaking);
    }
    reconcile(&pool).await;
}

/// Every transfer sums to 0 in each of its currencies, and has exactly the entries of its tip or swap.
async fn reconcile(pool: &PgPool) {
    let torn = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select 1 from economy.entry group by transfer_kind, transfer_id, game_id having sum(amount) <> 0
           ) as torn"#
    );
    assert_eq!(torn.fetch_one(pool).await.unwrap(), 0);
    let booked = sqlx::query!(
        r#"select transfer_kind, count(distinct transfer_id) as "transfers!", count(*) as "entries!"
           from economy.entry group by transfer_kind"#
    );
    let booked = booked.fetch_all(pool).await.unwrap();
    let booked: BTreeMap<String, (i64, i64)> = (booked.into_iter())
        .map(|row| (row.transfer_kind, (row.transfers, row.entries)))
        .collect();
    let tips = sqlx::query_scalar!(r#"select count(*) as "count!" from economy.tip"#);
    let tips = tips.fetch_one(pool).await.unwrap();
    let swaps = sqlx::query_scalar!(r#"select count(*) as "count!" from economy.swap"#);
    let swaps = swaps.fetch_one(pool).await.unwrap();
    assert!(tips > 0 && swaps > 0);
    assert_eq!(booked["tip"], (tips, tips * 2));
    assert_eq!(booked["swap"], (swaps, swaps * 4));
    // The exchange's accounts agree with the swaps.
    let moved = sqlx::query!(
        r#"select game as "game!", sum(units)::text as "units!" from (
               select from_game as game, gave as units from economy.swap
               union all select to_game, -got from economy.swap
           ) as moved group by game order by game"#
    );
    let balances = sqlx::query!(
        r#"select game_id as "game!", sum(amount)::text as "units!" from economy.entry
           where account_kind = 'exchange' group by game_id order by game_id"#
    );
    let moved = moved.fetch_all(pool).await.unwrap();
    let balances = balances.fetch_all(pool).await.unwrap();
    assert_eq!(moved.len(), balances.len());
    for (moved, balance) in moved.iter().zip(&balances) {
        assert_eq!((moved.game, &moved.units), (balance.game, &balance.units));
    }
}
