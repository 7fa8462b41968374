//! GET /economy/rates with many currencies, which has a row for each ordered pair. Reads after the first one of a version are compared with a static
//! body of the same size. The growth of the memory of the gateway and economy-svc is measured.

use std::time::Duration;

use e2e::{Process, SmallFleet};
use futures::stream::{self, StreamExt as _};
use tokio::time::Instant;

use super::games::Games;
use crate::http1::{Connection, Target};
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, median, ratios};
use crate::static_body;

/// Numbers of currencies, in addition to the few of the fleet's own accounts, with the limit of the growth of memory. A list of more than 630
/// currencies would be too long.
const CASES: [(usize, &str); 2] = [(COMPARED, ""), (600, "3")];
/// The number of currencies for the comparison with a static body.
const COMPARED: usize = 200;
/// The number of versions of the rates that are read.
const VERSIONS: usize = 5;
/// Connections of the compared reads.
const CONNECTIONS: usize = 4;
/// The length of a round of the compared reads.
const ROUND: Duration = Duration::from_secs(4);

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let mut games = Games::open(&mut small).await;
    games.grow(1).await;
    let key = games.key().await;
    let rates = Target::get(&games.fleet, "/economy/rates", &key);
    for (currencies, memory_limit) in CASES {
        games.grow(currencies).await;
        games.report(currencies).await;
        let subject = format!("GET /economy/rates of {currencies} currencies");
        let processes = ["gateway", "economy-svc"];
        let processes = processes.map(|name| Process::new(name, games.fleet.pids()[name]));
        let before = processes.each_ref().map(Process::memory);
        processes.iter().for_each(Process::forget_peak);
        let mut body = Vec::new();
        for _ in 0..VERSIONS {
            games.report(1).await;
            body = read(&rates).await;
        }
        for (process, before) in processes.iter().zip(before) {
            let grown = f64::from(process.peak().saturating_sub(before)) * 1_024.0 / 1e6;
            let measure = Measure::new(format!(
                "{subject}: growth of the memory of {} over {VERSIONS} versions, in bodies",
                process.name
            ));
            let figure = format!("{:.1}", grown / mega(body.len()));
            let details = format!("{grown:.1} MB; a body has {:.1} MB", mega(body.len()));
            report.figure(measure.required(memory_limit), figure, &details);
        }
        if currencies == COMPARED {
            compare(report, &subject, &rates, &body, &small).await;
        }
    }
}

/// Compares reads of the rates with reads of a static body of the same bytes, in alternation.
async fn compare(
    report: &mut Report,
    subject: &str,
    rates: &Target,
    body: &[u8],
    small: &SmallFleet,
) {
    let (_server, url) = static_body::start(small, body).await;
    let fixed = Target::at(&url, "none");
    let (mut rated, mut fixed_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fixed_rates.push(megabytes_per_second(&fixed, body.len()).await);
        rated.push(megabytes_per_second(rates, body.len()).await);
    }
    let details = format!(
        "{:.0} MB/s; static body {:.0} MB/s",
        median(&rated, |rate| *rate),
        median(&fixed_rates, |rate| *rate)
    );
    let measure = Measure::new(format!(
        "{subject}: following reads over {CONNECTIONS} connections compared with a static body of that size from a bare axum server; bytes/s"
    ));
    let found = ratios(&rated, &fixed_rates, |rate| *rate);
    report.ratio(measure.required("0.8"), &found, &details);
}

async fn megabytes_per_second(target: &Target, length: usize) -> f64 {
    let start = Instant::now();
    let reads = stream::iter(0..CONNECTIONS).map(async |_| {
        let mut connection = Connection::open(target).await.unwrap();
        let mut count = 0;
        while start.elapsed() < ROUND {
            connection.send(target).await.unwrap();
            assert_eq!(connection.answer().await.unwrap().status, 200);
            count += 1;
        }
        count
    });
    let counts: Vec<usize> = reads.buffer_unordered(CONNECTIONS).collect().await;
    mega(counts.iter().sum::<usize>() * length) / start.elapsed().as_secs_f64()
}

async fn read(target: &Target) -> Vec<u8> {
    let url = format!("http://{}{}", target.address, target.uri.path());
    let request = reqwest::Client::new().get(url);
    let request = request.header("authorization", target.authorization.clone());
    let answer = request.send().await.unwrap().error_for_status().unwrap();
    answer.bytes().await.unwrap().into()
}

fn mega(bytes: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let bytes = bytes as f64;
    bytes / 1e6
}
