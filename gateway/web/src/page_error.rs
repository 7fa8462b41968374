//! Pages of errors, with ways out.

use axum::response::{IntoResponse, Response};
use http::header::ACCEPT_ENCODING;
use http::{HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::Frame;
use pages::frame::{ErrorPage, TypedForm};
use pages::site::{Language, Texts, frame};

use crate::domain::role::Permission;
use crate::render::{html, status};
use crate::visit::Visit;

/// The keys of the title and the text of an error.
type Keys = &'static (&'static str, &'static str);

/// A request that ends with an error page.
#[derive(Debug, Clone)]
pub struct PageError {
    pub status: StatusCode,
    /// The keys of title and text, if the status does not say enough.
    keys: Option<Keys>,
    /// What the text under the key names.
    value: Option<Box<str>>,
    /// The sentence of a service, or of this one for programs. It is in English.
    sentence: Option<String>,
    /// Addresses, and the keys of their labels.
    ways_out: Vec<(String, &'static str)>,
    retry_after: Option<u32>,
    /// The number in the text, if it is not that of `retry_after`.
    number: Option<u32>,
    /// The form that was sent, which the page can send again.
    pub form: Option<Box<TypedForm>>,
    /// The request of a public page: the error has its language then.
    visit: Option<Box<Visit>>,
    /// The language of a page of the dashboard.
    pub language: Language,
}

/// The result of a handler.
pub type PageResult = Result<Response, PageError>;

impl PageError {
    /// An error whose page says what its status means.
    pub fn new(status: StatusCode) -> Self {
        Self {
            status,
            keys: None,
            value: None,
            sentence: None,
            ways_out: vec![("/accounts".to_owned(), "error-accounts")],
            retry_after: None,
            number: None,
            form: None,
            visit: None,
            language: Language::default(),
        }
    }

    /// An error whose title and text, under `keys`, are in each language.
    pub fn translated(status: StatusCode, keys: Keys) -> Self {
        Self::new(status).with_keys(keys)
    }

    /// An error with this sentence for programs.
    pub fn for_programs(status: StatusCode, sentence: impl Into<String>) -> Self {
        Self {
            sentence: Some(sentence.into()),
            ..Self::new(status)
        }
    }

    /// With the keys of title and text in each language.
    #[must_use]
    pub fn with_keys(self, keys: Keys) -> Self {
        Self {
            keys: Some(keys),
            ..self
        }
    }

    /// With what the text names.
    fn naming(self, value: impl Into<Box<str>>) -> Self {
        Self {
            value: Some(value.into()),
            ..self
        }
    }

    fn retry_after(self, seconds: u32) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    #[must_use]
    pub fn way_out(mut self, href: impl Into<String>, label: &'static str) -> Self {
        self.ways_out.insert(0, (href.into(), label));
        self
    }

    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND)
    }

    pub fn method_not_allowed() -> Self {
        let keys = &("error-method-title", "error-method");
        Self::translated(StatusCode::METHOD_NOT_ALLOWED, keys)
    }

    pub fn forbidden(needed: Permission) -> Self {
        Self::translated(StatusCode::FORBIDDEN, needed.refusal())
    }

    pub fn cross_site() -> Self {
        let keys = &("error-cross-site-title", "error-cross-site");
        Self::translated(StatusCode::FORBIDDEN, keys)
    }

    /// A form whose body has a content coding.
    pub fn coded(coding: String) -> Self {
        let keys = &("error-coded-title", "error-coded");
        Self::translated(StatusCode::UNSUPPORTED_MEDIA_TYPE, keys).naming(coding)
    }

    pub fn link_gone() -> Self {
        let keys = &("error-link-gone-title", "error-link-gone");
        Self::translated(StatusCode::GONE, keys)
            .way_out("/sign-up", "start-sign-up")
            .way_out("/reset", "reset-title")
            .way_out("/sign-in", "nav-sign-in")
    }

    /// A person belongs to as many accounts as anybody may. The link of the invitation still works.
    pub fn too_many_accounts(most: usize) -> Self {
        let keys = &("accounts-full-title", "accounts-full");
        Self::translated(StatusCode::CONFLICT, keys).naming(most.to_string())
    }

    /// The answer to a form whose session has ended.
    pub fn signed_out() -> Self {
        let keys = &("error-signed-out-title", "error-signed-out");
        Self {
            ways_out: vec![("/sign-in".to_owned(), "nav-sign-in")],
            ..Self::translated(StatusCode::UNAUTHORIZED, keys)
        }
    }

    /// The session has ended after the access layer has found it, by a change of the person's credentials. The request has done nothing.
    pub fn sign_in_again() -> Self {
        let keys = &("error-sign-in-again-title", "error-sign-in-again");
        Self::translated(StatusCode::UNAUTHORIZED, keys).way_out("/sign-in", "nav-sign-in")
    }

    pub fn timed_out() -> Self {
        let keys = &("error-slow-title", "error-slow");
        Self::translated(StatusCode::SERVICE_UNAVAILABLE, keys)
    }

    /// A public page of the economy while economy-svc is away.
    pub fn economy_away(fault: &Fault) -> Self {
        let keys = &("error-unavailable-title", "economy-away");
        Self::translated(StatusCode::SERVICE_UNAVAILABLE, keys)
            .retry_after(fault.retry_after.unwrap_or(1))
    }

    pub fn too_many_pages(seconds: u32) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS).retry_after(seconds)
    }

    /// The text has the minutes that are left, rounded up.
    pub fn too_many_forms(seconds: u32) -> Self {
        let keys = &("error-limit-title", "limit-forms");
        Self {
            number: Some(seconds.div_ceil(60)),
            ..Self::translated(StatusCode::TOO_MANY_REQUESTS, keys).retry_after(seconds)
        }
    }

    /// Whether it is shown as a page of the public site.
    pub fn is_on_site(&self) -> bool {
        self.visit.is_some()
    }

    /// Shows the error as a page of the public site.
    #[must_use]
    pub fn on_site(mut self, visit: Visit) -> Self {
        // The forms of public pages show their own errors, so a 422 here is about an address.
        if self.status == StatusCode::UNPROCESSABLE_ENTITY {
            self.status = StatusCode::BAD_REQUEST;
            self.keys = None;
        }
        self.visit = Some(Box::new(visit));
        self
    }

    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Title and text under keys.
    fn say(&self, keys: Option<Keys>, texts: &Texts) -> (String, String) {
        let (title, text) = *keys.unwrap_or_else(|| keys_of(self.status));
        let text = if let Some(value) = &self.value {
            texts.say_of(text, value)
        } else {
            let number = self.number.or(self.retry_after).unwrap_or(1);
            texts.count(text, number.into())
        };
        (texts.say(title).to_owned(), text)
    }

    /// Title and text on a page of the dashboard, in its language.
    fn words(&self) -> (String, String) {
        let texts = Texts::of(self.language);
        let keys = self.keys.or_else(|| dashboard_keys(self.status));
        let (title, text) = self.say(keys, texts);
        // On a page in another language, title and text say in general what the status means.
        let sentence = self.sentence.clone();
        let sentence = sentence.filter(|_| self.language == Language::English);
        (title, sentence.unwrap_or(text))
    }

    /// The response, with the id under which the request is in the log.
    pub fn response(mut self, request_id: &str) -> Response {
        let (visit, form) = (self.visit.take(), self.form.take());
        let form = form.map(|form| *form);
        let mut response = match visit {
            Some(visit) => {
                let mut frame = visit.frame("");
                let (title, text) = self.say(self.keys, frame.texts);
                frame.head.title = title;
                let request_id = request_id.to_owned();
                let page = frame::ErrorPage {
                    frame,
                    text,
                    form,
                    request_id,
                };
                html(self.status, &page)
            }
            None => html(self.status, &self.page(form, request_id)),
        };
        if let Some(seconds) = self.retry_after {
            let value = HeaderValue::from(seconds);
            response.headers_mut().insert("retry-after", value);
        }
        if self.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let identity = HeaderValue::from_static("identity");
            response.headers_mut().insert(ACCEPT_ENCODING, identity);
        }
        response
    }

    /// The page in the dashboard.
    fn page(&self, form: Option<TypedForm>, request_id: &str) -> ErrorPage {
        let frame = Frame {
            is_plain: true,
            language: self.language,
            ..Frame::default()
        };
        let (title, text) = self.words();
        let ways_out = self.ways_out.iter();
        let ways_out = ways_out.map(|(href, label)| (href.clone(), frame.say(label).to_owned()));
        ErrorPage {
            title,
            text,
            ways_out: ways_out.collect(),
            frame,
            is_signed_out: self.status == StatusCode::UNAUTHORIZED,
            form,
            request_id: request_id.to_owned(),
        }
    }
}

