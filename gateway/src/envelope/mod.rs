//! The envelope of every response (§2.1): `success`, `data` or `error`, `fields`, `meta`. Also conditional responses (304, §10.7).

mod body;
mod etag;
mod negotiation;

use std::convert::Infallible;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contracts::common::v1::{self as proto, PageInfo};
use futures::stream;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    LOCATION, VARY,
};
use kit::feed::Position;
use kit::{Code, Fault};
use serde::Serialize;

pub use negotiation::Negotiation;

use crate::app::Gateway;
pub use etag::{ETag, IfNoneMatch, ParsedTag, TagList, parse_tags};

use crate::context::Context;
use crate::domain::quota::RateLimitStatus;
use crate::errors::ApiError;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A response before it is written.
///
/// A handler returns it as an extension of an empty HTTP response. [`crate::layers::request_context`] knows the request id and writes the
/// envelope. Nothing else writes responses, so none leaves without an envelope.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    content: Content,
    rate_limit: Option<Box<RateLimitStatus>>,
    outcome: WriteOutcome,
    /// The revision of the listing that the request read or wrote.
    revision: Option<i64>,
    /// The position of the listings feed at which the response was made, if it depends on nothing else.
    position: Option<Position>,
}

/// The outcome of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct WriteOutcome {
    /// The write created something (201).
    created: bool,
    /// The path of the created object.
    location: Option<String>,
    /// The write did nothing: this is the stored response to an earlier request with the same `Idempotency-Key`.
    replayed: bool,
}

#[derive(Debug, Clone)]
enum Content {
    /// One object, or the rows of a list with its page.
    Data(Bytes, Option<PageInfo>),
    Error(Box<ApiError>),
}

impl ApiResponse {
    /// One object. `json` is spliced in unparsed.
    pub fn object(json: Bytes) -> Self {
        Self::new(Content::Data(json, None))
    }

    /// One object, serialized here.
    ///
    /// # Errors
    /// Serialization failed.
    pub fn json(data: &impl Serialize) -> Result<Self, ApiError> {
        let json = serde_json::to_vec(data).map_err(|error| Fault::internal(&error))?;
        Ok(Self::object(json.into()))
    }

    /// A page of a list. `json` is spliced in unparsed.
    pub fn list(json: Bytes, page: Option<PageInfo>) -> Self {
        Self::new(Content::Data(json, Some(page.unwrap_or_default())))
    }

    fn new(content: Content) -> Self {
        Self {
            content,
            rate_limit: None,
            outcome: WriteOutcome::default(),
            revision: None,
            position: None,
        }
    }

    /// Makes the status 201.
    #[must_use]
    pub fn created(mut self) -> Self {
        self.outcome.created = true;
        self
    }

    /// Makes the status 201 and adds `Location`.
    #[must_use]
    pub fn created_at(mut self, path: String) -> Self {
        self.outcome.location = Some(path);
        self.created()
    }

    /// Adds the revision of the listing to the `ETag` (§10.7); 0 means that there is none.
    #[must_use]
    pub fn at_revision(mut self, revision: i64) -> Self {
        self.revision = (revision > 0).then_some(revision);
        self
    }

    /// Says that the response depends on nothing but the listings at `position`, so that it may be cached.
    #[must_use]
    pub fn made_at(mut self, position: Option<&proto::Position>) -> Self {
        self.position = position.and_then(|position| Position::try_from(position).ok());
        self
    }

    /// See [`made_at`](Self::made_at).
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// A copy whose data do not keep the whole message in memory with which they came.
    #[must_use]
    pub fn detached(&self) -> Self {
        let mut copy = self.clone();
        if let Content::Data(json, _) = &mut copy.content {
            *json = Bytes::copy_from_slice(json);
        }
        copy
    }

    /// The bytes of the data.
    pub fn data_size(&self) -> usize {
        match &self.content {
            Content::Data(json, page) => {
                let cursor = page.as_ref().and_then(|page| page.next_cursor.as_ref());
                json.len() + cursor.map_or(0, String::len)
            }
            Content::Error(_) => 0,
        }
    }

    /// Adds `Idempotency-Replayed` if the response is a stored one (§10.4).
    #[must_use]
    pub fn replayed(mut self, replayed: bool) -> Self {
        self.outcome.replayed = replayed;
        self
    }

    /// Adds the rate limit headers (§10.6).
    #[must_use]
    pub fn with_rate_limit(mut self, rate_limit: RateLimitStatus) -> Self {
        self.rate_limit = Some(Box::new(rate_limit));
        self
    }

    fn status(&self) -> StatusCode {
        match &self.content {
            Content::Data(..) if self.outcome.created => StatusCode::CREATED,
            Content::Data(..) => StatusCode::OK,
            Content::Error(error) => error.fault.code.status(),
        }
    }

