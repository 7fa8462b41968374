//! GET /games, 20 rows, through the whole path — key, quota in Redis, gRPC, envelope, access log, metrics — beside the bare hop of
//! [`crate::hop`] answering the same bytes.

use serde_json::Value;
use tokio::process::Child;

use crate::child;
use crate::fleet::BenchFleet;
use crate::side::{Side, compare};
use crate::wrk::Request;

pub(crate) async fn run() {
    let bench = BenchFleet::up().await;
    let (_, rows) = bench.games().await;
    let (_hop, hop) = hop(&bench, &rows).await;
    compare(&hop, &bench.whole_path()).await;
}

/// The two processes of the bare hop, which end with what is returned.
async fn hop(bench: &BenchFleet, rows: &Value) -> ([Child; 2], Side) {
    let body = bench.small.write("rows.json", rows.to_string());
    let (back, front) = (child::free_address(), child::free_address());
    let back_process = child::own(&["hop-back", &back, &body], &back).await;
    let front_process = child::own(&["hop-front", &front, &back], &front).await;
    let side = Side {
        name: "bare hop",
        request: Request::get(&format!("http://{front}/v1/games")).with_key(&bench.key),
        processes: vec![
            child::process("front", &front_process),
            child::process("back", &back_process),
        ],
    };
    ([back_process, front_process], side)
}
