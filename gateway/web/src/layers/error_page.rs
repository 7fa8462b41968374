//! Renders errors: inner layers and handlers attach a [`PageError`] to the response, and this layer knows where it is shown.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::log::{RequestId, RoutePattern};
use super::typed_form::CapturedForm;
use crate::page_error::{ErrorContext, PageError};
use crate::page_language::PageLanguage;
use crate::visit::Visit;

/// Whether a path without a language belongs to the public site.
pub type IsPublic = fn(&str) -> bool;

pub async fn render(
    State(is_public): State<IsPublic>,
    mut request: Request,
    next: Next,
) -> Response {
    let visit = Visit::from_request(request.uri(), request.headers());
    let visit = (!visit.prefix.is_empty() || is_public(&visit.path)).then_some(visit);
    let id = request.extensions().get::<RequestId>().cloned();
    let captured = CapturedForm::default();
    request.extensions_mut().insert(captured.clone());
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<PageError>() else {
        return response;
    };
    let extensions = response.extensions();
    let route = extensions.get::<RoutePattern>();
    let language = extensions.get::<PageLanguage>().copied();
    let page = error.render(ErrorContext {
        form: captured.to_send_again(response.status(), route),
        language: language.unwrap_or_default().language,
        request_id: id.unwrap_or_default().0,
        visit,
    });
    // Keep headers such as `Allow`.
    let (page, body) = page.into_parts();
    let (mut parts, _) = response.into_parts();
    parts.status = page.status;
    parts.headers.remove("content-length");
    parts.headers.extend(page.headers);
    Response::from_parts(parts, body)
}
