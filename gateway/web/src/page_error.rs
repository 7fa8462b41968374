//! The errors that end a request, and their page.

use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_ENCODING, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::frame::{ErrorPage, TypedForm};
use pages::{Frame, Language, Texts};

use crate::admission::LimitReached;
use crate::domain::link::Purpose;
use crate::domain::role::Permission;
use crate::render::{html, status};
use crate::visit::Visit;

/// The keys of the title and the text of an error.
type Keys = &'static (&'static str, &'static str);
/// A path of the site, and the key of its label.
type PathLink = (&'static str, &'static str);

/// The links on every error page of the public site.
const SITE: &[PathLink] = &[
    ("/", "error-start"),
    ("/games", "nav-games"),
    ("/creators", "nav-creators"),
    ("/events", "nav-events"),
    ("/countries", "nav-places"),
];
/// The same of the dashboard.
const DASHBOARD: &[PathLink] = &[("/accounts", "error-accounts"), ("/", "error-start")];

/// What the page of an error says.
#[derive(Debug, Clone)]
enum Words {
    /// What the status means. A number in the text is that of seconds.
    Status,
    Keys(Keys),
    /// The text has a value.
    Value(Keys, String),
    /// The text has a number.
    Number(Keys, u32),
    /// The reason of a service, in English, for pages of the dashboard. Other pages have the text, with the code.
    Reason {
        reason: String,
        keys: Option<Keys>,
        code: Code,
    },
}

/// A request that ends with an error page.
#[derive(Debug, Clone)]
pub struct PageError {
    pub status: StatusCode,
    words: Words,
    /// Links of this error, before those of all errors.
    links: Vec<PathLink>,
    retry_after: Option<u32>,
}

/// Where an error page is shown, which only the outermost layers know.
#[derive(Debug)]
pub struct ErrorContext {
    /// The request of a page of the public site; `None` for a page of the dashboard.
    pub visit: Option<Visit>,
    /// The language of a page of the dashboard.
    pub language: Language,
    /// The form that was sent, which the page can send again.
    pub form: Option<TypedForm>,
    /// The id under which the request is in the log.
    pub request_id: String,
}

/// The result of a handler.
pub type PageResult = Result<Response, PageError>;

impl PageError {
    /// An error whose page says what its status means.
    pub fn new(status: StatusCode) -> Self {
        Self { status, words: Words::Status, links: Vec::new(), retry_after: None }
    }

    /// An error with translated title and text; `keys` are their text keys.
    pub fn translated(status: StatusCode, keys: Keys) -> Self {
        Self::new(status).with_keys(keys)
    }

    /// With the keys of title and text in each language.
    #[must_use]
    pub fn with_keys(self, keys: Keys) -> Self {
        let words = Words::Keys(keys);
        Self { words, ..self }
    }

    fn with_value(status: StatusCode, keys: Keys, value: impl Into<String>) -> Self {
        let words = Words::Value(keys, value.into());
        Self { words, ..Self::new(status) }
    }

