//! Reports at economy-svc, with their checks, compared with pgbench's update of two rows on the same PostgreSQL.

pub(crate) mod followers;
mod games;
pub(crate) mod rates;

use e2e::SmallFleet;

use crate::pgbench::Pgbench;
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, ratios};
use games::Games;

/// Concurrent callers. pgbench has as many clients.
const CALLERS: usize = 16;
const GAMES: usize = 64;

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let mut games = Games::open(&mut small).await;
    games.grow(GAMES).await;
    let pgbench = Pgbench::two_rows(&small, GAMES, CALLERS).await;
    pgbench.rate(WARM_UP).await;
    games.rate(CALLERS, WARM_UP).await;
    let (mut bare, mut rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(pgbench.rate(SECONDS).await);
        rates.push(games.rate(CALLERS, SECONDS).await);
    }
    let measure = Measure::new(format!(
        "reports at economy-svc, replicas: 1, {CALLERS} callers, compared with pgbench's update of two rows ({CALLERS} clients, prepared); reports/s"
    ));
    let details = format!(
        "{:.0} reports/s; pgbench {:.0} transactions/s",
        median(&rates, |rate| *rate),
        median(&bare, |rate| *rate)
    );
    let found = ratios(&rates, &bare, |rate| *rate);
    report.ratio(measure.required("0.25"), &found, &details);
}
