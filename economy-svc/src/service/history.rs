//! The figures of a currency over time (`economy/v1/history.proto`).

use std::collections::BTreeMap;

use contracts::common::v1::{Mode, PageInfo};
use contracts::economy::v1 as proto;
use contracts::economy::v1::history_service_server::HistoryService;
use contracts::public::{self, Timestamp};
use kit::cursor::Binding;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::render;
use super::result_page::{NOT_A_CURSOR, time_in_cursor};
use crate::domain::decimal::Decimal;
use crate::domain::figures::{CountedReport, Figures};
use crate::domain::ratio::Ratio;
use crate::samples;
use crate::store::history::{self, Entry, Filter};

/// Rows of a page: default and maximum (§4.1).
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

#[derive(Debug)]
pub(super) struct Service {
    pub(super) pool: PgPool,
    pub(super) clock: kit::Clock,
}

#[tonic::async_trait]
impl HistoryService for Service {
    async fn list_history(
        &self,
        request: Request<proto::ListHistoryRequest>,
    ) -> Result<Response<proto::ListHistoryResponse>, Status> {
        Ok(Response::new(self.list(request.into_inner()).await?))
    }
}

/// A page of reports, the oldest first.
struct ResultPage {
    /// The report before the first entry, for the figures of that entry.
    before: Option<CountedReport>,
    entries: Vec<Entry>,
    total: u64,
}

impl Service {
    async fn list(
        &self,
        request: proto::ListHistoryRequest,
    ) -> Result<proto::ListHistoryResponse, Fault> {
        let mode = request.mode();
        let page = request.page.clone().unwrap_or_default();
        let mut bad = BTreeMap::new();
        let mut moment = |field: &str, at: Option<prost_types::Timestamp>| {
            let decoded = at.map(timestamp::decode);
            if decoded == Some(None) {
                bad.insert(field.to_owned(), "It is not a valid time.".to_owned());
            }
            decoded.flatten()
        };
        let (from, to) = (moment("from", request.from), moment("to", request.to));
        let limit = match usize::try_from(page.limit) {
            Ok(0) => DEFAULT_LIMIT,
            Ok(limit) => limit.min(MAX_LIMIT),
            Err(_) => MAX_LIMIT,
        };
        let [begin, end] = [from, to].map(|at| at.map(|at| at.unix_timestamp_nanos().to_string()));
        let filters = [
            Some(request.game.as_str()),
            begin.as_deref(),
            end.as_deref(),
        ];
        let binding = Binding::new("history", filters);
        let after = binding.decode(&page.cursor);
        let after = after.and_then(|(nanos, id): (i128, i64)| Some((time_in_cursor(nanos)?, id)));
        if after.is_none() && !page.cursor.is_empty() {
            bad.insert("cursor".to_owned(), NOT_A_CURSOR.to_owned());
        }
        if request.game.is_empty() {
            bad.insert("game".to_owned(), "Give the slug of a game.".to_owned());
        }
        if !bad.is_empty() {
            return Err(Fault::invalid(bad));
        }
        let range = (from, to, after);
        let mut found = match mode {
            Mode::Test => self.samples(&request.game, range)?,
            _ => self.live(&request.game, range, limit).await?,
        };
        let has_more = found.entries.len() > limit;
        found.entries.truncate(limit);
        let last = found.entries.last().filter(|_| has_more);
        let next_cursor = last
            .map(|last| binding.encode(&(last.counted.at.unix_timestamp_nanos(), last.id)))
            .transpose()
            .map_err(|error| Fault::internal(&error))?;
        Ok(proto::ListHistoryResponse {
            page: Some(PageInfo {
                next_cursor,
                ..render::page(found.total)
            }),
            json: rows(found)?,
        })
    }

    async fn live(
        &self,
        slug: &str,
        (from, to, after): Range,
        limit: usize,
    ) -> Result<ResultPage, Fault> {
        let game = history::listed_game(&self.pool, slug).await?;
        let game = game.ok_or_else(no_currency)?;
        let filter = Filter {
            game,
            from,
            to,
            after,
        };
        // One row more than the page shows whether there is a next page.
        let limit = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let entries = history::list(&self.pool, filter, limit).await?;
        let total = history::count(&self.pool, filter).await?;
        let before = match entries.first() {
            Some(first) => history::before(&self.pool, game, (first.counted.at, first.id)).await?,
            None => None,
        };
        Ok(ResultPage {
            before,
            entries,
            total: total.unsigned_abs(),
        })
    }

    fn samples(&self, slug: &str, (from, to, after): Range) -> Result<ResultPage, Fault> {
        let history = samples::history(slug, self.clock.now());
        let history = history.map_err(|error| Fault::internal(&error))?;
        let (currency, mut reports) = history.ok_or_else(no_currency)?;
        reports.reverse();
        let is_in_range =
            |at: OffsetDateTime| from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to);
        let total = reports
            .iter()
            .filter(|counted| is_in_range(counted.at))
            .count();
        let mut before = None;
        let mut entries = Vec::new();
        for (id, counted) in (0..).zip(reports) {
            let is_before = after.is_some_and(|after| (counted.at, id) <= after);
            if is_before || from.is_some_and(|from| counted.at < from) {
                before = Some(counted);
            } else if is_in_range(counted.at) {
                entries.push(Entry {
                    id,
                    currency: currency.clone(),
                    counted,
                });
            }
        }
        Ok(ResultPage {
            before,
            entries,
            total: u64::try_from(total).unwrap_or(u64::MAX),
        })
    }
}

/// Start (inclusive), end (exclusive), and the last report of the page before.
type Range = (
    Option<OffsetDateTime>,
    Option<OffsetDateTime>,
    Option<(OffsetDateTime, i64)>,
);

fn no_currency() -> Fault {
    Fault::invalid_field(
        "game",
        "No listed currency belongs to a game with this slug; GET /economy/currencies lists them.",
    )
}

/// Renders the rows. The figures of each compare it with the reports before.
fn rows(page: ResultPage) -> Result<bytes::Bytes, Fault> {
    let mut before = page.before;
    let mut rows = Vec::with_capacity(page.entries.len());
    for entry in page.entries {
        let figures = Figures::of(&entry.counted, before.as_ref());
        let CountedReport { at, report, .. } = before.insert(entry.counted);
        let basket = report.basket;
        rows.push(public::HistoryRow {
            reported_at: Timestamp(*at),
            currency: entry.currency,
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
            policy_rate_pct: report.policy_rate.map(Decimal::number),
            naira_per_unit: report.naira_per_unit.map(Decimal::number),
        });
    }
    let json = serde_json::to_vec(&rows).map_err(|error| Fault::internal(&error))?;
    Ok(json.into())
}
