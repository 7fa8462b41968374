//! Kills each replica of economy-svc, by SIGKILL, during many tips and swaps. The clients repeat each request until it is answered. The
//! service books each tip and swap once, and the ledger reconciles.

use std::sync::atomic::{AtomicUsize, Ordering};

use contracts::economy::v1::exchange_service_client::ExchangeServiceClient;
use contracts::economy::v1::{RecordSwapRequest, Swap};
use e2e::{Client, Fleet, KeyRequest, SmallFleet, Staff, dial, eventually};
use futures::stream::{self, StreamExt as _};
use kit::rpc::client::Client as Channel;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Method;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};

const TIPS: u64 = 200;
const SWAPS: u64 = 200;
/// The most concurrent requests of each kind.
const AT_ONCE: usize = 16;
const GAMES: [&str; 2] = ["ledger-one", "ledger-two"];

/// Creates two games with currencies. Returns a client with a key of the first.
async fn games(fleet: &Fleet) -> Client {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    staff.page(&account, "ledger").await;
    let rows = GAMES.map(
        |slug| json!({"slug": slug, "title": slug, "release_year": 2024, "creator": "ledger"}),
    );
    staff.import("game", &rows).await;
    for slug in GAMES {
        eventually("economy-svc knows the game", async || {
            staff.currency(slug, "Coin").await.ok()
        })
        .await;
    }
    let wanted = || KeyRequest {
        kind: "public",
        game: Some(GAMES[0].to_owned()),
        ..KeyRequest::live()
    };
    let key = eventually("the gateway knows the game", async || {
        staff.clone().try_key(&account, wanted()).await.ok()
    })
    .await;
    Client::new(fleet, &key.1)
}

/// No two amounts are the same, so that a wrong sum shows which one is missing.
const fn amount(n: u64) -> u64 {
    1_000 + n
}

async fn tip(client: &Client, n: u64) {
    let body = json!({"player": format!("player-{n}"), "amount": amount(n)});
    eventually("the tip is booked", async || {
        let request = client.request(Method::POST, "/play/tips");
        let request = request.header("idempotency-key", format!("tip-{n}"));
        let answer = client.send(request.json(&body)).await;
        answer.status.is_success().then_some(())
    })
    .await;
}

async fn swap(replicas: &[(i32, ExchangeServiceClient<Channel>)], n: u64) {
    let swap = Swap {
        id: format!("swap-{n}"),
        party: format!("party-{}", n % 7),
        from: GAMES[0].to_owned(),
        to: GAMES[1].to_owned(),
        gave: amount(n),
        got: 2 * amount(n),
        at: None,
    };
    let mut tries = usize::try_from(n).unwrap();
    eventually("the swap is booked", async || {
        tries += 1;
        let (_, replica) = &replicas[tries % replicas.len()];
        let request = RecordSwapRequest {
            swap: Some(swap.clone()),
        };
        replica.clone().record_swap(request).await.ok().map(drop)
    })
    .await;
}

#[tokio::test]
#[ignore = "long: kills each side of a transfer"]
async fn the_ledger_reconciles_whoever_dies_in_the_middle() {
    let mut small = SmallFleet::patient();
    // While a replica is down, tips are repeated more often than the limit of a player allows.
    small.set("GATEWAY_PLAYER_CALLS", "1000000");
    let plans = small.plans();
    let args = ["--replicas", "economy-svc=2", "--plans", &plans];
    let fleet = small.up_with(&args).await;
    let client = games(&fleet).await;
    let staff = Staff::of(&fleet).await;
    let token = staff.exchange("ledger-exchange").await.into();
    let mut replicas = Vec::new();
    for replica in fleet
        .services
        .iter()
        .filter(|one| one.name == "economy-svc")
    {
        let address = replica.exchange.as_ref().unwrap();
        let channel = dial(address, &token).await;
        replicas.push((replica.pid.unwrap(), ExchangeServiceClient::new(channel)));
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

#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no schema of their own"
)]
async fn booked_once(fleet: &Fleet) {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let sum = |of: fn(u64) -> u64, count| i64::try_from((0..count).map(of).sum::<u64>()).unwrap();
    let tips = sum(amount, TIPS);
    let (gave, got) = (sum(amount, SWAPS), sum(|n| 2 * amount(n), SWAPS));
    let held: Vec<(String, String, i64, i64)> = sqlx::query_as(
        "select slug, account_kind, count(*), sum(amount)::bigint from economy.entry
         join economy.game on game.id = game_id group by slug, account_kind order by slug, account_kind",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let count = |count: u64| i64::try_from(count).unwrap();
    let account = |game: usize, kind: &str, entries, units| {
        (
            GAMES[game].to_owned(),
            kind.to_owned(),
            count(entries),
            units,
        )
    };
    let expected = [
        account(0, "exchange", SWAPS, gave),
        account(0, "maker", TIPS, tips),
        account(0, "party", SWAPS, -gave),
        account(0, "player", TIPS, -tips),
        account(1, "exchange", SWAPS, -got),
        account(1, "party", SWAPS, got),
    ];
    assert_eq!(held, expected);
    let told: (i64, i64) = sqlx::query_as(
        "select count(*), count(distinct id) from economy.feed where entity = 'tip'",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(told, (count(TIPS), count(TIPS)));
}
