//! What every read of catalogue-svc needs. The checks of the route put the position into the request.

use axum::extract::FromRequestParts;
use contracts::common::v1 as proto;
use http::request::Parts;
use kit::Fault;
use kit::feed::Position;
use tonic::{Request, Response, Status};

use super::caller::{AuthenticatedCaller, unchecked_route};
use super::query::Params;
use crate::app::App;
use crate::errors::ApiError;
use crate::upstream::GrpcClient;

/// The position in the feed of listings-svc that the response must have reached (§1), as a request extension; `None` if no position is
/// known.
#[derive(Debug, Clone, Copy)]
pub struct MinPosition(pub Option<Position>);

/// A read, with the fields that all requests to catalogue-svc have.
pub struct CatalogueRead {
    pub app: App,
    query: Option<String>,
    pub mode: i32,
    pub at_least: Option<proto::Position>,
}

impl FromRequestParts<App> for CatalogueRead {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let AuthenticatedCaller(caller) =
            AuthenticatedCaller::from_request_parts(parts, app).await?;
        let at_least = parts.extensions.remove::<MinPosition>();
        Ok(Self {
            app: App::clone(app),
            query: parts.uri.query().map(ToOwned::to_owned),
            mode: caller.key.mode.into(),
            at_least: at_least.ok_or_else(unchecked_route)?.0.map(Into::into),
        })
    }
}

impl CatalogueRead {
    /// The parameters of the query.
    pub fn params(&self) -> Params {
        Params::parse(self.query.as_deref())
    }

    /// Sends a request whose parameters are read from `params`.
    ///
    /// # Errors
    /// A parameter is bad, catalogue-svc rejects the request or does not respond, or too many reads are running.
    pub async fn send<S: GrpcClient, Q, A>(
        &self,
        params: Params,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        request: Q,
    ) -> Result<A, Fault> {
        params.finish()?;
        self.app.catalogue.read(method, request).await
    }
}
