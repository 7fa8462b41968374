//! What every write to listings-svc and economy-svc needs (§4.3, §4.4).

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts as _, Request};
use bytes::Bytes;
use http::Method;
use kit::Fault;
use kit::bad_fields::BadFields;

use super::caller::AuthenticatedCaller;
use super::idempotency_key;
use super::json_body::JsonBody;
use super::query::Params;
use crate::app::App;
use crate::domain::key::Caller;
use crate::errors::ApiError;

/// A write with its body, which the service reads.
pub struct ServiceWrite {
    pub app: App,
    pub caller: Arc<Caller>,
    pub body: Bytes,
    pub dry_run: bool,
    /// Empty if none was sent, and for a PATCH, which takes none.
    pub idempotency_key: String,
    /// Bad headers and parameters. With any, `dry_run` is true: the service only checks the body.
    pub bad: BadFields,
}

impl ServiceWrite {
    /// Takes the value of another header, or adds why it is bad.
    pub fn take<T>(&mut self, value: Result<T, Fault>) -> Option<T> {
        let taken = self.bad.take(value);
        self.dry_run |= taken.is_none();
        taken
    }
}

impl FromRequest<App> for ServiceWrite {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (mut head, body) = request.into_parts();
        let AuthenticatedCaller(caller) =
            AuthenticatedCaller::from_request_parts(&mut head, app).await?;
        let mut query = Params::parse(head.uri.query());
        let idempotency_key = match head.method {
            Method::POST => query.bad.take(idempotency_key::read(&head.headers)),
            _ => None,
        };
        let request = Request::from_parts(head, body);
        let JsonBody(body) = JsonBody::from_request(request, app).await?;
        let dry_run = query.flag("dry_run");
        let bad = query.into_bad();
        Ok(Self {
            app: App::clone(app),
            caller,
            body,
            dry_run: dry_run || !bad.is_empty(),
            idempotency_key: idempotency_key.unwrap_or_default(),
            bad,
        })
    }
}