    fn headers(&self, context: &Context) -> HeaderMap {
        let mut headers = match &self.content {
            Content::Error(error) => error.headers(),
            Content::Data(..) => HeaderMap::new(),
        };
        let mut set = |name: HeaderName, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        };
        set(REQUEST_ID, Some(context.id.clone()));
        set(LOCATION, self.outcome.location.clone());
        if self.outcome.replayed {
            let name = HeaderName::from_static("idempotency-replayed");
            set(name, Some("true".to_owned()));
        }
        if let Some(rate_limit) = &self.rate_limit {
            set(
                HeaderName::from_static("ratelimit-policy"),
                rate_limit.policy(),
            );
            set(HeaderName::from_static("ratelimit"), rate_limit.remaining());
        }
        headers
    }
}

/// Adds the rate limit headers to the [`ApiResponse`] in `response`.
pub fn with_rate_limit(mut response: Response, rate_limit: RateLimitStatus) -> Response {
    if let Some(api_response) = response.extensions_mut().get_mut::<ApiResponse>() {
        api_response.rate_limit = Some(Box::new(rate_limit));
    }
    response
}

/// Marks a response without an envelope: the OpenAPI document.
#[derive(Debug, Clone, Copy)]
struct Raw;

/// Exempts a response from the envelope. It still gets the request id.
pub fn raw(mut response: Response) -> Response {
    response.extensions_mut().insert(Raw);
    response
}

/// Writes the [`ApiResponse`] in `response`, in the form that the client negotiated. A response without one is a bug: it is
/// logged and answered as `internal`.
pub fn write_response(
    mut response: Response,
    context: &Context,
    negotiation: &Negotiation,
    app: &Gateway,
) -> Response {
    if response.extensions_mut().remove::<Raw>().is_some() {
        if let Ok(id) = HeaderValue::try_from(&context.id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        return response;
    }
    let api_response = response
        .extensions_mut()
        .remove::<ApiResponse>()
        .unwrap_or_else(|| {
            tracing::error!(status = %response.status(), "a response has no envelope");
            ApiResponse::from(internal())
        });
    let mut headers = api_response.headers(context);
    // A handler may set how long an error can be cached.
    headers.extend(
        response
            .headers_mut()
            .remove(CACHE_CONTROL)
            .map(|value| (CACHE_CONTROL, value)),
    );
    let body = match &api_response.content {
        Content::Error(error) => {
            context.set_error(error.fault.code);
            body::error(error, context, &app.docs_url)
        }
        Content::Data(data, page) => {
            if negotiation.is_read {
                let tag = ETag::of(data, page.as_ref(), api_response.revision);
                let is_known = negotiation.if_none_match(&tag);
                headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
                headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
                if is_known {
                    return not_modified(headers);
                }
            } else if let Some(revision) = api_response.revision {
                let tag = ETag::of_revision(revision).into_value();
                headers.extend(tag.map(|tag| (ETAG, tag)));
            }
            body::success(data, &body::suffix(context, page.as_ref()))
        }
    };
    build_response(api_response.status(), headers, body)
}

/// Writes an error response outside the router.
pub fn error_response(error: ApiError, context: &Context, app: &Gateway) -> Response {
    let body = body::error(&error, context, &app.docs_url);
    let api_response = ApiResponse::from(error);
    let headers = api_response.headers(context);
    build_response(api_response.status(), headers, body)
}

/// The response to GET and HEAD alike: axum leaves the body of a HEAD out.
fn build_response(status: StatusCode, mut headers: HeaderMap, body: Vec<u8>) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, body.len().into());
    let mut written = Response::new(Body::from(body));
    *written.status_mut() = status;
    *written.headers_mut() = headers;
    written
}

/// A 304 has the headers of the 200 but those that describe the body (RFC 9110, 15.4.5).
pub fn not_modified(headers: HeaderMap) -> Response {
    // hyper would add `content-length: 0` to a body that is known to be empty, but a 304 has the length of the 200 or none.
    let unmeasured = Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
    let mut written = Response::new(unmeasured);
    *written.status_mut() = StatusCode::NOT_MODIFIED;
    *written.headers_mut() = headers;
    written
}

/// The error response for a bug whose cause is already in the log.
pub fn internal() -> Fault {
    Fault::new(
        Code::Internal,
        "Something failed on our side. It is logged under this request id.",
    )
}

impl From<ApiError> for ApiResponse {
    fn from(error: ApiError) -> Self {
        Self::new(Content::Error(Box::new(error)))
    }
}

impl From<Fault> for ApiResponse {
    fn from(fault: Fault) -> Self {
        ApiError::from(fault).into()
    }
}

impl IntoResponse for ApiResponse {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status();
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        ApiResponse::from(self).into_response()
    }
}
