//! Answers with a public page that the [`PageCache`](crate::page_cache::PageCache) has.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Method};
use http_body_util::BodyExt as _;

use super::etag;
use crate::app::App;
use crate::page_cache::{Key, Page};
use crate::page_error::PageError;
use crate::visit::Visit;

/// The handler runs only if the cache has no page.
pub async fn respond(State(app): State<App>, request: Request, next: Next) -> Response {
    let visit = request.extensions().get::<Visit>().cloned();
    let Some(visit) = visit.filter(|_| *request.method() == Method::GET) else {
        return next.run(request).await;
    };
    let Some(position) = app.catalogue.known_position().await else {
        return next.run(request).await;
    };
    let (key, made) = (Key::of(&visit), app.clock.now());
    if let Some(page) = app.page_cache.get(&key, position, made) {
        return response(page.headers, page.body.into());
    }
    let made_now = etag::tag(&visit, next.run(request).await).await;
    if !etag::is_revalidated(&made_now) {
        return made_now;
    }
    let (head, body) = made_now.into_parts();
    // The body is in memory already: its tag is a hash of it.
    let Ok(whole) = body.collect().await else {
        return PageError::internal().into_response();
    };
    let page = Page {
        headers: head.headers.clone(),
        body: whole.to_bytes(),
        position,
        made,
    };
    let body = page.body.clone();
    app.page_cache.insert(key, page);
    Response::from_parts(head, body.into())
}

fn response(headers: HeaderMap, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.headers_mut() = headers;
    response
}
