//! GET /games with 20 rows through the whole path (key, quota in Redis, gRPC, envelope, access log, metrics), compared with the bare hop of
//! [`crate::hop`] that returns the same bytes. The keys of many accounts take turns.

use tokio::process::Child;

use crate::child;
use crate::fleet::BenchFleet;
use crate::many_keys;
use crate::results::{Measure, Report};
use crate::side::{Side, compare};
use crate::wrk::Request;

/// The number of different requests that repeat, and of the keys that take turns.
pub(crate) const REQUESTS: usize = 200;
pub(crate) const KEYS: usize = 2_000;

/// Different requests, which repeat in one case and never in the other.
pub(crate) async fn run(report: &mut Report) {
    let sides = Sides::new().await;
    let what = format!(", {REQUESTS} requests that repeat");
    sides.compare(report, &what, "1.1", &repeating_requests(&sides.keys)).await;
    let what = ", no request repeats";
    sides.compare(report, what, "0.5", &new_requests(&sides.keys)).await;
}

/// The same request each time.
pub(crate) async fn quota(report: &mut Report) {
    let sides = Sides::new().await;
    sides.compare(report, "", "0.75", &one_request(&sides.keys)).await;
}

struct Sides {
    bench: BenchFleet,
    /// A key of each account, quoted and separated by commas.
    keys: String,
    /// The address of the bare hop.
    hop: String,
    back: Child,
    front: Child,
}

impl Sides {
    async fn new() -> Self {
        let bench = BenchFleet::up().await;
        let body = bench.games().await.to_string();
        let body = bench.small.write("rows.json", body);
        let (back, hop) = (child::free_address(), child::free_address());
        Self {
            keys: keys(&bench).await,
            back: child::own(&["hop-back", &back, &body], &back).await,
            front: child::own(&["hop-front", &hop, &back], &hop).await,
            hop,
            bench,
        }
    }

    /// Compares both sides under the load of a script for wrk.
    async fn compare(&self, report: &mut Report, what: &str, required: &'static str, script: &str) {
        let script = self.bench.small.write("calls.lua", script);
        let side = |name, base: &str, processes| Side {
            name,
            request: Request::get(&format!("{base}/games")).with_script(&script),
            processes,
        };
        let parts = ["gateway", "catalogue-svc", "redis"];
        let parts = self.bench.processes(&parts);
        let whole = side("whole path", &self.bench.fleet.base_url, parts);
        let parts = [("front", &self.front), ("back", &self.back)];
        let parts = parts.map(|(name, child)| child::process(name, child));
        let hop = format!("http://{}/v1", self.hop);
        let hop = side("bare hop", &hop, parts.into());
        let measure = Measure::new(format!(
            "GET /games, 20 rows, keys of {KEYS} accounts in turns{what}: the whole path compared with a bare axum→tonic hop with the same bytes"
        ));
        compare(report, &measure.required(required), &hop, &whole).await;
    }
}

/// A new key of each of [`KEYS`] accounts, quoted and separated by commas.
pub(crate) async fn keys(bench: &BenchFleet) -> String {
    let keys = many_keys::insert(&bench.fleet, "bench", KEYS, KEYS).await;
    keys.iter().map(|key| format!("\"{}\"", key.secret)).collect::<Vec<_>>().join(", ")
}

/// A script with [`REQUESTS`] different requests.
pub(crate) fn repeating_requests(keys: &str) -> String {
    requests(keys, "0", &format!("turn % {REQUESTS}"))
}

/// A script whose requests never repeat: those of a round begin with the second of its start, and a round has fewer than a million.
pub(crate) fn new_requests(keys: &str) -> String {
    requests(keys, "os.time() % 3600", "turn")
}

/// A script with different requests, whose keys take turns. All requests return the same rows: each has another filter, which all rows pass.
fn requests(keys: &str, second: &str, turn: &str) -> String {
    format!(
        "local keys, second, turn = {{ {keys} }}, {second}, 0
         local path = string.format(\"/v1/games?updated_since=2000-01-01T00:%02d:%02d.%%06dZ\", math.floor(second / 60), second % 60)
         function request()
           turn = turn + 1
           local key = keys[turn % #keys + 1]
           return wrk.format(\"GET\", string.format(path, {turn}), {{ Authorization = \"Bearer \" .. key }})
         end"
    )
}

/// A script that repeats one request, whose keys take turns.
fn one_request(keys: &str) -> String {
    format!(
        "local keys, calls, turn = {{ {keys} }}, {{}}, 0
         function init()
           for place, key in ipairs(keys) do
             calls[place] = wrk.format(\"GET\", nil, {{ Authorization = \"Bearer \" .. key }})
           end
         end
         function request()
           turn = turn % #calls + 1
           return calls[turn]
         end"
    )
}
