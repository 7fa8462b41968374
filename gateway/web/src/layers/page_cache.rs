//! Answers with a public page that the [`PageCache`](crate::page_cache::PageCache) has.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::Method;

use crate::app::App;
use crate::etag;
use crate::page_cache::{Key, Page};
use crate::visit::Visit;

/// The handler runs only if the cache has no page. While Redis has no position, it runs each time.
pub async fn respond(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let catalogue = app.catalogue.begin_page();
    request.extensions_mut().insert(catalogue.clone());
    let visit = request.extensions().get::<Visit>();
    let Some(visit) = visit.filter(|_| *request.method() == Method::GET) else {
        return next.run(request).await;
    };
    let Some(position) = catalogue.position().await else {
        return next.run(request).await;
    };
    let key = Key::new(visit, position, app.clock.now());
    let make = async { Page::read(etag::tag(next.run(request).await).await).await };
    app.page_cache.get(key, make).await
}
