//! Pages of errors, with ways out.

use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::Shell;
use pages::shell::{ErrorPage, TypedForm};
use pages::site::embed::{FrameError, OembedError};
use pages::site::{Language, Texts, frame};
use serde_json::json;

use crate::domain::role::Permission;
use crate::render::{allow_frames, html, status};
use crate::visit::{ErrorFormat, Visit};

/// The keys of the title and the text of an error.
type Keys = &'static (&'static str, &'static str);

/// The keys of title and text of a frame without a game.
const NO_EMBED: Keys = &("error-not-found-title", "error-embed-not-found");

/// A request that ends with an error page.
#[derive(Debug, Clone)]
pub struct PageError {
    pub status: StatusCode,
    title: &'static str,
    text: String,
    /// Addresses, and the keys of their labels.
    ways_out: Vec<(String, &'static str)>,
    retry_after: Option<u32>,
    /// The form that was sent, which the page can send again.
    pub form: Option<Box<TypedForm>>,
    /// The keys of title and text on a public page and in other languages, if the status does not say enough.
    site_texts: Option<Keys>,
    /// What the text on a public page names.
    site_value: Option<Box<str>>,
    /// The text is the sentence of a service, which is in English.
    is_of_service: bool,
    /// The request of a public page: the error has its language then.
    visit: Option<Box<Visit>>,
    /// The language of a page of the dashboard.
    pub language: Language,
}

/// The result of a handler.
pub type PageResult = Result<Response, PageError>;

impl PageError {
    pub fn new(status: StatusCode, title: &'static str, text: impl Into<String>) -> Self {
        Self {
            status,
            title,
            text: text.into(),
            ways_out: vec![("/accounts".to_owned(), "error-accounts")],
            retry_after: None,
            form: None,
            site_texts: None,
            site_value: None,
            is_of_service: false,
            visit: None,
            language: Language::default(),
        }
    }

    /// An error whose title and text, under `keys`, are in each language.
    pub fn translated(status: StatusCode, keys: Keys) -> Self {
        let english = Texts::of(Language::English);
        Self::new(status, english.say(keys.0), english.say(keys.1)).with_site_texts(keys)
    }

    /// With the keys of title and text in each language.
    #[must_use]
    pub fn with_site_texts(self, texts: Keys) -> Self {
        Self {
            site_texts: Some(texts),
            ..self
        }
    }

    #[must_use]
    pub fn way_out(mut self, href: impl Into<String>, label: &'static str) -> Self {
        self.ways_out.insert(0, (href.into(), label));
        self
    }

    pub fn not_found() -> Self {
        let text = "There is no such page, or it belongs to an account that you are not in.";
        Self::new(StatusCode::NOT_FOUND, "Not found", text)
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
        let text = format!(
            "The form has the Content-Encoding `{coding}`, and forms are read as they are. Send it uncompressed, without the header."
        );
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        Self {
            site_value: Some(coding.into()),
            ..Self::new(status, "Compressed form", text)
        }
        .with_site_texts(&("error-coded-title", "error-coded"))
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
        let (texts, most) = (Texts::of(Language::English), most.to_string());
        let (title, text) = (
            texts.say("accounts-full-title"),
            texts.say_of("accounts-full", &most),
        );
        Self {
            site_value: Some(most.into()),
            ..Self::new(StatusCode::CONFLICT, title, text)
        }
        .with_site_texts(&("accounts-full-title", "accounts-full"))
    }

    /// The answer to a form whose session has ended.
    pub fn signed_out() -> Self {
        let keys = &("error-signed-out-title", "error-signed-out");
        Self {
            ways_out: vec![("/sign-in".to_owned(), "nav-sign-in")],
            ..Self::translated(StatusCode::UNAUTHORIZED, keys)
        }
    }

    pub fn timed_out() -> Self {
        let keys = &("error-slow-title", "error-slow");
        Self::translated(StatusCode::SERVICE_UNAVAILABLE, keys)
    }

