//! GET /games, 20 rows, through the whole path — key, quota in Redis, gRPC, envelope, access log, metrics — beside the bare hop of
//! [`crate::hop`] answering the same bytes, with keys of many accounts in turns.

use futures::stream::{self, StreamExt as _};
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

/// Many requests, which repeat or not.
pub(crate) async fn run(report: &mut Report) {
    let sides = Sides::new().await;
    let what = format!(", {REQUESTS} requests that repeat");
    let repeating = requests(&sides.keys, "0", &format!("turn % {REQUESTS}"));
    sides.compare(report, &what, "1.1", &repeating).await;
    // A round begins with another second, and has fewer than a million requests.
    let new = requests(&sides.keys, "os.time() % 3600", "turn");
    let what = ", no request repeats";
    sides.compare(report, what, "", &new).await;
}

/// One request.
pub(crate) async fn quota(report: &mut Report) {
    let sides = Sides::new().await;
    sides
        .compare(report, "", "0.75", &one_request(&sides.keys))
        .await;
}

struct Sides {
    bench: BenchFleet,
    /// A key of each account, in quotes.
    keys: String,
    /// Where the bare hop is, and its processes.
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
        let keys = stream::iter(0..KEYS)
            .map(async |_| format!("\"{}\"", bench.another_key().await))
            .buffer_unordered(AT_ONCE);
        let keys: Vec<String> = keys.collect().await;
        Self {
            keys: keys.join(", "),
            back: child::own(&["hop-back", &back, &body], &back).await,
            front: child::own(&["hop-front", &hop, &back], &hop).await,
            hop,
            bench,
        }
    }

    /// Compares both under calls of a script of wrk's.
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

/// Calls with the keys in turns. All requests have the same rows: they differ in a filter that no row fails.
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

/// The same call with the keys in turns.
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
