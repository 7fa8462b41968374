//! Ties the forms of a page to the person who opened it.
//!
//! A browser has one session for all its tabs. After a sign-out, the next person who signs in there
//! would send the forms of pages that the first one has left open. Therefore every form of a page
//! of the dashboard has the id of its person in a hidden field, and a form of somebody else is
//! refused.
//!
//! The id is no secret, and grants nothing: `csrf` keeps out the forms of other sites. A form
//! without the field is none of a page of the dashboard, such as that of a script.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt as _;
use uuid::Uuid;

use crate::page_error::PageError;
use crate::request::Viewer;

/// The name of the hidden field.
pub const FIELD: &str = "person";

/// # Errors
/// Another person has opened the form that was sent with this value of [`FIELD`].
pub fn check(viewer: &Viewer, sent: Option<&str>) -> Result<(), PageError> {
    let is_own = sent.is_none_or(|sent| sent.parse() == Ok(viewer.person.id));
    if is_own { Ok(()) } else { Err(PageError::other_person(&viewer.person.email)) }
}

/// Adds the field to the forms of a page. Other responses stay as they are.
pub async fn add_to_page(response: Response, person: Uuid) -> Response {
    let media_type = response.headers().get(CONTENT_TYPE);
    if !media_type.is_some_and(|it| it.as_bytes().starts_with(b"text/html")) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(whole) = body.collect().await else {
        return PageError::internal().into_response();
    };
    head.headers.remove(CONTENT_LENGTH);
    let page = String::from_utf8_lossy(&whole.to_bytes()).into_owned();
    Response::from_parts(head, Body::from(with_field(&page, person)))
}

/// The page with the field in each form that is posted. Typed text cannot look like a form, since
/// pages escape it.
fn with_field(page: &str, person: Uuid) -> String {
    let field = format!("<input type=\"hidden\" name=\"{FIELD}\" value=\"{person}\">");
    let mut filled = String::with_capacity(page.len() + 1_024);
    let mut rest = page;
    while let Some(start) = rest.find("<form ") {
        let end = rest[start..].find('>').map_or(rest.len(), |end| start + end + 1);
        let (before, after) = rest.split_at(end);
        filled.push_str(before);
        if before[start..].contains(" method=\"post\"") {
            filled.push_str(&field);
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}
