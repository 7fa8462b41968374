//! Changes of public games at listings-svc — checked, with their revision, their count and their row of the feed — beside pgbench's
//! plain update of one row on the same PostgreSQL.

pub(crate) mod pgbench;
pub(crate) mod studios;

use e2e::{Fleet, Process, SmallFleet};
use sqlx::{Connection as _, PgConnection};

use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median};
use pgbench::Pgbench;
use studios::{GAMES, STUDIOS, Studios, Way};

/// Callers of the comparison, as many as pgbench has clients.
const CALLERS: usize = 64;
const ONE_REPLICA: &str = "one replica, 64 callers";

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let studios = Studios::open(&fleet).await;
    let before = revisions(&fleet.database_url).await;
    let one = Way::replicas(&fleet, 1).await;
    let sides = [
        (ONE_REPLICA, CALLERS, one.clone()),
        ("one replica, 16 callers", 16, one.clone()),
        ("one replica, 1 caller", 1, one),
        ("through the gateway, 64 callers", CALLERS, Way::Gateway),
    ];
    compare(report, &small, &fleet, &studios, &sides).await;

    // Followers of a second replica ask PostgreSQL for what the first has written, so it is there only where it is measured.
    small.down().await;
    let fleet = small
        .up_with(&["--replicas", "listings-svc=2", "--plans", &plans])
        .await;
    let two = Way::replicas(&fleet, 2).await;
    let sides = [("two replicas, 64 callers", CALLERS, two)];
    compare(report, &small, &fleet, &studios, &sides).await;

    // What was answered is there, once.
    let after = revisions(&fleet.database_url).await;
    assert_eq!(u64::try_from(after - before).unwrap(), studios.changes());
}

/// Measures each of the sides and pgbench in turns; the processor time is that of the first side.
async fn compare(
    report: &mut Report,
    small: &SmallFleet,
    fleet: &Fleet,
    studios: &Studios,
    sides: &[(&str, usize, Way)],
) {
    let pgbench = Pgbench::new(small, STUDIOS * GAMES).await;
    let replica = Process::new("listings-svc", fleet.service("listings-svc").pid.unwrap());
    pgbench.rate(WARM_UP).await;
    studios.rate(CALLERS, &sides[0].2, WARM_UP).await;
    let mut bare = Vec::new();
    let mut rates: Vec<Vec<f64>> = vec![Vec::new(); sides.len()];
    let mut cpu = Vec::new();
    for _ in 0..ROUNDS {
        bare.push(pgbench.rate(SECONDS).await);
        for (place, (_, callers, way)) in sides.iter().enumerate() {
            let used = replica.cpu();
            let rate = studios.rate(*callers, way, SECONDS).await;
            rates[place].push(rate);
            if place == 0 {
                cpu.push((replica.cpu() - used) / (rate * f64::from(SECONDS)));
            }
        }
    }
    for ((name, ..), rates) in sides.iter().zip(&rates) {
        let measure = Measure::new(format!(
            "changes of taglines at listings-svc, {name}, compared with pgbench's update of one of {} rows (64 clients, prepared); changes/s",
            STUDIOS * GAMES
        ));
        // The limit is for as many callers as pgbench has clients, without the gateway.
        let is_limited = *name == ONE_REPLICA;
        let measure = measure.required(if is_limited { "0.03" } else { "" });
        let details = format!(
            "{:.0} changes/s; pgbench {:.0} updates/s",
            median(rates, |rate| *rate),
            median(&bare, |rate| *rate)
        );
        let ratios: Vec<f64> = rates.iter().zip(&bare).map(|(rate, b)| rate / b).collect();
        report.ratio(measure, &ratios, &details);
    }
    let measure = Measure::new(format!(
        "CPU of one process of listings-svc for a change of all, {}, µs",
        sides[0].0
    ));
    report.figure(measure, format!("{:.0}", median(&cpu, |cpu| *cpu)), "");
}

/// Revisions that listings-svc has kept.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmarks have no schema of their own"
)]
async fn revisions(url: &str) -> i64 {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let count = sqlx::query_scalar("select count(*) from listings.revision");
    count.fetch_one(&mut connection).await.unwrap()
}
