//! Worked rates reproduce real figures: the Big Mac index, which compares currencies by the price of one meal.
//!
//! `data/big-mac.csv` is cut from `output-data/big-mac-raw-index.csv` of <https://github.com/TheEconomist/big-mac-data> at commit
//! 669a971c69ad7c5bec818e2eb3214355f13cd028 (MIT licence, © 2018 The Economist Newspaper): the rows of January 2026.

use std::collections::HashMap;

use sqlx::PgPool;

use crate::support::{report, start};

const FILE: &str = include_str!("data/big-mac.csv");
/// The columns of the index, and the currency area each takes as its base.
const BASES: [(&str, &str); 5] =
    [("USD", "USA"), ("EUR", "EUZ"), ("GBP", "GBR"), ("JPY", "JPN"), ("CNY", "CHN")];
/// Half a unit of the index's fifth decimal place.
const PRECISION: f64 = 0.000_005;

/// A row of the file, by column.
type Row = HashMap<&'static str, &'static str>;

fn rows() -> Vec<Row> {
    let mut lines = FILE.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| names.iter().copied().zip(line.split(',')).collect()).collect()
}

/// Parses a price with two decimal places, in hundredths.
fn hundredfold(price: &str) -> u64 {
    let (whole, places) = price.split_once('.').unwrap_or((price, ""));
    assert!(places.len() <= 2, "{price}");
    format!("{whole}{places:0<2}").parse().unwrap()
}

#[testing::database_test(economy::MIGRATOR)]
async fn worked_rates_reproduce_the_big_mac_index(pool: PgPool) {
    let economy = start(pool).await;
    let rows = rows();
    assert!(rows.len() >= 40);
    for row in &rows {
        let slug = row["iso_a3"].to_lowercase();
        economy.currency(&slug).await;
        let report = report(hundredfold(row["local_price"]));
        economy.report(&slug, &report).await.unwrap();
    }
    let rates: HashMap<(String, String), f64> = (economy.all_rates().await.into_iter())
        .map(|rate| {
            let pair = (rate.from.to_uppercase(), rate.to.to_uppercase());
            (pair, rate.rate.0)
        })
        .collect();
    assert_eq!(rates.len(), rows.len() * (rows.len() - 1));
    let number = |row: &Row, name: &str| row[name].parse::<f64>().unwrap();
    let mut compared = 0;
    for (index, base) in BASES {
        let of_base = rows.iter().find(|row| row["iso_a3"] == base).unwrap();
        for row in rows.iter().filter(|row| row["iso_a3"] != base) {
            // The index: how far the rate implied by the price of a meal is from the market rate.
            let implied = rates[&(base.to_owned(), row["iso_a3"].to_owned())];
            let market = number(row, "dollar_ex") / number(of_base, "dollar_ex");
            let published = number(row, index);
            let off = (implied / market - 1.0 - published).abs();
            assert!(off <= PRECISION * 1.000_001, "{index} {row:?}: {implied}");
            compared += 1;
        }
    }
    assert_eq!(compared, BASES.len() * (rows.len() - 1));
}
