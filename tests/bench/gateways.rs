//! The cost of more gateways: one, two and four of a fleet under the same load, and one and four without load.

use e2e::Process;
use futures::future::join_all;

use crate::fleet::{BenchFleet, idle_transactions};
use crate::games::{self, KEYS, REQUESTS};
use crate::results::{Measure, Report};
use crate::side::{SECONDS, WARM_UP, median};
use crate::wrk::{self, CONNECTIONS, Request};

const ROUNDS: usize = 5;

struct Round {
    rate: f64,
    /// CPU time per request in microseconds: of all gateways, Redis and catalogue-svc.
    cpu: [f64; 3],
}

pub(crate) async fn run(report: &mut Report) {
    idle(report, &BenchFleet::up().await, 1).await;
    let bench = BenchFleet::up_with(&[], &["--replicas", "gateway=4"]).await;
    idle(report, &bench, 4).await;
    let keys = games::keys(&bench).await;
    let repeat = format!("{REQUESTS} requests that repeat");
    under_load(report, &bench, &repeat, games::repeating_requests(&keys)).await;
    under_load(report, &bench, "no request repeats", games::new_requests(&keys)).await;
}

/// Loads one, two and four gateways in alternation, with as many connections in all.
async fn under_load(report: &mut Report, bench: &BenchFleet, what: &str, script: String) {
    let script = bench.small.write("calls.lua", script);
    let gateways = bench.fleet.by_gateway().into_iter();
    let requests: Vec<Request> = gateways
        .map(|it| Request::get(&format!("{}/games", it.base_url)).with_script(&script))
        .collect();
    let gateways = bench.fleet.replicas("gateway");
    let gateways = gateways.map(|it| Process::new("gateway", it.pid.unwrap())).collect();
    let parts = ["redis", "catalogue-svc"].map(|name| bench.processes(&[name]));
    let [redis, catalogue] = parts;
    let processes = [gateways, redis, catalogue];
    round(&requests, &processes, WARM_UP).await;
    let mut sides = [1, 2, 4].map(|count| (count, Vec::new()));
    for _ in 0..ROUNDS {
        for (count, rounds) in &mut sides {
            rounds.push(round(&requests[..*count], &processes, SECONDS).await);
        }
    }
    for (count, rounds) in &sides {
        let measure = Measure::new(format!(
            "GET /games, 20 rows, keys of {KEYS} accounts in turns, {what}: {CONNECTIONS} connections to {count} of four gateways; requests/s"
        ));
        let [gateways, redis, catalogue] =
            [0, 1, 2].map(|place| median(rounds, |round| round.cpu[place]));
        let details = format!(
            "CPU a request: gateways {gateways:.1} µs, redis {redis:.1} µs, catalogue-svc {catalogue:.1} µs"
        );
        report.figure(measure, format!("{:.0}", median(rounds, |round| round.rate)), &details);
    }
}

async fn round(requests: &[Request], processes: &[Vec<Process>; 3], seconds: u32) -> Round {
    let cpu = || processes.each_ref().map(|all| all.iter().map(Process::cpu).sum::<f64>());
    let before = cpu();
    let connections = CONNECTIONS / requests.len();
    let load = async |request: &Request| {
        wrk::load(&request.clone().with_connections(connections), seconds).await
    };
    let loads = join_all(requests.iter().map(load)).await;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let count = loads.iter().map(|load| load.requests).sum::<u64>() as f64;
    let after = cpu();
    Round {
        rate: loads.iter().map(|load| load.rate).sum(),
        cpu: std::array::from_fn(|place| (after[place] - before[place]) / count),
    }
}

async fn idle(report: &mut Report, bench: &BenchFleet, gateways: usize) {
    let measure = Measure::new(format!(
        "a fleet without calls, replicas of the gateway: {gateways}, of other services: 1; transactions/s in PostgreSQL"
    ));
    report.figure(measure, format!("{:.1}", idle_transactions(&bench.fleet).await), "");
}
