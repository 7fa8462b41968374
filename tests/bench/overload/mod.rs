//! Overload: the goodput when more calls arrive than the fleet can answer.
//!
//! The services share one core. Redis, PostgreSQL, the launcher and the generator run on another one, so that they take no time from the services.

mod cores;
mod generator;
mod http1;
mod http2;

use std::time::Duration;

use crate::fleet::BenchFleet;
use crate::http1::Target;
use crate::results::{Measure, Report};
use generator::{Wire, capacity, offer, steady};
use http1::Http1;
use http2::Http2;

/// Offered loads, as multiples of the capacity.
const LOADS: [f64; 6] = [0.5, 0.8, 1.0, 1.5, 2.0, 3.0];
/// The load whose goodput is compared with the best.
const TWICE: f64 = 2.0;
/// Each round offers all loads, so that a change of the machine's speed affects all of them.
const ROUNDS: usize = 3;
/// The duration of a load in seconds.
const SECONDS: u32 = 4;
/// Pause between two loads, for requests that are left over.
const PAUSE: Duration = Duration::from_secs(1);

const OF_SERVICES: usize = 0;
const OF_ALL_ELSE: usize = 1;

/// Runs on one thread.
pub(crate) async fn run(report: &mut Report) {
    // Processes that start from here on inherit this core and see no other, so each service serves with one thread.
    cores::pin(std::process::id(), OF_ALL_ELSE);
    let bench = BenchFleet::up().await;
    for service in &bench.fleet.services {
        let pid = service.pid.unwrap();
        cores::pin(pid.try_into().unwrap(), OF_SERVICES);
    }
    bench.games().await;
    let target = Target::get(&bench.fleet, "/games", &bench.key);
    over(report, "HTTP/1.1", 512, async |connections| Http1::open(&target, connections).await)
        .await;
    over(report, "HTTP/2", 64, async |connections| Http2::open(&target, connections).await).await;
}

/// Offers all loads, each over new connections, which `open` makes: `connections` at first. A steady caller has a connection of its own.
async fn over<W: Wire>(
    report: &mut Report,
    name: &str,
    connections: usize,
    open: impl AsyncFn(usize) -> W,
) {
    let (mut of_best, mut of_steady) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let capacity = capacity(open(connections).await).await;
        let mut best: f64 = 0.0;
        let mut twice = 0.0;
        for load in LOADS {
            tokio::time::sleep(PAUSE).await;
            let time = Duration::from_secs(SECONDS.into());
            let (wire, own) = (open(connections).await, open(1).await);
            let (good, share) = tokio::join!(offer(wire, capacity * load, time), steady(own, time));
            let good = f64::from(good) / f64::from(SECONDS);
            best = best.max(good);
            if (load - TWICE).abs() < f64::EPSILON {
                twice = good;
                of_steady.push(share);
            }
        }
        of_best.push(twice / best);
    }
    let best = Measure::new(format!(
        "{name}: goodput (200 within a second of the time at which the request was due) at twice the capacity compared with the best of all loads from 0.5 to 3.0"
    ));
    report.ratio(best.required("0.7"), &of_best, "");
    let steady = Measure::new(format!(
        "{name}: share of good responses to a caller that sends 2 requests per second over a connection of its own, at twice the capacity"
    ));
    report.ratio(steady.required("0.95"), &of_steady, "");
}
