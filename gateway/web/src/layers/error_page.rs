//! Renders errors: inner layers and handlers attach a [`PageError`] to the response, and this layer knows where it is shown.

use std::any::Any;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::log::{RequestId, RoutePattern};
use super::typed_form::CapturedForm;
use crate::page_error::{ErrorContext, PageError};
use crate::page_language::ErrorLanguage;
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
    let route = request.extensions().get::<RoutePattern>().cloned();
    let (captured, language) = (CapturedForm::default(), ErrorLanguage::default());
    request.extensions_mut().insert(captured.clone());
    request.extensions_mut().insert(language.clone());
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<PageError>() else {
        return response;
    };
    let page = error.render(ErrorContext {
        form: captured.to_send_again(response.status(), &route.unwrap_or_default()),
        language: language.get().language,
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

/// The answer to a request whose handler panicked, for [`CatchPanicLayer`](tower_http::catch_panic::CatchPanicLayer). The panic hook has logged the
/// panic.
pub fn panicked(_: Box<dyn Any + Send>) -> Response {
    PageError::internal().into_response()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use http::StatusCode;
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_by_a_page() {
        let is_public: IsPublic = |_| true;
        let router = Router::new()
            .route("/", get(async || -> Response { unreachable!("a test") }))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(from_fn_with_state(is_public, render));
        let mut request = Request::get("/").body(Body::empty()).unwrap();
        let id = RequestId("req_test".to_owned());
        request.extensions_mut().insert(id);
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let page = response.into_body().collect().await.unwrap().to_bytes();
        let page = str::from_utf8(&page).unwrap();
        assert!(page.contains("<h1>") && page.contains("req_test"), "{page}");
    }
}
