//! A stub of economy-svc that records requests.

use std::sync::{Arc, Mutex};

use contracts::common::v1::PageInfo;
use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_server::{
    CurrenciesService, CurrenciesServiceServer,
};
use contracts::economy::v1::list_rates_response::Part;
use contracts::economy::v1::rates_service_server::{RatesService, RatesServiceServer};
use contracts::economy::v1::reports_service_server::{ReportsService, ReportsServiceServer};
use contracts::economy::v1::tips_service_server::{TipsService, TipsServiceServer};
use kit::Lifecycle;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

pub(crate) const RATES: &str = r#"[{"from":"bao","to":"kora"},{"from":"kora","to":"bao"}]"#;
/// The version of the rates.
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
    rates: Vec<proto::ListRatesRequest>,
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

    pub(crate) fn rates(&self) -> Vec<proto::ListRatesRequest> {
        self.state.lock().unwrap().rates.clone()
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
        self.state.lock().unwrap().reports.push(request);
        Ok(Response::new(proto::SubmitReportResponse {
            report: writes.then_some(7),
            at: Some(kit::timestamp::encode(super::START)),
            counted: true,
            held: None,
            replayed: false,
        }))
    }
}

#[tonic::async_trait]
impl TipsService for Economy {
    async fn send_tip(
        &self,
        request: Request<proto::SendTipRequest>,
    ) -> Result<Response<proto::SendTipResponse>, Status> {
        let request = request.into_inner();
        let writes = request.mode() == contracts::common::v1::Mode::Live && !request.dry_run;
        let response = proto::SendTipResponse {
            tip: writes.then(|| "t-1".to_owned()),
            game: request.game.clone(),
            amount: 5,
            at: Some(kit::timestamp::encode(super::START)),
            replayed: false,
        };
        self.state.lock().unwrap().tips.push(request);
        Ok(Response::new(response))
    }
}

#[tonic::async_trait]
impl RatesService for Economy {
    type ListRatesStream =
        tokio_stream::Iter<std::vec::IntoIter<Result<proto::ListRatesResponse, Status>>>;

    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Result<Response<Self::ListRatesStream>, Status> {
        let request = request.into_inner();
        let head_only = request.head_only;
        self.state.lock().unwrap().rates.push(request);
        let head = proto::RatesHead {
            version: VERSION.to_owned(),
            page: Some(page(2)),
            length: u64::try_from(RATES.len()).unwrap(),
        };
        let (first, second) = RATES.as_bytes().split_at(10);
        let mut parts = vec![Part::Head(head)];
        if !head_only {
            parts.extend([first, second].map(|piece| Part::Json(piece.into())));
        }
        let parts = parts.into_iter();
        let parts = parts.map(|part| Ok(proto::ListRatesResponse { part: Some(part) }));
        Ok(Response::new(tokio_stream::iter(parts.collect::<Vec<_>>())))
    }
}

#[tonic::async_trait]
impl CurrenciesService for Economy {
    async fn list_currencies(
        &self,
        _: Request<proto::ListCurrenciesRequest>,
    ) -> Result<Response<proto::ListCurrenciesResponse>, Status> {
        Ok(Response::new(proto::ListCurrenciesResponse {
            json: r#"[{"slug":"bao"}]"#.into(),
            page: Some(page(1)),
        }))
    }

    async fn set_own_currency(
        &self,
        _: Request<proto::SetOwnCurrencyRequest>,
    ) -> Result<Response<proto::SetCurrencyResponse>, Status> {
        Err(Status::unimplemented("no call of the API leads here"))
    }
}

fn page(total: u64) -> PageInfo {
    PageInfo {
        total,
        methodology: Some(7),
        ..PageInfo::default()
    }
}
