//! `ListGames` of catalogue-svc compared with a plain implementation in SQL, on the same PostgreSQL and over the same method.

pub(crate) mod server;
mod table;

use std::time::Duration;

use e2e::{Fleet, SmallFleet};
use tokio::process::Child;

use super::ask::{CatalogueClient, Question};
use super::fill::{fill, restart};
use super::generate::Generator;
use super::{CALLERS, FEW, MANY};
use crate::child;
use crate::results::{Measure, Report};
use crate::side::median;

const ROUNDS: usize = 5;
const LENGTH: Duration = Duration::from_secs(1);
const WITH_TOTAL: &str = "with-total";
const WITHOUT_TOTAL: &str = "without-total";

pub(crate) async fn run(report: &mut Report) {
    for games in [FEW, MANY] {
        let mut small = SmallFleet::new();
        let fleet = small.up().await;
        let generator = Generator::new(games);
        fill(&fleet, &generator).await;
        table::create(&fleet.database_url, &generator).await;
        let (fleet, _) = restart(&small).await;
        let ours = CatalogueClient::of(&fleet, &generator).await;
        for (mode, what) in [
            (WITH_TOTAL, "with the total"),
            (WITHOUT_TOTAL, "without the total"),
        ] {
            let (_server, plain) = plain(&fleet, &ours, mode).await;
            for (question, name) in [
                (Question::FirstPage, "first page"),
                (Question::ThreeFilters, "three filters"),
            ] {
                let measure = Measure::new(format!(
                    "ListGames of catalogue-svc compared with plain SQL (sqlx, the right indexes, the same PostgreSQL and method), {CALLERS} callers, {games} games, {name}, SQL {what}; requests/s"
                ));
                let measure = measure.required(required(games, mode, question));
                compare(report, measure, [&ours, &plain], question).await;
            }
        }
    }
}

/// The same client, connected to a server that answers with SQL.
async fn plain(fleet: &Fleet, ours: &CatalogueClient, mode: &str) -> (Child, CatalogueClient) {
    let address = child::free_address();
    let args = ["games-by-sql", &address, &fleet.database_url, mode];
    let server = child::own(&args, &address).await;
    (server, ours.at(&format!("http://{address}"), fleet).await)
}

/// The limits: none for a million games without the total.
fn required(games: u64, mode: &str, question: Question) -> &'static str {
    match (games, mode, question) {
        (FEW, WITH_TOTAL, Question::FirstPage) => "20",
        (FEW, WITH_TOTAL, _) => "12",
        (FEW, _, Question::FirstPage) => "3",
        (FEW, ..) => "7",
        (_, WITH_TOTAL, Question::FirstPage) => "500",
        (_, WITH_TOTAL, _) => "100",
        _ => "",
    }
}

async fn compare(
    report: &mut Report,
    measure: Measure,
    [ours, plain]: [&CatalogueClient; 2],
    question: Question,
) {
    let mut rates = [Vec::new(), Vec::new()];
    // Prepares its statements.
    plain.rate(question, CALLERS, LENGTH).await;
    for _ in 0..ROUNDS {
        for (client, rates) in [plain, ours].into_iter().zip(&mut rates) {
            rates.push(client.rate(question, CALLERS, LENGTH).await);
        }
    }
    let ratios: Vec<f64> = rates[1]
        .iter()
        .zip(&rates[0])
        .map(|(ours, plain)| ours / plain)
        .collect();
    let of = |values: &[f64]| median(values, |value| *value);
    let details = format!(
        "catalogue-svc {:.0}/s; SQL {:.0}/s",
        of(&rates[1]),
        of(&rates[0])
    );
    report.ratio(measure, &ratios, &details);
}
