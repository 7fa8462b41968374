//! Deliveries of webhook-svc from its queue to a receiver on this machine, recorded, every commit synchronous.

mod arrival;
mod backlog;
mod bare;
pub(crate) mod receiver;
pub(crate) mod sender;

use std::sync::Arc;

use e2e::SmallFleet;

use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median};
use arrival::Arrivals;
use backlog::{Backlog, Drained};
use bare::{Bare, load};
use receiver::Receiver;

/// Endpoints of the wide case.
const MANY: usize = 100;
/// Deliveries that are due when a round begins.
const DUE: usize = 20_000;

/// One endpoint and a hundred beside a bare loop, with one replica and with two; half of the endpoints hanging; from approval to arrival.
pub(crate) async fn run(report: &mut Report) {
    let receiver = Receiver::start().await;
    let arrivals = Arrivals::bind().await;
    let mut hosts = receiver.hosts(MANY);
    hosts.push(arrivals.host.clone());
    let mut small = small_fleet(&hosts);
    let plans = small.plans();
    for replicas in [1, 2] {
        let option = format!("webhook-svc={replicas}");
        let options = ["--replicas", &option, "--plans", &plans];
        let fleet = small.up_with(&options).await;
        // Each has an account of its own: an account may add a hundred endpoints an hour.
        let backlog = async || Backlog::new(&fleet, &receiver).await;
        for endpoints in [1, MANY] {
            let measure = Measure::new(format!(
                "{DUE} due deliveries, endpoints: {endpoints}, replicas of webhook-svc: {replicas}, recorded with every commit synchronous, compared with a bare loop of the same HTTP client; deliveries/s"
            ));
            let measure = measure.required(if replicas == 1 { "0.4" } else { "" });
            beside_bare_loop(report, measure, &backlog().await, endpoints).await;
        }
        if replicas == 1 {
            half_hanging(report, &backlog().await).await;
            arrival::run(report, &fleet, &arrivals).await;
        }
        small.down().await;
    }
}

/// A fleet that may call these hosts.
fn small_fleet(hosts: &[String]) -> SmallFleet {
    let hosts: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &hosts.join(","));
    small
}

async fn beside_bare_loop(
    report: &mut Report,
    measure: Measure,
    backlog: &Backlog<'_>,
    endpoints: usize,
) {
    let bare = Arc::new(Bare::new(&backlog.receiver.host));
    let endpoints = backlog.add_endpoints("in", endpoints).await;
    load(&bare, WARM_UP).await;
    backlog.drain(&endpoints, DUE).await;
    let (mut bares, mut drained): (Vec<_>, Vec<Drained>) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bares.push(load(&bare, SECONDS).await);
        drained.push(backlog.drain(&endpoints, DUE).await);
    }
    let details = format!(
        "{:.0} deliveries/s; CPU of one: webhook-svc {:.1} µs, PostgreSQL {:.1} µs; bare loop {:.0}/s",
        median(&drained, |it| it.rate),
        median(&drained, |it| it.service_cpu),
        median(&drained, |it| it.postgres_cpu),
        median(&bares, |it| it.rate)
    );
    let pairs = drained.iter().zip(&bares);
    let ratios: Vec<f64> = pairs.map(|(ours, bare)| ours.rate / bare.rate).collect();
    report.ratio(measure, &ratios, &details);
}

/// The rate of healthy endpoints beside as many that never answer, and by themselves.
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
    let ratios: Vec<f64> = beside.iter().zip(&alone).map(|(b, a)| b / a).collect();
    let measure = Measure::new(
        "deliveries to 50 endpoints together with 50 that never respond, compared with the 50 alone; deliveries/s",
    );
    report.ratio(measure.required("0.95"), &ratios, "");
}
