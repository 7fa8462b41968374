//! Responses of pages and forms.

use std::fmt::Display;

use axum::response::{IntoResponse as _, Response};
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderName, HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::{Fields, Template};

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The status of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageStatus {
    pub code: StatusCode,
    /// Seconds after which the same request may succeed.
    retry_after: Option<u32>,
}

impl From<StatusCode> for PageStatus {
    fn from(code: StatusCode) -> Self {
        let retry_after = None;
        Self { code, retry_after }
    }
}

impl From<&Fault> for PageStatus {
    fn from(fault: &Fault) -> Self {
        Self { code: status(fault.code), retry_after: fault.retry_after }
    }
}

/// A page.
pub fn html(status: impl Into<PageStatus>, page: &impl Template) -> Response {
    response(status.into(), page.render())
}

/// Does not depend on the type of the page, so that it is compiled once, and not for each.
fn response(status: PageStatus, rendered: Result<String, impl Display>) -> Response {
    let PageStatus { code, retry_after } = status;
    match rendered {
        Ok(text) => {
            let media_type = HeaderValue::from_static("text/html; charset=utf-8");
            let mut response = (code, [(CONTENT_TYPE, media_type)], text).into_response();
            if let Some(seconds) = retry_after {
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
            }
            response
        }
        Err(error) => {
            tracing::error!(%error, "cannot render a page");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A requested page.
pub fn ok(page: &impl Template) -> Response {
    html(StatusCode::OK, page)
}

/// The page of a refused form, with the typed text.
pub fn refused(page: &impl Template) -> Response {
    html(StatusCode::UNPROCESSABLE_ENTITY, page)
}

/// The browser gets another page, by GET. `path` is a path of this site.
pub fn see_other(path: &str) -> Response {
    redirect(StatusCode::SEE_OTHER, path)
}

/// 308: a permanent redirect that keeps the method. `path` is a path of this site.
pub fn moved(path: &str) -> Response {
    redirect(StatusCode::PERMANENT_REDIRECT, path)
}

fn redirect(status: StatusCode, path: &str) -> Response {
    match HeaderValue::from_str(path) {
        Ok(path) => (status, [(LOCATION, path)]).into_response(),
        Err(_not_a_header) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// How a form ended, for the page that shows it again. The default is that of a page that is opened.
#[derive(Debug, Clone, Default)]
pub struct FormState {
    pub status: PageStatus,
    pub errors: Fields,
}

impl FormState {
    /// A form whose values cannot be right.
    pub fn invalid(errors: Fields) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY.into(), errors }
    }

    /// Whether no error was found.
    pub fn is_accepted(&self) -> bool {
        self.errors.is_empty()
    }

    /// Adds the error of a field. The status of an earlier error stays.
    pub fn add(&mut self, field: &'static str, reason: impl Into<String>) {
        if self.is_accepted() {
            self.status = StatusCode::UNPROCESSABLE_ENTITY.into();
        }
        self.errors.add(field, reason);
    }

    /// A form with these fields, which a service refused. An error of a field that the form lacks stands above the form.
    pub fn refused(fault: &Fault, fields: &[&str]) -> Self {
        let mut errors = Fields::default();
        let mut others = Vec::new();
        for (field, reason) in &fault.fields {
            if fields.contains(&field.as_str()) {
                errors.add(field, reason.clone());
            } else {
                others.push(reason.clone());
            }
        }
        if errors.by_name.is_empty() || !others.is_empty() {
            let text = if others.is_empty() {
                fault.message.clone().into_owned()
            } else {
                others.join(" ")
            };
            errors.set_general(text);
        }
        Self { status: fault.into(), errors }
    }

    /// A form that this service refused, with a sentence in the language of the page.
    pub fn refused_here(fault: &Fault) -> Self {
        Self { status: fault.into(), errors: Fields::general(fault.message.clone()) }
    }
}

/// The HTTP status of a fault that a page shows.
pub fn status(code: Code) -> StatusCode {
    match code {
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Unavailable | Code::ApiUnavailable | Code::ModuleOff | Code::Closed => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Code::OutcomeUnknown => StatusCode::GATEWAY_TIMEOUT,
        Code::Limit | Code::RateLimited | Code::QuotaExceeded | Code::TooSoon => {
            StatusCode::TOO_MANY_REQUESTS
        }
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_errors_of_a_service_are_shown_at_their_fields() {
        let reasons = [("name", "Too long."), ("x", "Odd.")];
        let reasons = reasons.map(|(field, reason)| (field.to_owned(), reason.to_owned()));
        let fault = Fault::invalid(BTreeMap::from(reasons));
        let FormState { status, errors } = FormState::refused(&fault, &["name", "kind"]);
        assert_eq!(status.code, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(errors.of("name"), Some("Too long."));
        assert_eq!(errors.general.as_deref(), Some("Odd."));
    }

    #[test]
    fn an_added_error_keeps_the_status_of_an_earlier_one() {
        let mut state = FormState::default();
        assert!(state.is_accepted());
        state.add("email", "Odd.");
        assert_eq!(state.status.code, StatusCode::UNPROCESSABLE_ENTITY);
        let mut limited = FormState::refused(&Fault::new(Code::RateLimited, "Wait."), &[]);
        limited.add("email", "Odd.");
        assert_eq!(limited.status.code, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(limited.errors.general.as_deref(), Some("Wait."));
    }
}