/// What the public site says about a status.
fn keys_of(status: StatusCode) -> Keys {
    match status {
        StatusCode::NOT_FOUND => &("error-not-found-title", "error-not-found"),
        StatusCode::BAD_REQUEST => &("error-invalid-title", "error-invalid"),
        StatusCode::PAYLOAD_TOO_LARGE => &("error-too-large-title", "error-too-large"),
        StatusCode::TOO_MANY_REQUESTS => &("error-limit-title", "error-limit"),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            &("error-unavailable-title", "error-unavailable")
        }
        status if status.is_client_error() || status == StatusCode::NOT_IMPLEMENTED => {
            &("error-refused-title", "error-refused")
        }
        _ => &("error-internal-title", "error-internal"),
    }
}

/// The keys of an error of the dashboard, if the public site says something else about its status.
fn dashboard_keys(status: StatusCode) -> Option<Keys> {
    match status {
        StatusCode::NOT_FOUND => Some(&("error-no-page-title", "error-no-page")),
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => {
            Some(&("error-unreadable-title", "error-unreadable"))
        }
        StatusCode::TOO_MANY_REQUESTS => Some(&("error-limit-title", "error-too-many")),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            Some(&("error-unavailable-title", "fault-unavailable"))
        }
        _ => None,
    }
}

