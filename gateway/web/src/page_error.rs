//! The errors that end a request, and their page.

use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_ENCODING, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::frame::{ErrorPage, TypedForm};
use pages::{Frame, Language, Link, Texts};

use crate::domain::role::Permission;
use crate::render::{html, status};
use crate::visit::Visit;

/// The keys of the title and the text of an error.
type Keys = &'static (&'static str, &'static str);
/// A path of the site, and the key of its label.
type Way = (&'static str, &'static str);

/// The ways out of every error of a public page.
const SITE: &[Way] = &[
    ("/", "error-start"),
    ("/games", "nav-games"),
    ("/creators", "nav-creators"),
    ("/events", "nav-events"),
    ("/countries", "nav-places"),
];
/// The same of a page of the dashboard.
const DASHBOARD: &[Way] = &[("/accounts", "error-accounts"), ("/", "error-start")];

/// A request that ends with an error page.
#[derive(Debug, Clone)]
pub struct PageError {
    pub status: StatusCode,
    /// The keys of title and text, if the status does not say enough.
    keys: Option<Keys>,
    /// The value in the text under the key.
    value: Option<Box<str>>,
    /// A sentence of a service, or one for programs, in English.
    sentence: Option<String>,
    /// Links of this error, before those of all errors.
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
            ways_out: Vec::new(),
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

    /// With the value in the text.
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
    pub fn way_out(mut self, path: impl Into<String>, label: &'static str) -> Self {
        self.ways_out.push((path.into(), label));
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

    pub fn unreadable_form() -> Self {
        let keys = &("error-unreadable-title", "error-unreadable");
        Self::translated(StatusCode::BAD_REQUEST, keys)
    }

    /// A form whose body has a content coding.
    pub fn coded(coding: String) -> Self {
        let keys = &("error-coded-title", "error-coded");
        Self::translated(StatusCode::UNSUPPORTED_MEDIA_TYPE, keys).naming(coding)
    }

    pub fn link_gone() -> Self {
        let keys = &("error-link-gone-title", "error-link-gone");
        Self::translated(StatusCode::GONE, keys)
            .way_out("/sign-in", "nav-sign-in")
            .way_out("/reset", "reset-title")
            .way_out("/sign-up", "start-sign-up")
    }

    /// A person belongs to as many accounts as anybody may. The link of the invitation still works.
    pub fn too_many_accounts(most: usize) -> Self {
        let keys = &("accounts-full-title", "accounts-full");
        Self::translated(StatusCode::CONFLICT, keys).naming(most.to_string())
    }

    /// The answer to a form whose session has ended.
    pub fn signed_out() -> Self {
        let keys = &("error-signed-out-title", "error-signed-out");
        Self::translated(StatusCode::UNAUTHORIZED, keys).way_out("/sign-in", "nav-sign-in")
    }

    /// A change of the person's credentials has ended the session after the access layer found it. The request has done nothing.
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
        self.sentence = None;
        self.visit = Some(Box::new(visit));
        self
    }

    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Title and text.
    fn words(&self, texts: &Texts) -> (String, String) {
        let (title, key) = *self.keys.unwrap_or_else(|| keys_of(self.status));
        // The sentence is in English. A page in another language says what the status means.
        let sentence = self.sentence.as_ref();
        let sentence = sentence.filter(|_| texts.language() == Language::English);
        let text = match (sentence, &self.value) {
            (Some(sentence), _) => sentence.clone(),
            (None, Some(value)) => texts.say_of(key, value),
            (None, None) => {
                let number = self.number.or(self.retry_after).unwrap_or(1);
                texts.count(key, number.into())
            }
        };
        (texts.say(title).to_owned(), text)
    }

    /// The links that lead on.
    fn links(&self, frame: &Frame) -> Vec<Link> {
        let own = self
            .ways_out
            .iter()
            .map(|(path, label)| (path.as_str(), *label));
        let general = if self.is_on_site() { SITE } else { DASHBOARD };
        let ways = own.chain(general.iter().copied());
        ways.map(|(path, label)| frame.link(path, frame.say(label)))
            .collect()
    }

    /// The response, with the id under which the request is in the log.
    pub fn response(self, request_id: &str) -> Response {
        let mut frame = match &self.visit {
            Some(visit) => visit.frame(""),
            None => Frame {
                language: self.language,
                ..Frame::default()
            },
        };
        let (title, text) = self.words(frame.texts());
        frame.head.title = title;
        let page = ErrorPage {
            text,
            ways_out: self.links(&frame),
            frame,
            is_signed_out: self.status == StatusCode::UNAUTHORIZED,
            form: self.form.map(|form| *form),
            request_id: request_id.to_owned(),
        };
        let mut response = html(self.status, &page);
        if let Some(seconds) = self.retry_after {
            let value = HeaderValue::from(seconds);
            response.headers_mut().insert(RETRY_AFTER, value);
        }
        if self.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let identity = HeaderValue::from_static("identity");
            response.headers_mut().insert(ACCEPT_ENCODING, identity);
        }
        response
    }
}

/// The keys of the title and the text of a status.
fn keys_of(status: StatusCode) -> Keys {
    match status {
        StatusCode::NOT_FOUND => &("error-not-found-title", "error-not-found"),
        StatusCode::BAD_REQUEST => &("error-invalid-title", "error-invalid"),
        StatusCode::PAYLOAD_TOO_LARGE => &("error-too-large-title", "error-too-large"),
        StatusCode::TOO_MANY_REQUESTS => &("error-limit-title", "error-limit"),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            &("error-unavailable-title", "fault-unavailable")
        }
        status if status.is_client_error() || status == StatusCode::NOT_IMPLEMENTED => {
            &("error-refused-title", "error-refused")
        }
        _ => &("error-internal-title", "error-internal"),
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
    fn a_french_error_page_replaces_the_english_reason() {
        let refused = |language| {
            let error = PageError {
                language,
                ..PageError::from(Fault::invalid_field("name", "Odd."))
            };
            error.words(Texts::of(language)).1
        };
        assert_eq!(refused(Language::English), "Odd.");
        assert_eq!(
            refused(Language::French),
            "Le site n’a pas pu faire ce qui était demandé (code invalid)."
        );
    }
}