    pub fn outcome_unknown(look_at: &str) -> Self {
        let keys = &("error-sent-twice-title", "error-sent-twice");
        Self::translated(StatusCode::CONFLICT, keys).way_out(look_at, "error-look")
    }

    /// A public page of the economy while economy-svc is away.
    pub fn economy_away(fault: &Fault) -> Self {
        let text = fault.message.clone();
        Self {
            retry_after: Some(fault.retry_after.unwrap_or(1)),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "Not available now", text)
        }
        .with_site_texts(&("error-unavailable-title", "economy-away"))
    }

    pub fn too_many_pages(seconds: u32) -> Self {
        let unit = if seconds == 1 { "second" } else { "seconds" };
        let text = format!("Too many pages in a minute. Try again in {seconds} {unit}.");
        Self {
            retry_after: Some(seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "Slow down", text)
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
        }
        self.visit = Some(Box::new(visit));
        self
    }

    pub fn internal() -> Self {
        let text = "Something broke on our side. It is in our log under the id below.";
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Something went wrong",
            text,
        )
    }

    /// Title and text on a page of the dashboard, in its language. The sentence of a service says more than a translation of its status.
    fn words(&self) -> (String, String) {
        let texts = Texts::of(self.language);
        if self.language == Language::English {
            return (self.title.to_owned(), self.text.clone());
        }
        if self.is_of_service {
            let title = texts.say("error-service-title");
            return (title.to_owned(), self.text.clone());
        }
        let keys = self.site_texts.or_else(|| dashboard_keys(self.status));
        let value = self.site_value.as_deref();
        say(self.status, (keys, value), self.retry_after, texts)
    }

    /// The response, with the id under which the request is in the log.
    pub fn response(self, request_id: &str) -> Response {
        let mut response = if let Some(visit) = self.visit {
            let (wait, value) = (self.retry_after, self.site_value.as_deref());
            match visit.error_format() {
                ErrorFormat::Page => {
                    let texts = (self.site_texts, value);
                    let page = frame::ErrorPage {
                        form: self.form.map(|form| *form),
                        ..site_page(self.status, texts, wait, &visit, request_id)
                    };
                    html(self.status, &page)
                }
                ErrorFormat::Frame => {
                    let is_missing = self.status == StatusCode::NOT_FOUND;
                    let texts = is_missing.then_some(NO_EMBED).or(self.site_texts);
                    let page = site_page(self.status, (texts, value), wait, &visit, request_id);
                    embedded(self.status, page)
                }
                ErrorFormat::Json => json_document(self.status, &self.text, request_id),
                ErrorFormat::Xml => xml_document(self.status, self.text, request_id),
            }
        } else {
            let shell = Shell {
                is_plain: true,
                language: self.language,
                ..Shell::default()
            };
            let (title, text) = self.words();
            let ways_out = self.ways_out.into_iter();
            let ways_out = ways_out.map(|(href, label)| (href, shell.say(label).to_owned()));
            let page = ErrorPage {
                title,
                text,
                is_text_foreign: self.is_of_service && shell.is_translated(),
                ways_out: ways_out.collect(),
                shell,
                is_signed_out: self.status == StatusCode::UNAUTHORIZED,
                form: self.form.map(|form| *form),
                request_id: request_id.to_owned(),
            };
            html(self.status, &page)
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
}

/// The keys of an error of the dashboard, if the public site says something else about its status.
fn dashboard_keys(status: StatusCode) -> Option<Keys> {
    match status {
        StatusCode::NOT_FOUND => Some(&("error-no-page-title", "error-no-page")),
        StatusCode::BAD_REQUEST => Some(&("error-unreadable-title", "error-unreadable")),
        StatusCode::TOO_MANY_REQUESTS => Some(&("error-limit-title", "error-too-many")),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            Some(&("error-unavailable-title", "fault-unavailable"))
        }
        _ => None,
    }
}

