//! Answers with a public page that the [`PageCache`](crate::page_cache::PageCache) has.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::Method;
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
        return response(page);
    }
    let answered = etag::tag(next.run(request).await).await;
    if !etag::is_revalidated(&answered) {
        return answered;
    }
    let (head, body) = answered.into_parts();
    // The body is in memory already: its tag is a hash of it.
    let Ok(whole) = body.collect().await else {
        return PageError::internal().into_response();
    };
    let page = Page {
        headers: head.headers,
        // The text of a page has up to as much memory again, which the cache does not count.
        body: Bytes::copy_from_slice(&whole.to_bytes()),
        position,
        made,
    };
    app.page_cache.insert(key, page.clone());
    response(page)
}

fn response(page: Page) -> Response {
    let mut response = Response::new(Body::from(page.body));
    *response.headers_mut() = page.headers;
    response
}
