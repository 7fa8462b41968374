//! What sign-ins take from callers of the API: each costs a hash of a password, which is made to be slow.

use std::time::Duration;

use e2e::{Fleet, WebClient};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::fleet::BenchFleet;
use crate::http1::{Connection, Target};
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, median, percentile};

/// Sign-ins begin so often, whatever became of those before.
const BETWEEN: Duration = Duration::from_millis(20);
/// Each round has a quiet part and one with sign-ins.
const PART: Duration = Duration::from_secs(6);

pub(crate) async fn run(report: &mut Report) {
    let bench = BenchFleet::up_with(&[("WEB_TRUSTED_PROXIES", "127.0.0.1")]).await;
    let target = Target::games(&bench.fleet, &bench.key);
    let mut connection = Connection::open(&target).await.unwrap();
    call_for(PART, &mut connection, &target).await;
    let (mut quiet, mut busy, mut answered) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let mut times = call_for(PART, &mut connection, &target).await;
        quiet.push(percentile(&mut times, 99));
        let mut sign_ins = JoinSet::new();
        sign_ins.spawn(sign_in(bench.fleet.clone()));
        let mut times = call_for(PART, &mut connection, &target).await;
        busy.push(percentile(&mut times, 99));
        answered += sign_ins.join_all().await.into_iter().sum::<usize>();
    }
    let details = format!(
        "{:.0} and {:.0} µs; {answered} sign-ins were answered, the others got 503",
        median(&busy, |time| *time),
        median(&quiet, |time| *time)
    );
    let ratios: Vec<f64> = busy.iter().zip(&quiet).map(|(a, b)| a / b).collect();
    let measure = Measure::new(
        "GET /games of one caller during 50 sign-ins a second compared with none, cores shared; p99",
    );
    report.ratio(measure.required("1.3"), &ratios, &details);
}

/// The times of calls, one after the other.
async fn call_for(length: Duration, connection: &mut Connection, target: &Target) -> Vec<Duration> {
    let end = Instant::now() + length;
    let mut times = Vec::new();
    while Instant::now() < end {
        let start = Instant::now();
        connection.send(target).await.unwrap();
        assert_eq!(connection.answer().await.unwrap().status, 200);
        times.push(start.elapsed());
    }
    times
}

/// Signs in for the length of a part, each time as another person from another address; counts those whose password was checked.
async fn sign_in(fleet: Fleet) -> usize {
    let mut tick = tokio::time::interval(BETWEEN);
    tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let (end, mut running) = (Instant::now() + PART, JoinSet::new());
    let first = WebClient::new(&fleet);
    while Instant::now() < end {
        tick.tick().await;
        let mut client = first.another();
        running.spawn(async move {
            let person = format!("{}@studio.example", kit::ids::row_id());
            let fields = [("email", person.as_str()), ("password", "baobab lorry")];
            client.post("/sign-in", &fields).await.status.as_u16()
        });
    }
    let statuses = running.join_all().await;
    assert!(
        statuses.iter().all(|it| matches!(it, 422 | 503)),
        "{statuses:?}"
    );
    statuses.iter().filter(|status| **status == 422).count()
}
