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
/// Requests that repeat, and the keys that make them in turns.
const REQUESTS: usize = 200;
const KEYS: usize = 2_000;

pub(crate) async fn run(report: &mut Report) {
    let bench = BenchFleet::up().await;
    let (_, rows) = bench.games().await;
    let (_hop, hop) = hop(&bench, &rows).await;
    let measure = Measure::new(
        "GET /games, 20 rows, one key and one request: the whole path (key, quota, feed position, gRPC, envelope, access log, metrics, traces) compared with a bare axum→tonic hop with the same bytes",
    );
    let measure = measure.required("0.8");
    compare(report, &measure, &hop, &bench.whole_path()).await;
    let keys = keys(&bench, KEYS).await;
    for (what, required, requests) in [
        (
            format!("keys of {KEYS} accounts in turns, {REQUESTS} requests that repeat"),
            Some("1.1"),
            Some(REQUESTS),
        ),
        (
            format!("keys of {KEYS} accounts in turns, no request repeats"),
            None,
            None,
        ),
    ] {
        let script = bench.small.write("requests.lua", script(&keys, requests));
        let whole = bench.whole_path().with_script(&script);
        let measure = Measure::new(format!(
            "GET /games, 20 rows, {what}: the whole path compared with a bare axum→tonic hop with the same bytes"
        ));
        let measure = match required {
            Some(required) => measure.required(required),
            None => measure,
        };
        compare(report, &measure, &hop.clone().with_script(&script), &whole).await;
    }
}

/// A script for wrk that calls with these keys in turns. All requests have the same rows. They differ in a filter that no row fails: in so
/// many ways, or each from all others.
fn script(keys: &[String], requests: Option<usize>) -> String {
    // A round begins with another second, and has fewer than a million requests.
    let (second, turn) = match requests {
        Some(requests) => ("0", format!("turn % {requests}")),
        None => ("os.time() % 3600", "turn".to_owned()),
    };
    format!(
        "local keys, second, turn = {{ {} }}, {second}, 0
         local path = string.format(\"/v1/games?updated_since=2000-01-01T00:%02d:%02d.%%06dZ\", math.floor(second / 60), second % 60)
         function request()
           turn = turn + 1
           local key = keys[turn % #keys + 1]
           return wrk.format(\"GET\", string.format(path, {turn}), {{ Authorization = \"Bearer \" .. key }})
         end",
        keys.join(", ")
    )
}

/// The same with a key of each of so many accounts.
pub(crate) async fn compare_in_turns(report: &mut Report, keys: usize) {
    let bench = BenchFleet::up().await;
    let (_, rows) = bench.games().await;
    let (_hop, hop) = hop(&bench, &rows).await;
    let script = bench
        .small
        .write("keys.lua", keys_in_turns(&self::keys(&bench, keys).await));
    let whole = bench.whole_path().with_script(&script);
    let measure = Measure::new(format!(
        "GET /games, 20 rows, keys of {keys} accounts in turns: the whole path compared with a bare axum→tonic hop with the same bytes"
    ));
    let measure = measure.required("0.75");
    compare(report, &measure, &hop.with_script(&script), &whole).await;
}

/// A key of each of so many accounts, in quotes.
async fn keys(bench: &BenchFleet, keys: usize) -> Vec<String> {
    stream::iter(0..keys)
        .map(async |_| format!("\"{}\"", bench.another_key().await))
        .buffer_unordered(AT_ONCE)
        .collect()
        .await
}

/// A script for wrk that calls with these keys in turns.
fn keys_in_turns(keys: &[String]) -> String {
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
