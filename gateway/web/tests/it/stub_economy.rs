//! A stub of economy-svc with two games, which have currencies once the first currency has a name.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use contracts::common::v1::Ended;
use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_server::{
    CurrenciesService, CurrenciesServiceServer,
};
use contracts::economy::v1::rates_service_server::{RatesService, RatesServiceServer};
use contracts::economy::v1::reports_service_server::{ReportsService, ReportsServiceServer};
use kit::api::timestamp;
use kit::{Code, Fault};
use tonic::service::RoutesBuilder;
use tonic::{Request, Response, Status};

use crate::stub_catalogue::HeldRead;
use crate::support::START;

#[derive(Debug, Clone, Default)]
pub(crate) struct StubEconomy {
    /// The account that owns the game `okoto`.
    pub(crate) owner: Arc<Mutex<String>>,
    pub(crate) name: Arc<Mutex<Option<String>>>,
    /// How often the name was set.
    pub(crate) named: Arc<AtomicU32>,
    /// The state of the report, which is held at first, and why staff ended it.
    pub(crate) report: Arc<Mutex<(proto::ReportState, String)>>,
    /// The text of every field that somebody fills.
    pub(crate) words: Arc<Mutex<Option<String>>>,
    /// The game `okoto` is not public, and has no listed currency.
    pub(crate) is_hidden: Arc<AtomicBool>,
    /// Reads of rates and currencies fail.
    pub(crate) is_away: Arc<Mutex<bool>>,
    /// Reads of rates alone fail.
    pub(crate) are_rates_away: Arc<AtomicBool>,
    /// Since the list of currencies was read, the game has left it.
    pub(crate) has_left: Arc<AtomicBool>,
    /// Reads of the daily costs of baskets get no answer.
    pub(crate) costs_hang: Arc<AtomicBool>,
    /// The number of made-up currencies before `kora`.
    pub(crate) more_currencies: Arc<AtomicU32>,
    /// The rows of each list of rates.
    pub(crate) rates_read: Arc<Mutex<Vec<usize>>>,
    /// How often the list of currencies was sent.
    pub(crate) lists_sent: Arc<AtomicU32>,
    /// While set, a read of the currencies signals that it began and then waits.
    pub(crate) held: Arc<Mutex<Option<HeldRead>>>,
}

impl StubEconomy {
    pub(crate) fn add_to(&self, services: &mut RoutesBuilder) {
        services
            .add_service(CurrenciesServiceServer::new(self.clone()))
            .add_service(ReportsServiceServer::new(self.clone()))
            .add_service(RatesServiceServer::new(self.clone()));
    }

    fn answers(&self) -> Result<(), Status> {
        if *self.is_away.lock().unwrap() {
            return Err(Fault::unavailable("a test").into());
        }
        Ok(())
    }

    fn currency(&self, (slug, game): (&str, &str), name: &str) -> serde_json::Value {
        let is_retracted = self.report.lock().unwrap().0 == proto::ReportState::Retracted;
        let supply = if is_retracted { 1_000_000 } else { 1_234_567 };
        serde_json::json!({
            "slug": slug, "name": self.text(game), "currency": name, "reported_at": "2026-11-23T12:00:00.000Z",
            "late": slug == "okoto", "supply": supply, "minted": 1, "burned": 0, "output": 1, "players": 1,
            "basket": {"meal": 1, "ride": 1, "wage": 1, "rent": 1, "cost": 121},
            "inflation_pct": 2.5, "growth_pct": null, "money_growth_pct": null, "trade_balance": -1200,
            "policy_rate_pct": null, "naira_per_unit": null,
        })
    }

    fn rate(&self, from: &str, to: &str) -> serde_json::Value {
        serde_json::json!({
            "from": from, "to": to, "currency_from": "Cowrie", "currency_to": self.text("<b>Shell"),
            "rate": 1234.5, "source": self.text("worked"), "at": "2026-11-23T12:00:00.000Z", "day_change_pct": -1.5,
        })
    }

    /// The slugs of the made-up currencies.
    fn more(&self) -> impl Iterator<Item = String> {
        let more = self.more_currencies.load(Ordering::Relaxed);
        (0..more).map(|number| format!("a-{number:04}"))
    }

    fn text(&self, usual: &str) -> String {
        let words = self.words.lock().unwrap().clone();
        words.unwrap_or_else(|| usual.to_owned())
    }

