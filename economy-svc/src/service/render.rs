//! The `data` bytes of public answers.

use bytes::Bytes;
use contracts::common::v1::PageInfo;
use contracts::public::{self, Number, Timestamp};
use kit::Fault;
use serde::Serialize;
use time::{Duration, OffsetDateTime};

use crate::domain::decimal::Decimal;
use crate::domain::economy::{Economy, Listed};
use crate::domain::methodology;
use crate::domain::rates::{Rate, rate};
use crate::domain::ratio::Ratio;

/// Bytes of a piece: large enough that a piece costs little, small enough that a few of them are nothing.
const PIECE: usize = 64 * 1024;

/// Makes something on a thread of its own, so that no other call waits for it.
pub(super) async fn aside<T: Send + 'static>(
    make: impl FnOnce() -> Result<T, serde_json::Error> + Send + 'static,
) -> Result<T, Fault> {
    let made = tokio::task::spawn_blocking(make).await;
    let made = made.map_err(|error| Fault::internal(&error))?;
    made.map_err(|error| Fault::internal(&error))
}

/// What is said of a list whose rows hold figures.
pub(super) fn page(total: u64) -> PageInfo {
    PageInfo {
        total,
        methodology: Some(methodology::VERSION),
        ..PageInfo::default()
    }
}

/// Rates in the order of their slugs, from one currency or to one, if they are given. No pieces together are no list: there is at least
/// one.
pub(super) fn rates<P: FromIterator<Bytes>>(
    economy: &Economy,
    from: Option<usize>,
    to: Option<usize>,
) -> Result<P, serde_json::Error> {
    let places = 0..economy.listed.len();
    let all = |one: Option<usize>| one.map_or_else(|| places.clone(), |one| one..one + 1);
    let mut rows = Pieces::default();
    for from in all(from) {
        for to in all(to) {
            if let Some(rate) = rate(economy, from, to) {
                rows.push(&rate_row(economy, from, to, &rate))?;
            }
        }
    }
    Ok(rows.finish().into_iter().collect())
}

/// How many rates there are, from one currency or to one, if they are given.
pub(super) fn count(economy: &Economy, from: Option<usize>, to: Option<usize>) -> u64 {
    let listed = economy.listed.len();
    let count = match (from, to) {
        (None, None) => listed * listed.saturating_sub(1),
        (Some(from), Some(to)) => usize::from(from != to),
        (Some(_), None) | (None, Some(_)) => listed.saturating_sub(1),
    };
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn rate_row<'a>(economy: &'a Economy, from: usize, to: usize, rate: &Rate) -> public::Rate<'a> {
    let text =
        |place: usize, of: fn(&Listed) -> &str| economy.listed.get(place).map_or("", of).into();
    public::Rate {
        from: text(from, |listed| &listed.slug),
        to: text(to, |listed| &listed.slug),
        currency_from: text(from, |listed| &listed.currency),
        currency_to: text(to, |listed| &listed.currency),
        rate: rate.value.number(),
        source: rate.source.as_str().into(),
        at: Timestamp(rate.at),
        day_change_pct: rate.day_change.map(Ratio::number),
    }
}

/// Every currency, by slug.
pub(super) fn currencies(
    economy: &Economy,
    now: OffsetDateTime,
    late: Duration,
) -> Result<Bytes, serde_json::Error> {
    let rows: Vec<public::Currency> = (economy.listed.iter())
        .map(|listed| currency_row(listed, now, late))
        .collect();
    serde_json::to_vec(&rows).map(Bytes::from)
}

fn currency_row(listed: &Listed, now: OffsetDateTime, late: Duration) -> public::Currency {
    let report = &listed.newest.report;
    let basket = report.basket;
    let figures = listed.figures;
    public::Currency {
        slug: listed.slug.clone(),
        name: listed.title.clone(),
        currency: listed.currency.clone(),
        reported_at: Timestamp(listed.newest.at),
        late: now >= listed.newest.at + late,
        supply: report.supply,
        minted: report.minted,
        burned: report.burned,
        output: report.output,
        players: report.active_players,
        basket: public::Basket {
            meal: basket.meal,
            ride: basket.ride,
            wage: basket.wage,
            rent: basket.rent,
            cost: basket.cost(),
        },
        inflation_pct: figures.inflation.map(Ratio::number),
        growth_pct: figures.growth.map(Ratio::number),
        money_growth_pct: figures.money_growth.map(Ratio::number),
        trade_balance: Number::from_text(listed.trade_balance.to_string()),
        policy_rate_pct: report.policy_rate.map(Decimal::number),
        naira_per_unit: report.naira_per_unit.map(Decimal::number),
    }
}

/// A JSON list that is written piece by piece.
#[derive(Debug, Default)]
struct Pieces {
    whole: Vec<Bytes>,
    piece: Vec<u8>,
    rows: usize,
}

impl Pieces {
    fn push(&mut self, row: &impl Serialize) -> Result<(), serde_json::Error> {
        self.piece.push(if self.rows == 0 { b'[' } else { b',' });
        self.rows += 1;
        serde_json::to_writer(&mut self.piece, row)?;
        if self.piece.len() >= PIECE {
            let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE + 1_024));
            self.whole.push(piece.into());
        }
        Ok(())
    }

    fn finish(mut self) -> Vec<Bytes> {
        let end: &[u8] = if self.rows == 0 { b"[]" } else { b"]" };
        self.piece.extend_from_slice(end);
        self.whole.push(self.piece.into());
        self.whole
    }
}
