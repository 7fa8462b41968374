//! The CPU time of a fleet without calls.

use std::time::Duration;

use e2e::{Process, SmallFleet};
use tokio::time::sleep;

use crate::fleet::REST;
use crate::results::{Measure, Report};

const SECONDS: u32 = 60;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let fleet = small.up().await;
    let pids = fleet.pids().into_iter();
    let processes: Vec<Process> = pids.map(|(name, pid)| Process::new(&name, pid)).collect();
    sleep(REST).await;
    let before: Vec<f64> = processes.iter().map(Process::cpu_with_children).collect();
    sleep(Duration::from_secs(SECONDS.into())).await;
    let percent = |microseconds: f64| microseconds / (f64::from(SECONDS) * 1e4);
    let used: Vec<f64> = processes
        .iter()
        .zip(before)
        .map(|(process, before)| percent(process.cpu_with_children() - before))
        .collect();
    let each =
        processes.iter().zip(&used).map(|(process, used)| format!("{} {used:.2}", process.name));
    let measure = Measure::new("CPU time of all processes of a fleet without calls, % of a core");
    let figure = format!("{:.1}", used.iter().sum::<f64>());
    let details = each.collect::<Vec<_>>().join(", ");
    report.figure(measure.required("3"), figure, &details);
}
