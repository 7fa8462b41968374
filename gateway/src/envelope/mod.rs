//! The envelope of every answer (§2.1): `success`, `data` or `error`, `fields`, `meta`.
//!
//! And the form in which it goes out: 304 when the caller has it already (§10.7), compressed when that was asked for (§10.8).

mod asked;
mod body;
mod rates;
mod tag;

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contracts::common::v1::PageInfo;
use contracts::economy::v1::{ListRatesRequest, RatesHead};
use futures::stream;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    HeaderValue, LOCATION, VARY,
};
use http::{Method, StatusCode};
use kit::{Code, Fault};
use serde::Serialize;

pub use asked::Asked;

use crate::app::Gateway;
use crate::coding::{Coding, Opening};
pub use tag::{Known as Tags, SentTag, SentTags, Tag, sent_tags};

use crate::context::Context;
use crate::domain::quota::Standing;
use crate::errors::{self, Refusal};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What a call is answered, before it is written.
///
/// It travels as an extension of a bare response to the outermost layer, which knows the request id and writes the envelope: so
/// nothing can leave without one.
#[derive(Debug, Clone)]
pub struct Answer {
    content: Content,
    standing: Option<Box<Standing>>,
    effect: Effect,
    /// Of the listing that it shows or has changed.
    revision: Option<i64>,
}

/// What a call has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Effect {
    /// Something is there that was not there before.
    created: bool,
    /// Where it is.
    location: Option<String>,
    /// Nothing now: the same call did before, and this is what it was answered.
    replayed: bool,
}

#[derive(Debug, Clone)]
enum Content {
    /// One object, or the rows of a list and what its page says.
    Data(Bytes, Option<PageInfo>),
    /// Rates, and what asks for their rows.
    Rates(Arc<(RatesHead, ListRatesRequest)>),
    Refused(Box<Refusal>),
}

impl Answer {
    /// One object; `json` is spliced in as it is.
    pub fn object(json: Bytes) -> Self {
        Self::new(Content::Data(json, None))
    }

    /// One object, written here.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn written(data: &impl Serialize) -> Result<Self, Refusal> {
        let json = serde_json::to_vec(data).map_err(|error| Fault::internal(&error))?;
        Ok(Self::object(json.into()))
    }

    /// A page of a list; `json` is spliced in as it is.
    pub fn list(json: Bytes, page: Option<PageInfo>) -> Self {
        Self::new(Content::Data(json, Some(page.unwrap_or_default())))
    }

    fn new(content: Content) -> Self {
        Self {
            content,
            standing: None,
            effect: Effect::default(),
            revision: None,
        }
    }

    /// The answer to a call that has created something.
    #[must_use]
    pub fn created(mut self) -> Self {
        self.effect.created = true;
        self
    }

    /// The answer to a call that has created what is at `path` from now on.
    #[must_use]
    pub fn created_at(mut self, path: String) -> Self {
        self.effect.location = Some(path);
        self.created()
    }

    /// The answer with the revision of its listing in the `ETag` (§10.7); 0 stands for none.
    #[must_use]
    pub fn at_revision(mut self, revision: i64) -> Self {
        self.revision = (revision > 0).then_some(revision);
        self
    }

    /// The answer, which was given to the same call before (§10.4).
    #[must_use]
    pub fn replayed(mut self, replayed: bool) -> Self {
        self.effect.replayed = replayed;
        self
    }

    /// The answer with the headers that say what is left (§10.6).
    #[must_use]
    pub fn with_standing(mut self, standing: Standing) -> Self {
        self.standing = Some(Box::new(standing));
        self
    }

    fn status(&self) -> StatusCode {
        match &self.content {
            Content::Data(..) if self.effect.created => StatusCode::CREATED,
            Content::Data(..) | Content::Rates(_) => StatusCode::OK,
            Content::Refused(refusal) => errors::status(refusal.fault.code),
        }
    }

    fn headers(&self, context: &Context) -> HeaderMap {
        let mut headers = match &self.content {
            Content::Refused(refusal) => refusal.headers(),
            Content::Data(..) | Content::Rates(_) => HeaderMap::new(),
        };
        let mut set = |name: HeaderName, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        };
        set(REQUEST_ID, Some(context.id.clone()));
        set(LOCATION, self.effect.location.clone());
        if self.effect.replayed {
            let name = HeaderName::from_static("idempotency-replayed");
            set(name, Some("true".to_owned()));
        }
        if let Some(standing) = &self.standing {
            set(
                HeaderName::from_static("ratelimit-policy"),
                standing.policy(),
            );
            set(HeaderName::from_static("ratelimit"), standing.remaining());
        }
        headers
    }
}

