//! Kills each replica of economy-svc with SIGKILL during many tips and imports of swaps, whose clients repeat each request until it succeeds. The
//! service books each tip and swap once.

use std::sync::atomic::{AtomicUsize, Ordering};

use contracts::economy::v1::staff_service_client::StaffServiceClient;
use contracts::economy::v1::{ImportSwapsRequest, Swap};
use e2e::{Client, Fleet, SmallFleet, Staff, dial, eventually};
use futures::stream::{self, StreamExt as _};
use kit::rpc::client::Client as Channel;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Method;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use time::OffsetDateTime;
use time::macros::datetime;

const TIPS: u64 = 200;
const SWAPS: u64 = 200;
/// Concurrent requests of each kind.
const AT_ONCE: usize = 16;
const GAMES: [&str; 2] = ["booked-one", "booked-two"];
const AT: OffsetDateTime = datetime!(2026-01-01 00:00 UTC);

/// Creates two games with currencies; returns a client with a key of the first one.
async fn games(fleet: &Fleet) -> Client {
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("unlimited").await;
    staff.page(&account, "booked").await;
    let rows = GAMES.map(
        |slug| json!({"slug": slug, "title": slug, "release_year": 2024, "creator": "booked"}),
    );
    staff.import("game", &rows).await;
    for slug in GAMES {
        staff.new_currency(slug).await;
    }
    let key = staff.key_of_game(&account, "live", "public", GAMES[0]);
    Client::new(fleet, &key.await)
}

/// Each amount is different, so that a wrong sum shows which one is missing.
const fn amount(n: u64) -> u64 {
    1_000 + n
}

async fn tip(client: &Client, n: u64) {
    let body = json!({"player": format!("player-{n}"), "amount": amount(n)});
    eventually("the tip is booked", async || {
        let request = client
            .request(Method::POST, "/play/tips")
            .header("idempotency-key", format!("tip-{n}"));
        let answer = client.send(request.json(&body)).await;
        answer.status.is_success().then_some(())
    })
    .await;
}

/// Imports a swap, as the `staff` tool does.
async fn swap(replicas: &[(i32, StaffServiceClient<Channel>)], n: u64) {
    let swap = Swap {
        id: format!("swap-{n}"),
        party: format!("party-{}", n % 7),
        from: GAMES[0].to_owned(),
        to: GAMES[1].to_owned(),
        gave: amount(n),
        got: 2 * amount(n),
        at: Some(kit::api::timestamp::encode(AT)),
    };
    let mut tries = usize::try_from(n).unwrap();
    eventually("the swap is booked", async || {
        tries += 1;
        let (_, replica) = &replicas[tries % replicas.len()];
        let request = ImportSwapsRequest { swaps: vec![swap.clone()] };
        let imported = replica.clone().import_swaps(request).await.ok()?;
        assert_eq!(imported.get_ref().refused, []);
        Some(())
    })
    .await;
}

#[tokio::test]
#[ignore = "long: kills each side of a transfer"]
async fn a_tip_and_a_swap_are_booked_once_whichever_replica_is_killed() {
    let mut small = SmallFleet::patient();
    // While a replica is down, clients repeat tips more often than a player may tip.
    small.set("GATEWAY_PLAYER_CALLS", "1000000");
    let fleet = small.up_with(&["--replicas", "economy-svc=2"]).await;
    let client = games(&fleet).await;
    let token = fleet.staff_token.clone().into();
    let mut replicas = Vec::new();
    for replica in fleet.replicas("economy-svc") {
        let channel = dial(&replica.grpc, &token).await;
        replicas.push((replica.pid.unwrap(), StaffServiceClient::new(channel)));
    }
    let booked = AtomicUsize::new(0);
    let sending = stream::iter(0..TIPS.max(SWAPS))
        .map(async |n| {
            futures::join!(tip(&client, n), swap(&replicas, n));
            booked.fetch_add(1, Ordering::Relaxed);
        })
        .buffer_unordered(AT_ONCE)
        .for_each(async |()| ());
    let killing = async {
        for ((pid, _), after) in replicas.iter().zip([20, 100]) {
            eventually("some are booked", async || {
                (booked.load(Ordering::Relaxed) > after).then_some(())
            })
            .await;
            kill(Pid::from_raw(*pid), Signal::SIGKILL).unwrap();
        }
    };
    futures::join!(sending, killing);
    booked_once(&fleet).await;
}

#[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
async fn booked_once(fleet: &Fleet) {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let sum = |of: fn(u64) -> u64, count| i64::try_from((0..count).map(of).sum::<u64>()).unwrap();
    let tips = sum(amount, TIPS);
    let (gave, got) = (sum(amount, SWAPS), sum(|n| 2 * amount(n), SWAPS));
    let count = |count: u64| i64::try_from(count).unwrap();
    let stored: (i64, i64) =
        sqlx::query_as("select count(*), sum(amount)::bigint from economy.tip")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(stored, (count(TIPS), tips));
    let stored: (i64, i64, i64) =
        sqlx::query_as("select count(*), sum(gave)::bigint, sum(got)::bigint from economy.swap")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(stored, (count(SWAPS), gave, got));
    let told: (i64, i64) = sqlx::query_as(
        "select count(*), count(distinct id) from economy.feed where entity = 'tip'",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(told, (count(TIPS), count(TIPS)));
}
