//! Exchange rates (`economy/v1/rates.proto`).

use std::sync::Arc;

use contracts::economy::v1 as proto;
use contracts::economy::v1::list_rates_response::Part;
use contracts::economy::v1::rates_service_server::RatesService;
use futures::stream::{self, BoxStream, StreamExt as _};
use kit::Fault;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::games::not_listed;
use super::rate_lists::RateList;
use super::snapshot::Snapshot;
use super::{Service, render};
use crate::domain::economy::Economy;

#[tonic::async_trait]
impl RatesService for Service {
    type ListRatesStream = BoxStream<'static, Result<proto::ListRatesResponse, Status>>;

    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Result<Response<Self::ListRatesStream>, Status> {
        respond(self.stream_rates(request.into_inner()).await)
    }
}

impl Service {
    async fn stream_rates(
        &self,
        request: proto::ListRatesRequest,
    ) -> Result<BoxStream<'static, Result<proto::ListRatesResponse, Status>>, Fault> {
        let snapshot = self.snapshots.current(request.mode()).await?;
        let (from, to) = currencies(&snapshot.economy, &request)?;
        // Neither a version nor a slug has a colon: two different lists never have the same version.
        let version = format!("{}:{}:{}", snapshot.version, request.from, request.to);
        let total = render::count(&snapshot.economy, from, to);
        let list = if request.head_only {
            Arc::new(RateList::new(Box::default(), None))
        } else {
            self.rate_list(snapshot, from, to).await?
        };
        let head = Part::Head(proto::RatesHead {
            version,
            page: Some(render::page_info(total)),
            length: u64::try_from(list.length()).unwrap_or(u64::MAX),
        });
        let chunks = (0..).map_while(move |index| list.chunk(index));
        let parts = std::iter::once(head).chain(chunks.map(Part::Json));
        let answers = parts.map(|part| Ok(proto::ListRatesResponse { part: Some(part) }));
        Ok(stream::iter(answers).boxed())
    }

    async fn rate_list(
        &self,
        snapshot: Arc<Snapshot>,
        from: Option<usize>,
        to: Option<usize>,
    ) -> Result<Arc<RateList>, Fault> {
        if from.is_none() && to.is_none() {
            return self.snapshots.rates(&snapshot).await;
        }
        let render = move || render::rates(&snapshot.economy, from, to);
        let chunks = render::on_blocking_thread(render).await?;
        Ok(Arc::new(RateList::new(chunks, None)))
    }
}

/// The indexes of the currencies in `from` and `to`.
fn currencies(
    economy: &Economy,
    request: &proto::ListRatesRequest,
) -> Result<(Option<usize>, Option<usize>), Fault> {
    let find = |field: &str, slug: &str| {
        if slug.is_empty() {
            return Ok(None);
        }
        let index = economy.find(slug);
        index.map(Some).ok_or_else(|| not_listed(field))
    };
    Ok((find("from", &request.from)?, find("to", &request.to)?))
}
