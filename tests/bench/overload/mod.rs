//! More calls than can be answered: how many are answered well all the same.
//!
//! The services share one core. Redis, PostgreSQL, the launcher and the generator have another, so that neither those who ask nor
//! those who are asked take time from the services.

mod cores;
mod generator;
mod http1;
mod http2;

use std::time::Duration;

use crate::fleet::BenchFleet;
use crate::http1::Target;
use crate::results::{Measure, Report};
use generator::{Tally, Wire, capacity, offer};
use http1::Http1;
use http2::Http2;

/// What is offered, in parts of the capacity.
const LOADS: [f64; 6] = [0.5, 0.8, 1.0, 1.5, 2.0, 3.0];
/// The load whose goodput is held against the best.
const TWICE: f64 = 2.0;
/// How often all of them are offered, one after the other, so that a machine whose speed changes slows no load alone.
const ROUNDS: usize = 3;
/// How long each is offered.
const SECONDS: u32 = 4;
/// Time for what was left behind, between two loads.
const PAUSE: Duration = Duration::from_secs(1);

const OF_SERVICES: usize = 0;
const OF_ALL_ELSE: usize = 1;

/// Runs on one thread.
pub(crate) async fn run(report: &mut Report) {
    // Whatever is started from here has this core, and knows of no other: each service serves with one thread.
    cores::pin(std::process::id(), OF_ALL_ELSE);
    let bench = BenchFleet::up().await;
    for service in &bench.fleet.services {
        let pid = service.pid.unwrap();
        cores::pin(pid.try_into().unwrap(), OF_SERVICES);
    }
    bench.games().await;
    let target = Target::get(&bench.fleet, "/games", &bench.key);
    over(report, "HTTP/1.1", async || Http1::open(&target).await).await;
    over(report, "HTTP/2", async || Http2::open(&target).await).await;
}

/// Offers all loads over a wire that `open` makes anew for each.
async fn over<W: Wire>(report: &mut Report, name: &str, open: impl AsyncFn() -> W) {
    let (mut of_best, mut of_capacity) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let capacity = capacity(open().await).await;
        println!(
            "{name}, capacity: {capacity:.0} requests/s\nload  offered/s   sent/s   good/s    503/s   late/s  other/s unsent/s   p50 ms   p99 ms  lag p99 ms  503 p50 ms  Retry-After"
        );
        let mut best: f64 = 0.0;
        let mut twice = 0.0;
        for load in LOADS {
            tokio::time::sleep(PAUSE).await;
            let time = Duration::from_secs(SECONDS.into());
            let tally = offer(open().await, capacity * load, time).await;
            print(load, &tally);
            let good = per_second(count(&tally.good));
            best = best.max(good);
            if (load - TWICE).abs() < f64::EPSILON {
                twice = good;
            }
        }
        of_best.push(twice / best);
        of_capacity.push(twice / capacity);
    }
    let goodput = format!(
        "{name}: goodput (200 within a second of the time at which the request was due) at twice the capacity"
    );
    let best = Measure::new(format!(
        "{goodput} compared with the best of all loads from 0.5 to 3.0"
    ));
    report.ratio(best.required("0.7"), &of_best, "");
    let capacity = Measure::new(format!(
        "{goodput} compared with the capacity (closed loop of 256 callers)"
    ));
    report.ratio(capacity, &of_capacity, "");
}

fn print(load: f64, tally: &Tally) {
    let Tally {
        due,
        sent,
        late,
        other,
        unsent,
        ..
    } = tally;
    let rates = [
        *due,
        *sent,
        count(&tally.good),
        count(&tally.refused),
        *late,
        *other,
        *unsent,
    ];
    let rates = rates
        .map(|count| format!("{:>8.0}", per_second(count)))
        .join(" ");
    let retry_after = match (tally.refused.len(), tally.without_retry_after) {
        (0, _) => "no 503".to_owned(),
        (_, 0) => "always".to_owned(),
        (_, without) => format!("{without} without"),
    };
    println!(
        "{load:>4.1}   {rates} {:>8} {:>8} {:>11} {:>11}  {retry_after}",
        percentile(&tally.good, 50),
        percentile(&tally.good, 99),
        percentile(&tally.lag, 99),
        percentile(&tally.refused, 50),
    );
}

fn count(times: &[Duration]) -> u32 {
    times.len().try_into().unwrap()
}

fn per_second(count: u32) -> f64 {
    f64::from(count) / f64::from(SECONDS)
}

/// In milliseconds.
fn percentile(times: &[Duration], of_hundred: usize) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let found = times.get(times.len() * of_hundred / 100);
    found.map_or_else(String::new, |time| {
        format!("{:.1}", time.as_secs_f64() * 1_000.0)
    })
}
