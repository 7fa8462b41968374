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
use crate::side::{median, print_ratio};

const ROUNDS: usize = 5;
const LENGTH: Duration = Duration::from_secs(1);
const WITH_TOTAL: &str = "with-total";
const WITHOUT_TOTAL: &str = "without-total";

pub(crate) async fn run() {
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
                println!("{games} games, {name}, SQL {what}:");
                compare(&ours, &plain, question).await;
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

async fn compare(ours: &CatalogueClient, plain: &CatalogueClient, question: Question) {
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
    println!(
        "  SQL {:.0}/s, catalogue-svc {:.0}/s",
        of(&rates[0]),
        of(&rates[1])
    );
    print_ratio("  catalogue-svc / SQL", &ratios);
}
