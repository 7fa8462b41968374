//! Exchange rates (`economy/v1/rates.proto`).

use contracts::economy::v1 as proto;
use contracts::economy::v1::rates_service_server::RatesService;
use kit::Fault;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::games::not_listed;
use super::{Service, render};
use crate::domain::economy::Economy;

/// The most rates of a list with a limit.
const MAX_LIMIT: usize = 1_000;

#[tonic::async_trait]
impl RatesService for Service {
    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Result<Response<proto::ListRatesResponse>, Status> {
        respond(self.rates(&request.into_inner()).await)
    }
}

impl Service {
    async fn rates(
        &self,
        request: &proto::ListRatesRequest,
    ) -> Result<proto::ListRatesResponse, Fault> {
        let snapshot = self.snapshots.current(request.mode()).await?;
        let (from, to) = currencies(&snapshot.economy, request)?;
        let (limit, after) = (request.limit, request.after.clone());
        // Neither a version nor a slug has a colon: two different lists never have the same version. `after` may be any text.
        let version = format!(
            "{}:{}:{}:{limit}:{after}",
            snapshot.version, request.from, request.to
        );
        let total = render::count(&snapshot.economy, from, to);
        let json = if version == request.known_version {
            None
        } else if limit > 0 {
            let most = usize::try_from(limit).map_or(MAX_LIMIT, |most| most.min(MAX_LIMIT));
            render::on_blocking_thread(move || {
                render::first_rates(&snapshot.economy, from, to, (&after, most))
            })
            .await?
        } else {
            Some(snapshot.rates(from, to).await?)
        };
        Ok(proto::ListRatesResponse {
            version,
            json,
            page: Some(render::page_info(total)),
        })
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
