//! A stub of economy-svc that records requests, and answers with the rates of a script.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::common::v1::PageInfo;
use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_server::{
    CurrenciesService, CurrenciesServiceServer,
};
use contracts::economy::v1::list_rates_response::Part;
use contracts::economy::v1::rates_service_server::{RatesService, RatesServiceServer};
use contracts::economy::v1::reports_service_server::{ReportsService, ReportsServiceServer};
use contracts::economy::v1::tips_service_server::{TipsService, TipsServiceServer};
use futures::stream::{self, BoxStream, StreamExt as _};
use kit::{Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio::sync::watch;
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
    /// Bytes of rates that were sent.
    sent: Arc<AtomicUsize>,
    /// Calls for the head of the rates.
    heads: Arc<watch::Sender<usize>>,
}

#[derive(Default)]
struct StubState {
    reports: Vec<proto::SubmitReportRequest>,
    tips: Vec<proto::SendTipRequest>,
    refuses_tips: bool,
    rates: Vec<proto::ListRatesRequest>,
    /// The request ids of the calls in `rates`.
    request_ids: Vec<String>,
    script: RatesScript,
}

/// The rates, and how calls for their rows fail.
#[derive(Clone)]
pub(crate) struct RatesScript {
    pub(crate) pieces: Vec<Bytes>,
    /// The call fails before this part is sent; part 0 is the head.
    pub(crate) fails_before: Option<usize>,
    /// The rows are sent once so many heads were requested.
    pub(crate) after_heads: usize,
}

impl Default for RatesScript {
    fn default() -> Self {
        let (first, second) = RATES.as_bytes().split_at(10);
        Self {
            pieces: vec![first.into(), second.into()],
            fails_before: None,
            after_heads: 0,
        }
    }
}

impl RatesScript {
    fn length(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum()
    }

    /// The head and the pieces, up to the failure.
    fn parts(&self) -> Vec<Result<Part, Status>> {
        let head = Part::Head(proto::RatesHead {
            version: VERSION.to_owned(),
            page: Some(page(2)),
            length: u64::try_from(self.length()).unwrap(),
        });
        let pieces = self.pieces.iter().cloned().map(Part::Json);
        let mut parts: Vec<_> = std::iter::once(head).chain(pieces).map(Ok).collect();
        if let Some(index) = self.fails_before {
            parts.truncate(index);
            parts.push(Err(away()));
        }
        parts
    }
}

fn away() -> Status {
    Fault::unavailable("the stub is away").into()
}

impl Economy {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let economy = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            state: Arc::default(),
            sent: Arc::default(),
            heads: Arc::new(watch::channel(0).0),
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

    /// Whether every tip is refused.
    pub(crate) fn refuse_tips(&self, refuse: bool) {
        self.state.lock().unwrap().refuses_tips = refuse;
    }

    pub(crate) fn rates(&self) -> Vec<proto::ListRatesRequest> {
        self.state.lock().unwrap().rates.clone()
    }

    /// The request ids of the calls for rates.
    pub(crate) fn request_ids(&self) -> Vec<String> {
        self.state.lock().unwrap().request_ids.clone()
    }

    pub(crate) fn set_rates(&self, script: RatesScript) {
        self.state.lock().unwrap().script = script;
    }

    /// Bytes of rates that were sent, which includes those in the buffers of connections.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
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

    async fn list_own_reports(
        &self,
        _: Request<proto::ListOwnReportsRequest>,
    ) -> Result<Response<proto::ListOwnReportsResponse>, Status> {
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
            at: Some(kit::timestamp::encode(super::START)),
            replayed: false,
        };
        self.state.lock().unwrap().tips.push(request);
        Ok(Response::new(response))
    }
}

#[tonic::async_trait]
impl RatesService for Economy {
    type ListRatesStream = BoxStream<'static, Result<proto::ListRatesResponse, Status>>;

    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Result<Response<Self::ListRatesStream>, Status> {
        let id = request.metadata().get("x-request-id");
        let id = id.map_or("", |id| id.to_str().unwrap()).to_owned();
        let request = request.into_inner();
        let head_only = request.head_only;
        let script = {
            let mut state = self.state.lock().unwrap();
            state.rates.push(request);
            state.request_ids.push(id);
            state.script.clone()
        };
        let mut parts = script.parts();
        if head_only {
            self.heads.send_modify(|heads| *heads += 1);
            parts = RatesScript {
                fails_before: None,
                ..script
            }
            .parts();
            parts.truncate(1);
        } else {
            let mut heads = self.heads.subscribe();
            let requested = heads.wait_for(|heads| *heads >= script.after_heads);
            requested.await.unwrap();
            if script.fails_before == Some(0) {
                return Err(away());
            }
        }
        let sent = Arc::clone(&self.sent);
        let parts = stream::iter(parts).map(move |part| {
            if let Ok(Part::Json(piece)) = &part {
                sent.fetch_add(piece.len(), Ordering::Relaxed);
            }
            part.map(|part| proto::ListRatesResponse { part: Some(part) })
        });
        Ok(Response::new(parts.boxed()))
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

    async fn list_own_currencies(
        &self,
        _: Request<proto::ListOwnCurrenciesRequest>,
    ) -> Result<Response<proto::ListOwnCurrenciesResponse>, Status> {
        Err(Status::unimplemented("no call of the API leads here"))
    }
}

fn page(total: u64) -> PageInfo {
    PageInfo {
        total,
        ..PageInfo::default()
    }
}
