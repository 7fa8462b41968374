//! Exchange rates (`economy/v1/rates.proto`).

use contracts::economy::v1 as proto;
use contracts::economy::v1::rates_service_server::RatesService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::games::not_listed;
use super::snapshot::List;
use super::{Service, render};
use crate::domain::economy::Economy;
use crate::store::daily_costs;

/// The most rates of a list with a limit.
const MAX_LIMIT: usize = 1_000;
/// The most games whose daily costs one call lists.
const MAX_GAMES: usize = 100;

#[tonic::async_trait]
impl RatesService for Service {
    async fn list_rates(
        &self,
        request: Request<proto::ListRatesRequest>,
    ) -> Result<Response<proto::ListRatesResponse>, Status> {
        respond(self.rates(&request.into_inner()).await)
    }

    async fn list_daily_costs(
        &self,
        request: Request<proto::ListDailyCostsRequest>,
    ) -> Result<Response<proto::ListDailyCostsResponse>, Status> {
        respond(self.daily_costs(request.into_inner().games).await)
    }
}

impl Service {
    async fn daily_costs(
        &self,
        mut games: Vec<String>,
    ) -> Result<proto::ListDailyCostsResponse, Fault> {
        games.truncate(MAX_GAMES);
        let listed = daily_costs::list(&self.pool, games, self.clock.now()).await?;
        let games =
            listed.into_iter().map(|game| proto::DailyCosts { game: game.slug, costs: game.costs });
        Ok(proto::ListDailyCostsResponse { games: games.collect() })
    }

    async fn rates(
        &self,
        request: &proto::ListRatesRequest,
    ) -> Result<proto::ListRatesResponse, Fault> {
        let snapshot = self.snapshots.current(request.mode(), List::Rates).await?;
        let (from, to) = currencies(&snapshot.economy, request)?;
        let part = (request.limit > 0).then(|| {
            let most = usize::try_from(request.limit).map_or(MAX_LIMIT, |most| most.min(MAX_LIMIT));
            (request.after.clone(), most)
        });
        let rates = snapshot.rates(from, to, part).await?;
        let total = render::count(&snapshot.economy, from, to);
        Ok(proto::ListRatesResponse {
            json: (rates.version != request.known_version).then_some(rates.json),
            version: rates.version,
            page: Some(render::page_info(total)),
        })
    }
}

/// The indexes of the currencies in `from` and `to`.
fn currencies(
    economy: &Economy,
    request: &proto::ListRatesRequest,
) -> Result<(Option<usize>, Option<usize>), Fault> {
    let mut bad = BadFields::default();
    let mut find = |field: &str, slug: &str| match slug {
        "" => None,
        _ => bad.take(economy.find(slug).ok_or_else(|| not_listed(field))),
    };
    let found = (find("from", &request.from), find("to", &request.to));
    bad.check()?;
    Ok(found)
}
