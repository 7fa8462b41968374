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

/// Deliveries that are due at the start of a round.
const DUE: u32 = 20_000;

pub(crate) async fn run(report: &mut Report) {
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.host));
    let fleet = small.up().await;
    let backlog = Backlog::new(&fleet, &receiver).await;
    let bare = Bare::new(&receiver.host);
    bare.rate(WARM_UP).await;
    backlog.drain(DUE).await;
    let (mut bares, mut drained): (Vec<f64>, Vec<Drained>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bares.push(bare.rate(SECONDS).await);
        drained.push(backlog.drain(DUE).await);
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
        "{DUE} due deliveries, endpoints: 1, replicas of webhook-svc: 1, recorded with every commit synchronous, compared with a bare loop of the same HTTP client; deliveries/s"
    ));
    let found = ratios(&rates, &bares, |rate| *rate);
    report.ratio(measure.required("0.15"), &found, &details);
}
