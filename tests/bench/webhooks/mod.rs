//! Deliveries of webhook-svc from its queue to a local receiver. Each is recorded with a synchronous commit.

mod backlog;
mod bare;
pub(crate) mod receiver;

use e2e::SmallFleet;

use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, ratios};
use backlog::{Backlog, Drained};
use bare::Bare;
use receiver::Receiver;

/// The endpoints of the larger case.
const MANY: usize = 100;
/// Deliveries that are due at the start of a round.
const DUE: usize = 20_000;

/// One endpoint and a hundred, compared with a bare loop; healthy endpoints with and without hanging ones.
pub(crate) async fn run(report: &mut Report) {
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &receiver.allowed(MANY));
    let fleet = small.up().await;
    // Each case needs another account, because an account may add only a hundred endpoints an hour.
    for endpoints in [1, MANY] {
        let backlog = Backlog::new(&fleet, &receiver).await;
        beside_bare_loop(report, &backlog, endpoints).await;
    }
    half_hanging(report, &Backlog::new(&fleet, &receiver).await).await;
}

async fn beside_bare_loop(report: &mut Report, backlog: &Backlog<'_>, count: usize) {
    let bare = Bare::new(&backlog.receiver.host);
    let endpoints = backlog.add_endpoints("in", count).await;
    bare.rate(WARM_UP).await;
    backlog.drain(&endpoints, DUE).await;
    let (mut bares, mut drained): (Vec<f64>, Vec<Drained>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bares.push(bare.rate(SECONDS).await);
        drained.push(backlog.drain(&endpoints, DUE).await);
    }
    let rates: Vec<f64> = drained.iter().map(|it| it.rate).collect();
    let details = format!(
        "{:.0} deliveries/s; CPU of one: webhook-svc {:.1} µs, PostgreSQL {:.1} µs; bare loop {:.0}/s",
        median(&rates, |rate| *rate),
        median(&drained, |it| it.service_cpu),
        median(&drained, |it| it.postgres_cpu),
        median(&bares, |rate| *rate)
    );
    let measure = Measure::new(format!(
        "{DUE} due deliveries, endpoints: {count}, replicas of webhook-svc: 1, recorded with every commit synchronous, compared with a bare loop of the same HTTP client; deliveries/s"
    ));
    let found = ratios(&rates, &bares, |rate| *rate);
    report.ratio(measure.required("0.4"), &found, &details);
}

/// The delivery rate of healthy endpoints together with as many that never respond, compared with the healthy ones alone.
async fn half_hanging(report: &mut Report, backlog: &Backlog<'_>) {
    let healthy = backlog.add_endpoints("in", MANY / 2).await;
    let hanging = backlog.add_endpoints("hang", MANY / 2).await;
    backlog.drain(&healthy, DUE).await;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(backlog.drain(&healthy, DUE).await.rate);
        backlog.fill(&hanging, DUE).await;
        backlog.resume(&hanging).await;
        beside.push(backlog.drain(&healthy, DUE).await.rate);
        backlog.pause(&hanging).await;
    }
    let measure = Measure::new(
        "deliveries to 50 endpoints together with 50 that never respond, compared with the 50 alone; deliveries/s",
    );
    let found = ratios(&beside, &alone, |rate| *rate);
    report.ratio(measure.required("0.95"), &found, "");
}
