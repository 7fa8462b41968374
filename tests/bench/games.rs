//! GET /games, 20 rows, through the whole path — key, quota in Redis, gRPC, envelope, access log, metrics — beside the bare hop of
//! [`crate::hop`] answering the same bytes: with one key for all calls, or with many in turns.

use futures::stream::{self, StreamExt as _};
use serde_json::Value;
use tokio::process::Child;

use crate::child;
use crate::fleet::BenchFleet;
use crate::results::{Measure, Report};
use crate::side::{Side, compare};
use crate::wrk::Request;

/// Keys that are made at once.
const AT_ONCE: usize = 16;

pub(crate) async fn run(report: &mut Report) {
    let bench = BenchFleet::up().await;
    let (_, rows) = bench.games().await;
    let (_hop, hop) = hop(&bench, &rows).await;
    let measure = Measure::new(
        "GET /games, 20 rows, one key: the whole path (key, quota, feed position, gRPC, envelope, access log, metrics, traces) compared with a bare axum→tonic hop with the same bytes",
    );
    let measure = measure.required("0.8");
    compare(report, &measure, &hop, &bench.whole_path()).await;
}

/// The same with a key of each of so many accounts.
pub(crate) async fn compare_in_turns(report: &mut Report, keys: usize) {
    let bench = BenchFleet::up().await;
    let (_, rows) = bench.games().await;
    let (_hop, hop) = hop(&bench, &rows).await;
    let script = bench
        .small
        .write("keys.lua", keys_in_turns(&bench, keys).await);
    let whole = bench.whole_path().with_script(&script);
    let measure = Measure::new(format!(
        "GET /games, 20 rows, keys of {keys} accounts in turns: the whole path compared with a bare axum→tonic hop with the same bytes"
    ));
    let measure = measure.required("0.75");
    compare(report, &measure, &hop.with_script(&script), &whole).await;
}

/// A script for wrk that calls with a key of each of so many accounts.
async fn keys_in_turns(bench: &BenchFleet, keys: usize) -> String {
    let keys: Vec<String> = stream::iter(0..keys)
        .map(async |_| format!("\"{}\"", bench.another_key().await))
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    format!(
        "local keys, calls, turn = {{ {} }}, {{}}, 0
         function init()
           for place, key in ipairs(keys) do
             calls[place] = wrk.format(\"GET\", nil, {{ Authorization = \"Bearer \" .. key }})
           end
         end
         function request()
           turn = turn % #calls + 1
           return calls[turn]
         end",
        keys.join(", ")
    )
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
