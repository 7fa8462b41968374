//! A call that has passed the checks of its route.

use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Path};
use bytes::Bytes;
use contracts::Unary;
use contracts::common::v1 as proto;
use http::request::Parts;
use kit::Fault;
use kit::feed::Position;
use serde::de::DeserializeOwned;

use super::query::Params;
use crate::app::App;
use crate::domain::key::Caller;
use crate::domain::quota::RateLimitStatus;
use crate::upstream::Upstream;

/// What a handler gets. The pipeline makes it after the checks, so no handler runs without them.
pub struct Call {
    pub app: App,
    pub caller: Arc<Caller>,
    pub rate_limit: RateLimitStatus,
    /// The position in the feed of listings-svc that a read of the catalogue must show (§1); `None` if no position is known.
    pub at_least: Option<Position>,
    pub head: Parts,
    /// The body, or why it could not be read.
    pub body: Result<Bytes, Fault>,
}

impl Call {
    /// The mode of the key, for a message.
    pub fn mode(&self) -> i32 {
        self.caller.key.mode.into()
    }

    /// The account of the key, for a message.
    pub fn account_id(&self) -> String {
        self.caller.key.account.to_string()
    }

    /// The position for a message to catalogue-svc.
    pub fn at_least(&self) -> Option<proto::Position> {
        self.at_least.map(Into::into)
    }

    /// The parameters of the query.
    pub fn params(&self) -> Params {
        Params::parse(self.head.uri.query())
    }

    /// The decoded parameters of the path: a slug, a handle, a code, or the kind and the name of a board.
    ///
    /// # Errors
    /// One is not UTF-8: nothing has such a name.
    pub async fn path_param<T: DeserializeOwned + Send>(&mut self) -> Result<T, Fault> {
        let found = Path::from_request_parts(&mut self.head, &()).await;
        found.map(|Path(name)| name).map_err(|_not_utf8| {
            Fault::not_found("A path parameter is not UTF-8, so nothing has this name. Percent-encode it as UTF-8.")
        })
    }

    /// Sends a read, whose parameters were read from `params`, to a service. The service checks the
    /// rest of the parameters even if one is bad, so that the error has all that are.
    ///
    /// # Errors
    /// A parameter is bad, the service rejects the request or does not respond, or too many reads are running.
    pub async fn read<Q: Unary>(
        &self,
        service: &Upstream,
        params: Params,
        request: &Q,
    ) -> Result<Q::Response, Fault> {
        params.into_bad().join(service.read(request).await)
    }
}
