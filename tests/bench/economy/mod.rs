//! Reports and tips at economy-svc — checked, with their rows of the feed — beside pgbench's update of two rows on the
//! same PostgreSQL.

pub(crate) mod games;
pub(crate) mod rates;
pub(crate) mod static_body;

use e2e::{Fleet, SmallFleet};

use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median};
use crate::writes::pgbench::Pgbench;
use games::{Games, What};

/// Callers, as many as pgbench has clients.
const CALLERS: usize = 16;
const GAMES: usize = 64;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    // A game reports as often as it is asked to.
    small.set("ECONOMY_REPORT_INTERVAL", "0");
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let mut games = Games::open(&fleet, "unlimited").await;
    games.grow(&fleet, GAMES).await;
    compare(report, &small, &fleet, &games, 1).await;
    small.down().await;
    let fleet = small
        .up_with(&["--replicas", "economy-svc=2", "--plans", &plans])
        .await;
    compare(report, &small, &fleet, &games, 2).await;
}

/// Measures reports, tips and pgbench in turns.
async fn compare(
    report: &mut Report,
    small: &SmallFleet,
    fleet: &Fleet,
    games: &Games,
    replicas: usize,
) {
    let pgbench = Pgbench::two_rows(small, GAMES, CALLERS).await;
    pgbench.rate(WARM_UP).await;
    let sides = [("reports", What::Report), ("tips", What::Tip)];
    let mut bare = Vec::new();
    let mut rates: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for (_, what) in sides {
        games.rate(fleet, replicas, CALLERS, what, WARM_UP).await;
    }
    for _ in 0..ROUNDS {
        bare.push(pgbench.rate(SECONDS).await);
        for ((_, what), rates) in sides.into_iter().zip(&mut rates) {
            rates.push(games.rate(fleet, replicas, CALLERS, what, SECONDS).await);
        }
    }
    for ((name, _), rates) in sides.into_iter().zip(&rates) {
        let measure = Measure::new(format!(
            "{name} at economy-svc, replicas: {replicas}, {CALLERS} callers, compared with pgbench's update of two rows ({CALLERS} clients, prepared); {name}/s"
        ));
        let details = format!(
            "{:.0} {name}/s; pgbench {:.0} transactions/s",
            median(rates, |rate| *rate),
            median(&bare, |rate| *rate)
        );
        let ratios: Vec<f64> = rates.iter().zip(&bare).map(|(rate, b)| rate / b).collect();
        report.ratio(measure.required("0.25"), &ratios, &details);
    }
}
