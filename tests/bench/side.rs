//! Two sides under the same load, in turns, so that a busy machine is busy for both.

use std::time::Duration;

use e2e::Process;

use crate::results::{Measure, Report};
use crate::wrk;

/// Of each side, one after the other.
pub(crate) const ROUNDS: usize = 7;
/// Length of a round.
pub(crate) const SECONDS: u32 = 6;
/// How long a side is loaded before the first round.
pub(crate) const WARM_UP: u32 = 3;

/// How long both sides are compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    pub(crate) rounds: usize,
    /// Of a side in a round.
    pub(crate) seconds: u32,
}

/// What is loaded, and whose work it is.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) name: &'static str,
    pub(crate) request: wrk::Request,
    pub(crate) processes: Vec<Process>,
}

impl Side {
    /// The same with a script of wrk's.
    pub(crate) fn with_script(self, script: &str) -> Self {
        Self {
            request: self.request.with_script(script),
            ..self
        }
    }
}

/// What one side came to in one round.
#[derive(Debug, Clone)]
struct Round {
    rate: f64,
    /// Microseconds within which 99 of 100 answers came.
    p99: f64,
    /// Microseconds of CPU for a request, of each process.
    cpu: Vec<f64>,
}

/// Loads both sides round by round and reports the medians. The ratio is the median of the rounds' own.
pub(crate) async fn compare(report: &mut Report, measure: &Measure, base: &Side, other: &Side) {
    let length = Length {
        rounds: ROUNDS,
        seconds: SECONDS,
    };
    compare_for(length, report, measure, [base, other]).await;
}

/// The same, for another time.
pub(crate) async fn compare_for(
    length: Length,
    report: &mut Report,
    measure: &Measure,
    [base, other]: [&Side; 2],
) {
    for side in [base, other] {
        wrk::load(&side.request, WARM_UP).await;
    }
    let (mut bases, mut others) = (Vec::new(), Vec::new());
    for _ in 0..length.rounds {
        bases.push(base.round(length.seconds).await);
        others.push(other.round(length.seconds).await);
    }
    let ratios = |of: fn(&Round) -> f64| -> Vec<f64> {
        let rounds = others.iter().zip(&bases);
        rounds.map(|(other, base)| of(other) / of(base)).collect()
    };
    let details = format!("{}; {}", other.details(&others), base.details(&bases));
    let rates = ratios(|round| round.rate);
    report.ratio(measure.in_unit("requests/s"), &rates, &details);
    let p99 = |rounds: &[Round]| format!("{:.1} ms", median(rounds, |round| round.p99) / 1e3);
    let details = format!(
        "{} {}; {} {}",
        other.name,
        p99(&others),
        base.name,
        p99(&bases)
    );
    report.ratio(measure.also("p99"), &ratios(|round| round.p99), &details);
}

impl Side {
    /// The medians of its rounds: requests a second, and the CPU of each process for a request.
    fn details(&self, rounds: &[Round]) -> String {
        let rate = median(rounds, |round| round.rate);
        let rates = format!("{} {rate:.0} requests/s", self.name);
        let cpu = self.processes.iter().enumerate().map(|(place, process)| {
            let cpu = median(rounds, |round| round.cpu[place]);
            format!("{} {cpu:.1} µs", process.name)
        });
        let cpu: Vec<String> = cpu.collect();
        if cpu.is_empty() {
            rates
        } else {
            format!("{rates}, CPU a request {}", cpu.join(", "))
        }
    }

    async fn round(&self, seconds: u32) -> Round {
        let before: Vec<f64> = self.processes.iter().map(Process::cpu).collect();
        let load = wrk::load(&self.request, seconds).await;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let requests = load.requests as f64;
        let used = self.processes.iter().zip(before);
        Round {
            rate: load.rate,
            p99: load.p99,
            cpu: used
                .map(|(process, before)| (process.cpu() - before) / requests)
                .collect(),
        }
    }
}

/// The middle one; of an even number, the upper of the two.
pub(crate) fn median<T>(values: &[T], of: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = values.iter().map(of).collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The time within which so many of a hundred came, in microseconds.
pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6
}