    /// Staff decide on the report, as the service allows it.
    pub(crate) fn decide(&self, state: proto::ReportState, reason: &str) {
        use proto::ReportState::{Counted, Held, Rejected, Retracted, Unspecified};

        let mut report = self.report.lock().unwrap();
        let allowed = match report.0 {
            Unspecified | Held => &[Counted, Rejected][..],
            Counted => &[Retracted],
            Rejected | Retracted => &[],
        };
        assert!(allowed.contains(&state), "{:?} {state:?}", report.0);
        *report = (state, reason.to_owned());
    }

    fn check(&self, account: &str, game: &str) -> Result<(), Status> {
        if *self.owner.lock().unwrap() == account && game == "okoto" {
            return Ok(());
        }
        Err(Fault::not_found("No game of yours has this slug.").into())
    }
}

/// How often owners rename the currency in a day.
const MAX_RENAMES: u32 = 5;

/// The name of the currency of `okoto`.
fn currency_name(name: &str, given_by: &str) -> proto::CurrencyName {
    proto::CurrencyName {
        game: "okoto".to_owned(),
        name: name.to_owned(),
        since: Some(timestamp::encode(START)),
        given_by: given_by.to_owned(),
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl CurrenciesService for StubEconomy {
    async fn list_currencies(
        &self,
        request: Request<proto::ListCurrenciesRequest>,
    ) -> Answer<proto::ListCurrenciesResponse> {
        let held = self.held.lock().unwrap().clone();
        if let Some(held) = held {
            held.began.notify_one();
            held.released.notified().await;
        }
        self.answers()?;
        let name = self.name.lock().unwrap().clone();
        let rows = name.into_iter().flat_map(|name| {
            let more = self.more().map(|slug| self.currency((&slug, &slug), &name));
            let kora = self.currency(("kora", "Kora"), &self.text("<b>Shell"));
            let okoto = self.currency(("okoto", "Okoto"), &name);
            let okoto = (!self.is_hidden.load(Ordering::Relaxed)).then_some(okoto);
            more.chain([kora]).chain(okoto).collect::<Vec<_>>()
        });
        let json = rows.collect::<serde_json::Value>().to_string();
        // As in the service, a list is sent to those who do not have its version.
        let is_known = json == request.get_ref().known_version;
        if !is_known {
            self.lists_sent.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Response::new(proto::ListCurrenciesResponse {
            json: (!is_known).then(|| json.clone().into()),
            page: None,
            version: json,
        }))
    }

    async fn set_own_currency(
        &self,
        request: Request<proto::SetOwnCurrencyRequest>,
    ) -> Answer<proto::SetCurrencyResponse> {
        let request = request.into_inner();
        self.check(&request.account_id, &request.game)?;
        let sent = request.name.trim();
        if !(1..=60).contains(&sent.chars().count()) {
            return Err(Fault::invalid_field("name", "It must have 1 to 60 characters.").into());
        }
        let mut name = self.name.lock().unwrap();
        // As in the service, the same name changes nothing, and owners rename it five times a day.
        let unchanged = name.as_deref() == Some(sent);
        if !unchanged {
            if self.named.load(Ordering::Relaxed) > MAX_RENAMES {
                let reason = "The currency was renamed 5 times today.";
                let fields = Fault::invalid_field("name", reason).fields;
                let fault = Fault { fields, ..Fault::new(Code::RateLimited, reason) };
                return Err(fault.with_retry_after(60).into());
            }
            self.named.fetch_add(1, Ordering::Relaxed);
            *name = Some(sent.to_owned());
        }
        let currency = Some(currency_name(sent, &format!("account {}", request.account_id)));
        Ok(Response::new(proto::SetCurrencyResponse { currency, unchanged }))
    }

    async fn list_own_currencies(
        &self,
        request: Request<proto::ListOwnCurrenciesRequest>,
    ) -> Answer<proto::ListOwnCurrenciesResponse> {
        let request = request.into_inner();
        if !request.game.is_empty() {
            self.check(&request.account_id, &request.game)?;
        }
        let name = self.name.lock().unwrap().clone();
        let own = proto::OwnCurrency {
            game: "okoto".to_owned(),
            title: self.text("Okoto <b>"),
            published: !self.is_hidden.load(Ordering::Relaxed),
            name: name.map(|name| currency_name(&name, "account")),
        };
        let is_owner = *self.owner.lock().unwrap() == request.account_id;
        Ok(Response::new(proto::ListOwnCurrenciesResponse {
            currencies: is_owner.then_some(own).into_iter().collect(),
            page: None,
        }))
    }
}

#[tonic::async_trait]
impl ReportsService for StubEconomy {
    async fn submit_report(
        &self,
        _: Request<proto::SubmitReportRequest>,
    ) -> Answer<proto::SubmitReportResponse> {
        Ok(Response::new(proto::SubmitReportResponse::default()))
    }

    async fn list_own_reports(
        &self,
        request: Request<proto::ListOwnReportsRequest>,
    ) -> Answer<proto::ListOwnReportsResponse> {
        let request = request.into_inner();
        self.check(&request.account_id, &request.game)?;
        // As in the service, a report has either the time of an approval or an end, or neither.
        let own = |state, reason: String| {
            let at = Some(timestamp::encode(START));
            let ended = Ended { by_account: String::new(), at, reason };
            let is_ended =
                matches!(state, proto::ReportState::Rejected | proto::ReportState::Retracted);
            proto::OwnReport {
                report: Some(proto::Report { at, cost: 1_200_000, ..proto::Report::default() }),
                state: state.into(),
                held: self.text("The basket costs twice as much as before."),
                approved_at: at.filter(|_| state == proto::ReportState::Counted),
                ended: is_ended.then_some(ended),
            }
        };
        let mut reports = Vec::new();
        if self.words.lock().unwrap().is_some() {
            reports.push(own(proto::ReportState::Rejected, self.text("")));
        }
        let (state, reason) = self.report.lock().unwrap().clone();
        let state = match state {
            proto::ReportState::Unspecified => proto::ReportState::Held,
            state => state,
        };
        reports.push(own(state, reason));
        Ok(Response::new(proto::ListOwnReportsResponse { reports, page: None }))
    }

    async fn list_own_held_reports(
        &self,
        request: Request<proto::ListOwnHeldReportsRequest>,
    ) -> Answer<proto::ListOwnHeldReportsResponse> {
        self.answers()?;
        let is_owner = *self.owner.lock().unwrap() == request.into_inner().account_id;
        let has_currency = self.name.lock().unwrap().is_some();
        let held = proto::OwnHeldReport {
            game: "okoto".to_owned(),
            title: self.text("Okoto <b>"),
            at: Some(timestamp::encode(START)),
            held: self.text("The basket costs twice as much as before."),
        };
        let reports = (is_owner && has_currency).then_some(held).into_iter().collect();
        Ok(Response::new(proto::ListOwnHeldReportsResponse { reports }))
    }
}

#[tonic::async_trait]
impl RatesService for StubEconomy {
    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Answer<proto::ListRatesResponse> {
        if self.name.lock().unwrap().is_none() || self.has_left.load(Ordering::Relaxed) {
            return Err(Fault::invalid_field("from", "No listed currency.").into());
        }
        self.answers()?;
        if self.are_rates_away.load(Ordering::Relaxed) {
            return Err(Fault::unavailable("a test").into());
        }
        let request = request.into_inner();
        let all = self.more().chain(["kora", "okoto"].map(str::to_owned));
        let is_hidden = self.is_hidden.load(Ordering::Relaxed);
        let listed = all.filter(|to| !is_hidden || *to != "okoto");
        let after = listed.filter(|to| *to > request.after && *to != request.from);
        let rates: Vec<_> = after
            .take(request.limit.try_into().unwrap())
            .map(|to| self.rate(&request.from, &to))
            .collect();
        self.rates_read.lock().unwrap().push(rates.len());
        let rates = serde_json::Value::Array(rates);
        Ok(Response::new(proto::ListRatesResponse {
            json: Some(rates.to_string().into()),
            ..proto::ListRatesResponse::default()
        }))
    }

    /// The costs of `kora` double every ten days, those of `okoto` are known since yesterday, and others have none.
    async fn list_daily_costs(
        &self,
        request: Request<proto::ListDailyCostsRequest>,
    ) -> Answer<proto::ListDailyCostsResponse> {
        self.answers()?;
        if self.costs_hang.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        let steps = [100., 200., 400.].map(|cost| [cost; 10]).into_iter();
        let kora = steps.flatten().chain([800.]);
        let okoto = std::iter::repeat_n(0., 29).chain([100., 100.]);
        let mut games = vec![
            proto::DailyCosts { game: "kora".to_owned(), costs: kora.collect() },
            proto::DailyCosts { game: "okoto".to_owned(), costs: okoto.collect() },
        ];
        let request = request.into_inner();
        games.retain(|costs| request.games.contains(&costs.game));
        Ok(Response::new(proto::ListDailyCostsResponse { games }))
    }
}