/// The error of an embed, in the frame of the other site.
fn embedded(status: StatusCode, page: frame::ErrorPage) -> Response {
    let frame::ErrorPage {
        frame,
        text,
        request_id,
        ..
    } = page;
    let page = FrameError {
        frame,
        text,
        request_id,
    };
    let mut response = html(status, &page);
    allow_frames(response.headers_mut());
    response
}

/// The error of an embed, for programs that read JSON.
fn json_document(status: StatusCode, text: &str, request_id: &str) -> Response {
    let error = json!({"error": text, "request_id": request_id}).to_string();
    document((status, error).into_response(), "application/json")
}

/// The same in XML.
fn xml_document(status: StatusCode, text: String, request_id: &str) -> Response {
    let error = OembedError {
        text,
        request_id: request_id.to_owned(),
    };
    document(html(status, &error), "text/xml; charset=utf-8")
}

/// Scripts of other sites may read the error, as they may read the answer.
fn document(mut response: Response, media_type: &'static str) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// The page of an error of the public site. `texts` are the keys of its title and its text, and `value` is what the text names.
fn site_page(
    status: StatusCode,
    (texts, value): (Option<Keys>, Option<&str>),
    retry_after: Option<u32>,
    visit: &Visit,
    request_id: &str,
) -> frame::ErrorPage {
    let mut frame = visit.frame("");
    let (title, text) = say(status, (texts, value), retry_after, frame.texts);
    frame.head.title = title;
    frame::ErrorPage {
        text,
        form: None,
        request_id: request_id.to_owned(),
        frame,
    }
}

/// Title and text of an error. `texts` are their keys, and `value` is what the text names.
fn say(
    status: StatusCode,
    (keys, value): (Option<&(&'static str, &'static str)>, Option<&str>),
    retry_after: Option<u32>,
    texts: &Texts,
) -> (String, String) {
    let by_status = match status {
        StatusCode::NOT_FOUND => ("error-not-found-title", "error-not-found"),
        StatusCode::BAD_REQUEST => ("error-invalid-title", "error-invalid"),
        StatusCode::PAYLOAD_TOO_LARGE => ("error-too-large-title", "error-too-large"),
        StatusCode::TOO_MANY_REQUESTS => ("error-limit-title", "error-limit"),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            ("error-unavailable-title", "error-unavailable")
        }
        status if status.is_client_error() || status == StatusCode::NOT_IMPLEMENTED => {
            ("error-refused-title", "error-refused")
        }
        _ => ("error-internal-title", "error-internal"),
    };
    let (title, text) = *keys.unwrap_or(&by_status);
    let text = match value {
        Some(value) => texts.say_of(text, value),
        None => texts.count(text, retry_after.unwrap_or(1).into()),
    };
    (texts.say(title).to_owned(), text)
}

impl IntoResponse for PageError {
    /// Attaches the error to the response. The outermost layer renders it, since that layer knows the id of the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Fault> for PageError {
    fn from(fault: Fault) -> Self {
        match fault.code {
            Code::NotFound => Self::not_found(),
            Code::Internal => Self::internal(),
            code => {
                let (title, keys): (_, Option<Keys>) = match code {
                    Code::Unavailable => ("Not available now", None),
                    Code::Closed => ("Closed", Some(&("error-closed-title", "fault-closed"))),
                    Code::RateLimited => ("Slow down", None),
                    _ => ("That did not work", None),
                };
                let reasons = fault.fields.values().cloned().collect::<Vec<_>>().join(" ");
                let text = if reasons.is_empty() {
                    fault.message.into_owned()
                } else {
                    reasons
                };
                Self {
                    retry_after: fault.retry_after,
                    site_texts: keys,
                    is_of_service: !matches!(
                        code,
                        Code::Unavailable | Code::Closed | Code::RateLimited
                    ),
                    ..Self::new(status(code), title, text)
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