/// Adds what is left of the caller's limits to the answer that `response` carries.
pub fn with_standing(mut response: Response, standing: Standing) -> Response {
    if let Some(answer) = response.extensions_mut().get_mut::<Answer>() {
        answer.standing = Some(Box::new(standing));
    }
    response
}

/// Marks a response that goes out as it is: of the few paths that are not of the API.
#[derive(Debug, Clone, Copy)]
struct Bare;

/// A response that goes out as it is, but for the request's id.
pub fn bare(mut response: Response) -> Response {
    response.extensions_mut().insert(Bare);
    response
}

/// Writes the answer that `response` carries, in the form that was `asked` for. A response without one was made by nobody who may
/// answer: a fault of ours.
pub async fn write_answer(
    mut response: Response,
    context: &Context,
    asked: &Asked,
    app: &Gateway,
) -> Response {
    if response.extensions_mut().remove::<Bare>().is_some() {
        if let Ok(id) = HeaderValue::try_from(&context.id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        return response;
    }
    let answer = response
        .extensions_mut()
        .remove::<Answer>()
        .unwrap_or_else(|| {
            tracing::error!(status = %response.status(), "an answer came from outside the envelope");
            Answer::from(internal())
        });
    let mut headers = answer.headers(context);
    // How long a refusal may be kept, where a handler says so.
    headers.extend(
        response
            .headers_mut()
            .remove(CACHE_CONTROL)
            .map(|value| (CACHE_CONTROL, value)),
    );
    let body = match &answer.content {
        Content::Rates(rates) => {
            return rates::write(rates, headers, context, asked, app).await;
        }
        Content::Refused(refusal) => body::refusal(refusal, context, &app.docs_url),
        Content::Data(data, page) => {
            let after = || body::after(context, page.as_ref());
            if asked.reads() {
                let tag = Tag::of(data, page.as_ref(), answer.revision);
                let is_known = asked.has(&tag);
                headers.extend(tag.into_value().map(|tag| (ETAG, tag)));
                headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
                if is_known {
                    return not_modified(headers);
                }
            } else if let Some(revision) = answer.revision {
                let tag = Tag::of_revision(revision).into_value();
                headers.extend(tag.map(|tag| (ETAG, tag)));
            }
            match coded(data, asked, app).await {
                Some((coding, opening)) => {
                    let token = HeaderValue::from_static(coding.token());
                    headers.insert(CONTENT_ENCODING, token);
                    opening.close(&after())
                }
                None => body::plain(data, &after()),
            }
        }
    };
    finished(answer.status(), headers, body, asked.wants_no_body())
}

/// Writes a refusal by itself.
pub fn refuse(refusal: Refusal, context: &Context, method: &Method, app: &Gateway) -> Response {
    let body = body::refusal(&refusal, context, &app.docs_url);
    let answer = Answer::from(refusal);
    let headers = answer.headers(context);
    finished(answer.status(), headers, body, *method == Method::HEAD)
}

fn finished(status: StatusCode, mut headers: HeaderMap, body: Vec<u8>, bodiless: bool) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, body.len().into());
    let mut written = Response::new(Body::empty());
    *written.status_mut() = status;
    *written.headers_mut() = headers;
    if !bodiless {
        *written.body_mut() = Body::from(body);
    }
    written
}

/// The caller has it already: what the 200 would say beside its content (RFC 9110, 15.4.5).
fn not_modified(headers: HeaderMap) -> Response {
    // A body known to be empty would be given a content-length of 0, which is not that of the 200.
    let unmeasured = Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
    let mut written = Response::new(unmeasured);
    *written.status_mut() = StatusCode::NOT_MODIFIED;
    *written.headers_mut() = headers;
    written
}

/// The beginning of an answer with `data`, in the coding that was asked for.
async fn coded(data: &[u8], asked: &Asked, app: &Gateway) -> Option<(Coding, Arc<Opening>)> {
    let coding = asked.coding(data.len()).filter(|_| asked.reads())?;
    match app.openings.open(coding, body::BEFORE, data).await {
        Ok(opening) => Some((coding, opening)),
        Err(error) => {
            tracing::error!(%error, coding = coding.token(), "an answer is not compressed");
            None
        }
    }
}

/// The fault of ours that is said when the reason is already in the log.
pub fn internal() -> Fault {
    Fault::new(
        Code::Internal,
        "something broke on our side; it has been logged under this request id",
    )
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Self::new(Content::Refused(Box::new(refusal)))
    }
}

impl From<Fault> for Answer {
    fn from(fault: Fault) -> Self {
        Refusal::from(fault).into()
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status();
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        Answer::from(self).into_response()
    }
}
