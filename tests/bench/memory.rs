//! The memory of the gateway with keys that have called.

use e2e::{Process, SmallFleet};

use crate::many_keys;
use crate::results::{Measure, Report};

const KEYS: usize = 100_000;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let fleet = small.up().await;
    let keys = many_keys::insert(&fleet, "unlimited", 1, KEYS).await;
    let gateway = Process::new("gateway", fleet.pids()["gateway"]);

    let fresh = gateway.memory();
    many_keys::call_with_each(&fleet, &keys).await;
    let with_keys = gateway.memory();
    let measure = Measure::new(format!(
        "resident memory of the gateway with {KEYS} keys that have called once, MiB"
    ));
    let details = format!("{:.1} MiB before the first call", mib(fresh));
    let figure = format!("{:.1}", mib(with_keys));
    report.figure(measure.required("150"), figure, &details);
}

fn mib(kib: u32) -> f64 {
    f64::from(kib) / 1024.0
}
