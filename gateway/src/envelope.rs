//! The envelope of every answer (§2.1): `success`, `data` or `error`, `fields`, `meta`.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contracts::common::v1::PageInfo;
use contracts::public::Timestamp;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use kit::{Code, Fault};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::domain::quota::Standing;
use crate::errors::{self, Refusal};
use crate::layers::context::Context;

/// What a call is answered, before it is written.
///
/// It travels as an extension of a bare response to the outermost layer, which knows the request id and writes the envelope: so
/// nothing can leave without one.
#[derive(Debug, Clone)]
pub struct Answer {
    content: Content,
    standing: Option<Box<Standing>>,
}

#[derive(Debug, Clone)]
enum Content {
    Object(Bytes),
    List(Bytes, PageInfo),
    Refused(Box<Refusal>),
}

impl Answer {
    /// One object; `json` is spliced in as it is.
    pub fn object(json: Bytes) -> Self {
        Self::new(Content::Object(json))
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
        Self::new(Content::List(json, page.unwrap_or_default()))
    }

    fn new(content: Content) -> Self {
        Self {
            content,
            standing: None,
        }
    }

    /// The answer with the headers that say what is left (§10.6).
    #[must_use]
    pub fn with_standing(mut self, standing: Standing) -> Self {
        self.standing = Some(Box::new(standing));
        self
    }

    fn status(&self) -> StatusCode {
        match &self.content {
            Content::Object(_) | Content::List(..) => StatusCode::OK,
            Content::Refused(refusal) => errors::status(refusal.fault.code),
        }
    }

    fn body(&self, context: &Context, docs_url: &str) -> Vec<u8> {
        let meta = |page| Meta { context, page };
        match &self.content {
            Content::Object(json) => splice(json, &meta(None)),
            Content::List(json, page) => splice(json, &meta(Some(page))),
            Content::Refused(refusal) => {
                let Refusal {
                    fault, resets_at, ..
                } = &**refusal;
                let refused = Refused {
                    success: false,
                    error: Error {
                        code: fault.code.as_str(),
                        message: &fault.message,
                        docs_url: &format!("{docs_url}#{}", fault.code.as_str()),
                        resets_at: resets_at.map(Timestamp),
                    },
                    fields: (fault.code == Code::Invalid).then_some(&fault.fields),
                    meta: meta(None),
                };
                write(&refused)
            }
        }
    }

    fn headers(&self, context: &Context) -> HeaderMap {
        let mut headers = match &self.content {
            Content::Refused(refusal) => refusal.headers(),
            Content::Object(_) | Content::List(..) => HeaderMap::new(),
        };
        let mut set = |name: HeaderName, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        };
        set(CONTENT_TYPE, Some("application/json".to_owned()));
        set(
            HeaderName::from_static("x-request-id"),
            Some(context.id.clone()),
        );
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

/// Writes the answer that `response` carries. A response without one was made by nobody who may answer: a fault of ours.
pub fn write_answer(
    mut response: Response,
    context: &Context,
    method: &Method,
    docs_url: &str,
) -> Response {
    let answer = response
        .extensions_mut()
        .remove::<Answer>()
        .unwrap_or_else(|| {
            tracing::error!(status = %response.status(), "an answer came from outside the envelope");
            Answer::from(internal())
        });
    let body = answer.body(context, docs_url);
    let mut written = Response::new(Body::empty());
    *written.status_mut() = answer.status();
    *written.headers_mut() = answer.headers(context);
    written
        .headers_mut()
        .insert(CONTENT_LENGTH, body.len().into());
    if method != Method::HEAD {
        *written.body_mut() = Body::from(body);
    }
    written
}

/// The fault of ours that is said when the reason is already in the log.
pub fn internal() -> Fault {
    Fault::new(
        Code::Internal,
        "something broke on our side; it has been logged under this request id",
    )
}

/// `data` between the keys around it.
fn splice(json: &[u8], meta: &Meta<'_>) -> Vec<u8> {
    const BEFORE: &[u8] = br#"{"success":true,"data":"#;
    let meta = write(meta);
    let mut body = Vec::with_capacity(BEFORE.len() + json.len() + meta.len() + 16);
    body.extend_from_slice(BEFORE);
    body.extend_from_slice(json);
    body.extend_from_slice(br#","meta":"#);
    body.extend_from_slice(&meta);
    body.push(b'}');
    body
}

/// Texts, numbers and maps of texts: writing them cannot fail.
fn write(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

#[derive(Serialize)]
struct Refused<'a> {
    success: bool,
    error: Error<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a BTreeMap<String, String>>,
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: &'a str,
    message: &'a str,
    docs_url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<Timestamp>,
}

struct Meta<'a> {
    context: &'a Context,
    page: Option<&'a PageInfo>,
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("request_id", &self.context.id)?;
        if let Some(mode) = self.context.mode() {
            map.serialize_entry("mode", mode.as_str())?;
        }
        if let Some(page) = self.page {
            map.serialize_entry("next_cursor", &page.next_cursor)?;
            map.serialize_entry("total", &page.total)?;
        }
        map.end()
    }
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