    #[must_use]
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        let retry_after = Some(seconds);
        Self { retry_after, ..self }
    }

    fn link(mut self, path: &'static str, label: &'static str) -> Self {
        self.links.push((path, label));
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
        Self::with_value(StatusCode::UNSUPPORTED_MEDIA_TYPE, keys, coding)
    }

    pub fn link_gone() -> Self {
        let keys = &("error-link-gone-title", "error-link-gone");
        Self::translated(StatusCode::GONE, keys)
            .link("/sign-in", "nav-sign-in")
            .link("/reset", "reset-title")
            .link("/sign-up", "start-sign-up")
    }

    /// A link that did before what it was for.
    pub fn link_used(purpose: Purpose) -> Self {
        let keys: Keys = match purpose {
            Purpose::SignUp => &("error-link-used-title", "error-link-used-sign_up"),
            Purpose::Invite => &("error-link-used-title", "error-link-used-invite"),
            Purpose::Reset => &("error-link-used-title", "error-link-used-reset"),
            Purpose::Email => &("error-link-used-title", "error-link-used-email"),
        };
        Self::translated(StatusCode::GONE, keys)
            .link("/sign-in", "nav-sign-in")
            .link("/reset", "reset-title")
    }

    /// A person belongs to as many accounts as anybody may. The link of the invitation still works.
    pub fn too_many_accounts(most: usize) -> Self {
        let keys = &("accounts-full-title", "accounts-full");
        Self::with_value(StatusCode::CONFLICT, keys, most.to_string())
    }

    /// The answer to a form whose session has ended.
    pub fn signed_out() -> Self {
        let keys = &("error-signed-out-title", "error-signed-out");
        Self::translated(StatusCode::UNAUTHORIZED, keys).link("/sign-in", "nav-sign-in")
    }

    /// A change of the person's credentials has ended the session after the access layer found it. The request has done nothing.
    pub fn sign_in_again() -> Self {
        let keys = &("error-sign-in-again-title", "error-sign-in-again");
        Self::translated(StatusCode::UNAUTHORIZED, keys).link("/sign-in", "nav-sign-in")
    }

    /// A form that another person has opened; `email` is that of the person who is signed in.
    pub fn other_person(email: &str) -> Self {
        let keys = &("error-other-person-title", "error-other-person");
        Self::with_value(StatusCode::FORBIDDEN, keys, email)
    }

    pub fn timed_out() -> Self {
        let keys = &("error-slow-title", "error-slow");
        Self::translated(StatusCode::SERVICE_UNAVAILABLE, keys)
    }

    /// A public page of the economy while economy-svc is unavailable.
    pub fn economy_unavailable(fault: &Fault) -> Self {
        let keys = &("error-unavailable-title", "economy-unavailable");
        Self::translated(StatusCode::SERVICE_UNAVAILABLE, keys)
            .retry_after(fault.retry_after.unwrap_or(1))
    }

    pub fn too_many_pages(seconds: u32) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS).retry_after(seconds)
    }

    /// The text has the minutes that are left, rounded up.
    pub fn too_many_forms(reached: LimitReached) -> Self {
        let keys = &("error-limit-title", "limit-forms");
        let words = Words::Number(keys, reached.minutes());
        Self { words, ..Self::too_many_pages(reached.seconds()) }
    }

    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Title and text of the page.
    fn title_and_text(&self, texts: &Texts, is_public: bool) -> (String, String) {
        let (keys, text) = match &self.words {
            Words::Status if self.status == StatusCode::NOT_FOUND && !is_public => {
                (&("error-not-found-title", "error-not-found-account"), None)
            }
            Words::Status => (keys_of(self.status), None),
            Words::Keys(keys) => (*keys, None),
            Words::Value(keys, value) => (*keys, Some(texts.say_of(keys.1, value))),
            Words::Number(keys, number) => (*keys, Some(texts.count(keys.1, (*number).into()))),
            Words::Reason { reason, keys, code } => {
                let is_shown = !is_public && texts.language() == Language::English;
                let reason = is_shown.then(|| reason.clone());
                let text = keys.map(|keys| texts.say_of(keys.1, code.as_str()));
                (keys.unwrap_or_else(|| keys_of(self.status)), reason.or(text))
            }
        };
        let seconds = self.retry_after.unwrap_or(1);
        let text = text.unwrap_or_else(|| texts.count(keys.1, seconds.into()));
        (texts.say(keys.0).to_owned(), text)
    }

    /// The page of the error.
    pub fn render(mut self, context: ErrorContext) -> Response {
        let is_public = context.visit.is_some();
        // The forms of public pages show their own errors, so a 422 here is about an address.
        if is_public && self.status == StatusCode::UNPROCESSABLE_ENTITY {
            self.status = StatusCode::BAD_REQUEST;
            self.words = Words::Status;
        }
        let mut frame = match context.visit {
            Some(visit) => visit.frame(""),
            None => Frame { language: context.language, ..Frame::default() },
        };
        let (title, text) = self.title_and_text(frame.texts(), is_public);
        frame.head.title = title;
        let general = if is_public { SITE } else { DASHBOARD };
        let links = self
            .links
            .iter()
            .chain(general)
            .map(|(path, label)| frame.link(path, frame.say(label)));
        let page = ErrorPage {
            text,
            links: links.collect(),
            frame,
            is_signed_out: self.status == StatusCode::UNAUTHORIZED,
            form: context.form,
            request_id: context.request_id,
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
    /// Attaches the error to the response. An outer layer renders it (`layers/error_page.rs`).
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// A fault about the fields of a form, which is shown again.
///
/// # Errors
/// The page of an error if the fault says nothing about the form: the thing is gone, or a service is unavailable. The page can send the same
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
                let reason = if reasons.is_empty() { fault.message.into_owned() } else { reasons };
                let keys: Option<Keys> = match code {
                    Code::Unavailable | Code::RateLimited => None,
                    Code::Closed => Some(&("error-closed-title", "fault-closed")),
                    _ => Some(&("error-service-title", "error-service")),
                };
                Self {
                    words: Words::Reason { reason, keys, code },
                    retry_after: fault.retry_after,
                    ..Self::new(status(code))
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
    fn a_public_error_page_names_no_account_and_a_french_or_public_one_no_english_reason() {
        let text = |fault, language, is_public| {
            let error = PageError::from(fault);
            error.title_and_text(Texts::of(language), is_public).1
        };
        let odd = || Fault::invalid_field("name", "Odd.");
        let french = "Le site n’a pas pu faire ce qui était demandé (code invalid).";
        assert_eq!(text(odd(), Language::English, false), "Odd.");
        assert_eq!(text(odd(), Language::French, false), french);
        assert_eq!(text(odd(), Language::French, true), french);
        let gone = |is_public| text(Fault::not_found("No."), Language::English, is_public);
        let account = "it belongs to an account";
        assert!(gone(false).contains(account) && !gone(true).contains(account));
        let wait = Fault::new(Code::RateLimited, "Wait.").with_retry_after(7);
        let wait = text(wait, Language::English, true);
        assert!(wait.contains("Try again in 7 seconds."), "{wait}");
    }
}