impl IntoResponse for PageError {
    /// Attaches the error to the response. The outermost layer renders it, since that layer knows the id of the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// A fault about the fields of a form, which is shown again.
///
/// # Errors
/// The page of an error if the fault says nothing about the form: the thing is gone, or a service is away. The page can send the same
/// fields again (`layers/typed_form.rs`).
pub fn refusal(fault: Fault) -> Result<Fault, PageError> {
    let status = status(fault.code);
    if status == StatusCode::NOT_FOUND || status.is_server_error() {
        return Err(fault.into());
    }
    Ok(fault)
}

impl From<Fault> for PageError {
    fn from(fault: Fault) -> Self {
        match fault.code {
            Code::NotFound => Self::not_found(),
            Code::Internal => Self::internal(),
            // Its sentence is for callers of the API.
            Code::OutcomeUnknown => Self::timed_out(),
            code => {
                let reasons = fault.fields.values().cloned().collect::<Vec<_>>().join(" ");
                let sentence = if reasons.is_empty() {
                    fault.message.into_owned()
                } else {
                    reasons
                };
                let keys: Option<Keys> = match code {
                    Code::Unavailable | Code::RateLimited => None,
                    Code::Closed => Some(&("error-closed-title", "fault-closed")),
                    _ => Some(&("error-service-title", "error-service")),
                };
                Self {
                    retry_after: fault.retry_after,
                    keys,
                    value: Some(code.as_str().into()),
                    ..Self::for_programs(status(code), sentence)
                }
            }
        }
    }
}

impl From<sqlx::Error> for PageError {
    fn from(error: sqlx::Error) -> Self {
        Self::from(Fault::from(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_in_french_says_in_general_what_a_service_refuses() {
        let refused = |language| {
            let error = PageError {
                language,
                ..PageError::from(Fault::invalid_field("name", "Odd."))
            };
            error.page(None, "an-id").text
        };
        assert_eq!(refused(Language::English), "Odd.");
        assert_eq!(
            refused(Language::French),
            "Le site n’a pas pu le faire (code invalid)."
        );
    }
}
