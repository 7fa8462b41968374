//! The figures of a currency over time (`economy/v1/history.proto`).

use contracts::common::v1::{Mode, PageInfo};
use contracts::economy::v1 as proto;
use contracts::economy::v1::history_service_server::HistoryService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::{Binding, SortTime};
use kit::api::page::Page;
use kit::rpc::respond;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::Service;
use super::games::not_listed;
use super::render;
use crate::domain::figures::CountedReport;
use crate::samples;
use crate::store::games::{self, ListedGame};
use crate::store::history::{self, Range};
use crate::store::reports::Entry;

#[tonic::async_trait]
impl HistoryService for Service {
    async fn list_history(
        &self,
        request: Request<proto::ListHistoryRequest>,
    ) -> Result<Response<proto::ListHistoryResponse>, Status> {
        respond(self.history_page(request.into_inner()).await)
    }
}

/// Where the reports of a game are.
enum Source {
    /// The name of the currency, and its reports from newest to oldest.
    Samples(String, Vec<CountedReport>),
    Stored(ListedGame),
}

/// The reports of a page, the oldest first.
struct FoundReports {
    /// The name of the currency.
    currency: String,
    /// The report before the first entry, for the figures of that entry.
    before: Option<CountedReport>,
    entries: Vec<Entry>,
    total: u64,
}

impl Service {
    async fn history_page(
        &self,
        request: proto::ListHistoryRequest,
    ) -> Result<proto::ListHistoryResponse, Fault> {
        let mode = request.mode();
        let mut bad = BadFields::default();
        let from = bad.time("from", request.from);
        let to = bad.time("to", request.to);
        bad.range("from", from, "to", to);
        let [begin, end] = [from, to].map(|at| at.map(|at| at.unix_timestamp_nanos().to_string()));
        let filters = [Some(request.game.as_str()), begin.as_deref(), end.as_deref()];
        let binding = Binding::new("history", filters);
        let page: Page<(SortTime, i64)> = bad.read_public_page(binding, request.page);
        if request.game.is_empty() {
            bad.add("game", "Give the slug of a game.");
        }
        let source = self.find_source(&request.game, mode).await?;
        let source = bad.take(source.ok_or_else(|| not_listed("game")));
        let source = bad.finish(source)?;
        let after = page.after.map(|(SortTime(at), id)| (at, id));
        let range = Range { from, to, after };
        let mut found = match source {
            Source::Samples(currency, reports) => sample_history(currency, reports, range),
            Source::Stored(game) => self.live_history(game, range, page.rows_to_fetch()).await?,
        };
        let key = |entry: &Entry| (SortTime(entry.counted.at), entry.id);
        let next_cursor = page.cut(&mut found.entries, key)?;
        Ok(proto::ListHistoryResponse {
            page: Some(PageInfo { next_cursor, ..render::page_info(found.total) }),
            json: render::history(&found.currency, found.before, found.entries)
                .map_err(|error| Fault::internal(&error))?,
        })
    }

    async fn find_source(&self, slug: &str, mode: Mode) -> Result<Option<Source>, Fault> {
        if mode != Mode::Test {
            return Ok(games::find_listed(&self.pool, slug).await?.map(Source::Stored));
        }
        let samples = samples::history(slug, self.clock.now());
        let samples = samples.map_err(|error| Fault::internal(&error))?;
        Ok(samples.map(|(currency, reports)| Source::Samples(currency, reports)))
    }

    async fn live_history(
        &self,
        game: ListedGame,
        range: Range,
        limit: i64,
    ) -> Result<FoundReports, Fault> {
        let entries = history::list(&self.pool, game.id, range, limit).await?;
        let total = history::count(&self.pool, game.id, range).await?;
        let before = match entries.first() {
            Some(first) => history::before(&self.pool, game.id, first).await?,
            None => None,
        };
        Ok(FoundReports { currency: game.currency, before, entries, total: total.unsigned_abs() })
    }
}

/// The page of a history of samples.
fn sample_history(currency: String, mut reports: Vec<CountedReport>, range: Range) -> FoundReports {
    let Range { from, to, after } = range;
    reports.reverse();
    let is_in_range =
        |at: OffsetDateTime| from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to);
    let total = reports.iter().filter(|counted| is_in_range(counted.at)).count();
    let mut before = None;
    let mut entries = Vec::new();
    // A sample report has no number of its own: its position stands for one.
    for (id, counted) in (0..).zip(reports) {
        let is_before = after.is_some_and(|after| (counted.at, id) <= after);
        if is_before || from.is_some_and(|from| counted.at < from) {
            before = Some(counted);
        } else if is_in_range(counted.at) {
            entries.push(Entry { id, counted });
        }
    }
    FoundReports { currency, before, entries, total: u64::try_from(total).unwrap_or(u64::MAX) }
}
