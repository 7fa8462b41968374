//! GET /games, 20 rows, through the whole path — key, quota in Redis, gRPC, envelope, access log, metrics — beside the bare hop of
//! [`crate::hop`] answering the same bytes.

use std::process::Stdio;

use e2e::{Client, Fleet, KeyRequest, SmallFleet, Staff, eventually};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::cpu::Process;
use crate::side::{Side, compare};

const ROUNDS: usize = 7;
/// Limits that no round reaches; calls are counted against them as on every plan.
const PLAN: &str = r#"
[[plan]]
name = "bench"
title = "Bench"
calls_per_minute = 4000000000
calls_per_month = 4000000000
webhook_events = false
"#;

pub(crate) async fn run() {
    let mut small = SmallFleet::new();
    let built_in = include_str!("../../gateway/src/domain/plans.toml");
    let plans = small.write("plans.toml", &format!("{built_in}{PLAN}"));
    let fleet = small.up_with(&["--plans", &plans]).await;
    let whole = whole(&fleet).await;
    let client = Client::new(&fleet, &whole.key);
    let rows = client.get("/games").await.data().clone();
    let (_hop, hop) = hop(&small, &rows, &whole.key).await;
    compare(&hop, &whole, ROUNDS).await;
}

/// The fleet's own path.
async fn whole(fleet: &Fleet) -> Side {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("bench").await;
    let live = KeyRequest {
        mode: "live",
        ..KeyRequest::default()
    };
    let (_, key) = staff.key(&account, live).await;
    let of_service = |name: &str| Process {
        name: name.to_owned(),
        pid: fleet.service(name).pid.unwrap(),
    };
    Side {
        name: "whole path",
        url: format!("{}/games", fleet.base_url),
        key,
        processes: vec![
            of_service("gateway"),
            of_service("catalogue-svc"),
            redis(fleet).await,
        ],
    }
}

async fn redis(fleet: &Fleet) -> Process {
    let client = redis::Client::open(fleet.redis_url.as_str()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let mut info = redis::cmd("INFO");
    let info: String = info
        .arg("server")
        .query_async(&mut connection)
        .await
        .unwrap();
    let pid = info
        .lines()
        .find_map(|line| line.strip_prefix("process_id:"));
    Process {
        name: "Redis".to_owned(),
        pid: pid.unwrap().trim().parse().unwrap(),
    }
}

/// The two processes of the bare hop, which end with what is returned.
async fn hop(small: &SmallFleet, rows: &Value, key: &str) -> ([Child; 2], Side) {
    let body = small.write("rows.json", &rows.to_string());
    let (back, front) = (free_port(), free_port());
    let start = |args: [&str; 3]| {
        Command::new(std::env::current_exe().unwrap())
            .args(args)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    };
    let back_process = start(["hop-back", &back, &body]);
    listening(&back).await;
    let front_process = start(["hop-front", &front, &back]);
    listening(&front).await;
    let process = |name: &str, child: &Child| Process {
        name: name.to_owned(),
        pid: child.id().unwrap().try_into().unwrap(),
    };
    let side = Side {
        name: "bare hop",
        url: format!("http://{front}/v1/games"),
        key: key.to_owned(),
        processes: vec![
            process("front", &front_process),
            process("back", &back_process),
        ],
    };
    ([back_process, front_process], side)
}

fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

async fn listening(address: &str) {
    eventually("the hop listens", async || {
        TcpStream::connect(address).await.ok().map(drop)
    })
    .await;
}
