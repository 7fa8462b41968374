//! GET /economy/rates with many currencies, which has a row for each ordered pair. Reads after the first one are compared with a static body of the
//! same size.

use std::time::Duration;

use e2e::SmallFleet;
use futures::stream::{self, StreamExt as _};
use tokio::time::Instant;

use super::games::Games;
use crate::http1::{Connection, Target};
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, median, ratios};
use crate::static_body;

/// The number of currencies, in addition to the few of the fleet's own accounts.
const CURRENCIES: usize = 200;
/// Connections of the compared reads.
const CONNECTIONS: usize = 4;
/// The length of a round of the compared reads.
const ROUND: Duration = Duration::from_secs(4);

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let mut games = Games::open(&mut small).await;
    games.grow(CURRENCIES).await;
    games.report(CURRENCIES).await;
    let rates = Target::get(&games.fleet, "/economy/rates", &games.key().await);
    let body = read(&rates).await;
    let (_server, url) = static_body::start(&small, &body).await;
    let fixed = Target::at(&url, "none");
    let (mut rated, mut fixed_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fixed_rates.push(megabytes_per_second(&fixed, body.len()).await);
        rated.push(megabytes_per_second(&rates, body.len()).await);
    }
    let details = format!(
        "{:.0} MB/s; static body {:.0} MB/s",
        median(&rated, |rate| *rate),
        median(&fixed_rates, |rate| *rate)
    );
    let measure = Measure::new(format!(
        "GET /economy/rates of {CURRENCIES} currencies: following reads over {CONNECTIONS} connections compared with a static body of that size from a bare axum server; bytes/s"
    ));
    let found = ratios(&rated, &fixed_rates, |rate| *rate);
    report.ratio(measure.required("0.6"), &found, &details);
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
    let request =
        reqwest::Client::new().get(url).header("authorization", target.authorization.clone());
    let answer = request.send().await.unwrap().error_for_status().unwrap();
    answer.bytes().await.unwrap().into()
}

fn mega(bytes: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let bytes = bytes as f64;
    bytes / 1e6
}
