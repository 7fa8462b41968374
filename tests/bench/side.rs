//! Compares two sides under the same load, in alternation, so that a busy machine affects both.

use std::time::Duration;

use e2e::Process;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::results::{Measure, Report};
use crate::wrk;

pub(crate) const ROUNDS: usize = 7;
/// The length of a round in seconds.
pub(crate) const SECONDS: u32 = 6;
/// The load on a side before the first round, in seconds.
pub(crate) const WARM_UP: u32 = 3;

/// A request, and the processes whose CPU time it costs.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) name: &'static str,
    pub(crate) request: wrk::Request,
    pub(crate) processes: Vec<Process>,
}

#[derive(Debug, Clone)]
struct Round {
    rate: f64,
    /// CPU time per request in microseconds, for each process.
    cpu: Vec<f64>,
}

/// Loads both sides in alternation; reports their medians, and the median of the rounds' ratios.
pub(crate) async fn compare(report: &mut Report, measure: &Measure, base: &Side, other: &Side) {
    for side in [base, other] {
        wrk::load(&side.request, WARM_UP).await;
    }
    let (mut bases, mut others) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bases.push(base.round().await);
        others.push(other.round().await);
    }
    let details = format!("{}; {}", other.details(&others), base.details(&bases));
    let rates = ratios(&others, &bases, |round| round.rate);
    report.ratio(measure.in_unit("requests/s"), &rates, &details);
}

impl Side {
    /// The medians of the rounds: requests per second, and CPU time per request for each process.
    fn details(&self, rounds: &[Round]) -> String {
        let rate = median(rounds, |round| round.rate);
        let rates = format!("{} {rate:.0} requests/s", self.name);
        let cpu: Vec<String> = self
            .processes
            .iter()
            .enumerate()
            .map(|(place, process)| {
                let cpu = median(rounds, |round| round.cpu[place]);
                format!("{} {cpu:.1} µs", process.name)
            })
            .collect();
        if cpu.is_empty() { rates } else { format!("{rates}, CPU a request {}", cpu.join(", ")) }
    }

    async fn round(&self) -> Round {
        let before: Vec<f64> = self.processes.iter().map(Process::cpu).collect();
        let load = wrk::load(&self.request, SECONDS).await;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let requests = load.requests as f64;
        let used = self.processes.iter().zip(before);
        Round {
            rate: load.rate,
            cpu: used.map(|(process, before)| (process.cpu() - before) / requests).collect(),
        }
    }
}

/// Calls per second of `callers` concurrent callers. `work` gets the number of the caller, and the number of its call.
pub(crate) async fn rate<F: Future<Output = ()> + Send>(
    callers: usize,
    seconds: u32,
    work: impl Fn(usize, usize) -> F + Clone + Send + 'static,
) -> f64 {
    let (start, time) = (Instant::now(), Duration::from_secs(seconds.into()));
    let mut tasks = JoinSet::new();
    for caller in 0..callers {
        let work = work.clone();
        tasks.spawn(async move {
            let mut turns = 0;
            while start.elapsed() < time {
                work(caller, turns).await;
                turns += 1;
            }
            turns
        });
    }
    let done: usize = tasks.join_all().await.into_iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let done = done as f64;
    done / start.elapsed().as_secs_f64()
}

pub(crate) fn ratios<T>(ours: &[T], base: &[T], of: impl Fn(&T) -> f64) -> Vec<f64> {
    let rounds = ours.iter().zip(base);
    rounds.map(|(ours, base)| of(ours) / of(base)).collect()
}

/// The median; of an even number of values, the upper one of the two in the middle.
pub(crate) fn median<T>(values: &[T], of: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = values.iter().map(of).collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A percentile of `times`, in microseconds.
pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6
}
