//! GET /games, 20 rows, through the whole path — key, quota in Redis, gRPC, envelope, access log, metrics — beside the bare hop of
//! [`crate::hop`] answering the same bytes; first with one key for all calls, then with as many keys as connections, in turns.

use serde_json::Value;
use tokio::process::Child;

use crate::child;
use crate::fleet::BenchFleet;
use crate::side::{Side, compare};
use crate::wrk::Request;

/// As many as wrk has connections.
const KEYS: usize = 64;

pub(crate) async fn run() {
    let bench = BenchFleet::up().await;
    let (_, rows) = bench.games().await;
    let (_hop, hop) = hop(&bench, &rows).await;
    let whole = bench.whole_path();
    compare(&hop, &whole).await;
    let in_turns = bench.small.write("keys.lua", keys_in_turns(&bench).await);
    println!("{KEYS} keys in turns:");
    compare(&hop.with_script(&in_turns), &whole.with_script(&in_turns)).await;
}

/// A script for wrk that calls with a key of each of [`KEYS`] accounts.
async fn keys_in_turns(bench: &BenchFleet) -> String {
    let mut keys = Vec::new();
    for _ in 0..KEYS {
        keys.push(format!("\"{}\"", bench.another_key().await));
    }
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
