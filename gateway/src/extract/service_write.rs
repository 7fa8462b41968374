//! What every write to listings-svc and economy-svc needs (§4.3, §4.4).

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts as _, Request};
use bytes::Bytes;
use contracts::listings::v1::Precondition;
use http::Method;

use super::caller::AuthenticatedCaller;
use super::idempotency_key;
use super::if_match;
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
    /// The revisions at which a PATCH may be applied; `None` for any.
    pub precondition: Option<Precondition>,
}

impl FromRequest<App> for ServiceWrite {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (mut head, body) = request.into_parts();
        let AuthenticatedCaller(caller) =
            AuthenticatedCaller::from_request_parts(&mut head, app).await?;
        let mut query = Params::parse(head.uri.query());
        let (mut idempotency_key, mut precondition) = (None, None);
        match head.method {
            Method::POST => {
                idempotency_key = query.bad.take(idempotency_key::read(&head.headers));
            }
            Method::PATCH => precondition = query.bad.take(if_match::read(&head.headers)),
            _ => {}
        }
        let request = Request::from_parts(head, body);
        let JsonBody(body) = JsonBody::from_request(request, app).await?;
        let dry_run = query.flag("dry_run");
        query.finish()?;
        Ok(Self {
            app: App::clone(app),
            caller,
            body,
            dry_run,
            idempotency_key: idempotency_key.unwrap_or_default(),
            precondition: precondition.flatten(),
        })
    }
}
