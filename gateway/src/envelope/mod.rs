//! The envelope of every response (§2.1): `success`, `data` or `error`, `fields`, `meta`. Also conditional responses (304, §10.7).

mod body;

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use contracts::common::v1::{self as proto, PageInfo};
use futures::stream;
use http::StatusCode;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    ETAG, HeaderMap, HeaderName, HeaderValue, LOCATION, VARY,
};
use kit::feed::Position;
use kit::representations::Representations;
use kit::{Code, Fault};
use serde::Serialize;

use crate::context::Context;
use crate::errors::ApiError;
use crate::etag::ETag;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// How long the description of the API may be cached. It changes with a release.
const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// A response before [`write()`] gives it its form.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    content: Content,
    outcome: WriteOutcome,
    /// The revision of the listing that the request read or wrote.
    revision: Option<i64>,
    /// The position of the listings feed at which the response was made, if it depends on nothing else.
    position: Option<Position>,
    /// The tag of a stored response, or of the description of the API.
    tag: Option<ETag>,
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
    /// The description of the API, which has no envelope, with its content coding.
    Document(Option<HeaderValue>, Bytes),
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

    /// The description of the API, for a client that has sent these headers.
    pub fn document(document: &Representations, tag: ETag, headers: &HeaderMap) -> Self {
        let (coding, body) = document.negotiate(headers);
        Self { tag: Some(tag), ..Self::new(Content::Document(coding, body)) }
    }

    fn new(content: Content) -> Self {
        Self {
            content,
            outcome: WriteOutcome::default(),
            revision: None,
            position: None,
            tag: None,
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

    /// A copy with its tag, whose data do not keep the whole message in memory with which they came.
    #[must_use]
    pub fn to_stored(&self) -> Self {
        let mut copy = self.clone();
        if let Content::Data(json, page) = &mut copy.content {
            *json = Bytes::copy_from_slice(json);
            copy.tag = Some(ETag::for_data(json, page.as_ref(), self.revision));
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
            Content::Document(..) | Content::Error(_) => 0,
        }
    }

    /// Adds `Idempotency-Replayed` if the response is a stored one (§10.4).
    #[must_use]
    pub fn replayed(mut self, replayed: bool) -> Self {
        self.outcome.replayed = replayed;
        self
    }

    fn status(&self) -> StatusCode {
        match &self.content {
            Content::Data(..) if self.outcome.created => StatusCode::CREATED,
            Content::Data(..) | Content::Document(..) => StatusCode::OK,
            Content::Error(error) => error.fault.code.status(),
        }
    }

    fn headers(&self, context: &Context) -> HeaderMap {
        let mut headers = match &self.content {
            Content::Error(error) => error.headers(),
            Content::Data(..) | Content::Document(..) => HeaderMap::new(),
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
        if let Some(rate_limit) = &context.rate_limit {
            set(HeaderName::from_static("ratelimit-policy"), rate_limit.policy());
            set(HeaderName::from_static("ratelimit"), rate_limit.remaining());
        }
        headers
    }
}

/// Writes the response to a request. Every response leaves through here.
pub fn write(response: ApiResponse, context: &mut Context, docs_url: &str) -> Response {
    let mut headers = response.headers(context);
    let status = response.status();
    let (json, page) = match &response.content {
        Content::Error(error) => {
            context.error = Some(error.fault.code);
            return build_response(status, headers, body::error(error, context, docs_url));
        }
        Content::Data(json, page) => (json, page.as_ref()),
        Content::Document(_, json) => {
            headers.insert(CACHE_CONTROL, FIVE_MINUTES);
            // Tools that run in a page may read it.
            let everybody = HeaderValue::from_static("*");
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
            (json, None)
        }
    };
    if context.is_read() {
        let tag = response.tag.unwrap_or_else(|| ETag::for_data(json, page, response.revision));
        let is_known = context.if_none_match.matches(&tag);
        headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if is_known {
            return not_modified(headers);
        }
    } else if let Some(revision) = response.revision {
        let tag = ETag::for_revision(revision).into_value();
        headers.extend(tag.map(|tag| (ETAG, tag)));
    }
    if let Content::Document(coding, body) = &response.content {
        headers.extend(coding.clone().map(|coding| (CONTENT_ENCODING, coding)));
        return build_response(status, headers, body.clone());
    }
    let body = body::success(json, &body::suffix(context, page));
    build_response(status, headers, body)
}

/// The response to GET and HEAD alike: axum leaves the body of a HEAD out.
fn build_response(status: StatusCode, mut headers: HeaderMap, body: impl Into<Bytes>) -> Response {
    let body: Bytes = body.into();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, body.len().into());
    let mut written = Response::new(Body::from(body));
    *written.status_mut() = status;
    *written.headers_mut() = headers;
    written
}

/// A 304 has the headers of the 200 but those that describe the body (RFC 9110, 15.4.5).
fn not_modified(headers: HeaderMap) -> Response {
    // hyper would add `content-length: 0` to a body that is known to be empty, but a 304 has the length of the 200 or none.
    let unmeasured = Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
    let mut written = Response::new(unmeasured);
    *written.status_mut() = StatusCode::NOT_MODIFIED;
    *written.headers_mut() = headers;
    written
}

/// The error response for a bug whose cause is already in the log.
pub fn internal() -> Fault {
    Fault::new(Code::Internal, "Something failed on our side. It is logged under this request id.")
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
