//! A stub of economy-svc that records requests.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::common::v1::PageInfo;
use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_server::{
    CurrenciesService, CurrenciesServiceServer,
};
use contracts::economy::v1::rates_service_server::{RatesService, RatesServiceServer};
use contracts::economy::v1::reports_service_server::{ReportsService, ReportsServiceServer};
use contracts::economy::v1::tips_service_server::{TipsService, TipsServiceServer};
use kit::{Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

pub(crate) const RATES: &str = r#"[{"from":"bao","to":"kora"},{"from":"kora","to":"bao"}]"#;
/// The default version of the rates.
pub(crate) const VERSION: &str = "a-1-1-0--";

#[derive(Clone)]
pub(crate) struct Economy {
    pub(crate) address: String,
    state: Arc<Mutex<StubState>>,
}

#[derive(Default)]
struct StubState {
    reports: Vec<proto::SubmitReportRequest>,
    tips: Vec<proto::SendTipRequest>,
    refuses_tips: bool,
    rates: Vec<proto::ListRatesRequest>,
    /// The version and the rows that the test has set.
    current_rates: Option<(String, Bytes)>,
    rates_fail: bool,
}

impl Economy {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let economy = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            state: Arc::default(),
        };
        let server = Server::builder()
            .add_service(ReportsServiceServer::new(economy.clone()))
            .add_service(TipsServiceServer::new(economy.clone()))
            .add_service(RatesServiceServer::new(economy.clone()))
            .add_service(CurrenciesServiceServer::new(economy.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        economy
    }

    pub(crate) fn reports(&self) -> Vec<proto::SubmitReportRequest> {
        self.state.lock().unwrap().reports.clone()
    }

    pub(crate) fn tips(&self) -> Vec<proto::SendTipRequest> {
        self.state.lock().unwrap().tips.clone()
    }

    /// Makes every tip fail, or succeed again.
    pub(crate) fn refuse_tips(&self, refuse: bool) {
        self.state.lock().unwrap().refuses_tips = refuse;
    }

    pub(crate) fn rates(&self) -> Vec<proto::ListRatesRequest> {
        self.state.lock().unwrap().rates.clone()
    }

    pub(crate) fn set_rates(&self, version: &str, rows: impl Into<Bytes>) {
        self.state.lock().unwrap().current_rates = Some((version.to_owned(), rows.into()));
    }

    /// Makes every read of rates fail, or succeed again.
    pub(crate) fn fail_rates(&self, fail: bool) {
        self.state.lock().unwrap().rates_fail = fail;
    }
}

#[tonic::async_trait]
impl ReportsService for Economy {
    async fn submit_report(
        &self,
        request: Request<proto::SubmitReportRequest>,
    ) -> Result<Response<proto::SubmitReportResponse>, Status> {
        let request = request.into_inner();
        let writes = request.mode() == contracts::common::v1::Mode::Live && !request.dry_run;
        let key = request.idempotency_key.clone();
        let mut state = self.state.lock().unwrap();
        let earlier = state.reports.iter().any(|it| it.idempotency_key == key);
        state.reports.push(request);
        Ok(Response::new(proto::SubmitReportResponse {
            report: writes.then_some(7),
            at: Some(kit::api::timestamp::encode(super::START)),
            counted: true,
            held: None,
            replayed: earlier && !key.is_empty(),
        }))
    }

    async fn list_own_reports(
        &self,
        _: Request<proto::ListOwnReportsRequest>,
    ) -> Result<Response<proto::ListOwnReportsResponse>, Status> {
        Err(Status::unimplemented("no call of the API leads here"))
    }

    async fn list_own_held_reports(
        &self,
        _: Request<proto::ListOwnHeldReportsRequest>,
    ) -> Result<Response<proto::ListOwnHeldReportsResponse>, Status> {
        Err(Status::unimplemented("no call of the API leads here"))
    }
}

#[tonic::async_trait]
impl TipsService for Economy {
    async fn send_tip(
        &self,
        request: Request<proto::SendTipRequest>,
    ) -> Result<Response<proto::SendTipResponse>, Status> {
        let request = request.into_inner();
        if self.state.lock().unwrap().refuses_tips {
            return Err(kit::Fault::invalid_field("amount", "Give a whole number.").into());
        }
        let writes = request.mode() == contracts::common::v1::Mode::Live && !request.dry_run;
        let response = proto::SendTipResponse {
            tip: writes.then(|| "t-1".to_owned()),
            game: request.game.clone(),
            amount: 5,
            at: Some(kit::api::timestamp::encode(super::START)),
            replayed: false,
        };
        self.state.lock().unwrap().tips.push(request);
        Ok(Response::new(response))
    }
}

#[tonic::async_trait]
impl RatesService for Economy {
    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Result<Response<proto::ListRatesResponse>, Status> {
        let request = request.into_inner();
        let mut state = self.state.lock().unwrap();
        state.rates.push(request.clone());
        if state.rates_fail {
            return Err(Fault::unavailable("the stub is unavailable").into());
        }
        let first = || (VERSION.to_owned(), RATES.into());
        let (version, json) = state.current_rates.clone().unwrap_or_else(first);
        Ok(Response::new(proto::ListRatesResponse {
            json: (version != request.known_version).then_some(json),
            version,
            page: Some(page(2)),
        }))
    }

    async fn list_daily_costs(
        &self,
        _: Request<proto::ListDailyCostsRequest>,
    ) -> Result<Response<proto::ListDailyCostsResponse>, Status> {
        Ok(Response::new(proto::ListDailyCostsResponse::default()))
    }
}

#[tonic::async_trait]
impl CurrenciesService for Economy {
    async fn list_currencies(
        &self,
        _: Request<proto::ListCurrenciesRequest>,
    ) -> Result<Response<proto::ListCurrenciesResponse>, Status> {
        Ok(Response::new(proto::ListCurrenciesResponse {
            json: Some(r#"[{"slug":"bao"}]"#.into()),
            page: Some(page(1)),
            version: VERSION.to_owned(),
        }))
    }

    async fn set_own_currency(
        &self,
        _: Request<proto::SetOwnCurrencyRequest>,
    ) -> Result<Response<proto::SetCurrencyResponse>, Status> {
        Err(Status::unimplemented("no call of the API leads here"))
    }

    async fn list_own_currencies(
        &self,
        _: Request<proto::ListOwnCurrenciesRequest>,
    ) -> Result<Response<proto::ListOwnCurrenciesResponse>, Status> {
        Err(Status::unimplemented("no call of the API leads here"))
    }
}

fn page(total: u64) -> PageInfo {
    PageInfo { total, ..PageInfo::default() }
}
