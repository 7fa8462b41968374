//! Addresses that programs know (RFC 8615): whom to tell about a weakness, and where a password is changed.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header::CONTENT_TYPE;
use kit::Fault;
use time::format_description::well_known::Rfc3339;
use time::{Duration, UtcOffset};

use crate::app::App;
use crate::page_error::{PageError, PageResult};
use crate::render::see_other;

/// The RFC advises less than a year.
const VALID: Duration = Duration::days(180);

/// `/.well-known/security.txt` (RFC 9116). It is not there without a contact.
pub async fn security_contact(State(app): State<App>) -> PageResult {
    let contact = app.security_contact.as_deref().ok_or_else(PageError::not_found)?;
    let today = app.clock.now().to_offset(UtcOffset::UTC).date();
    let expires = today
        .saturating_add(VALID)
        .midnight()
        .assume_utc()
        .format(&Rfc3339)
        .map_err(|error| Fault::internal(&error))?;
    let site = &app.public_url;
    let text = format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, fr\nCanonical: {site}/.well-known/security.txt\n"
    );
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// `/.well-known/change-password` (W3C): the page where a person who is signed in sets another password.
pub async fn change_password() -> Response {
    see_other("/you/password")
}
