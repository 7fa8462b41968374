//! The layers of public pages, which set no cookie and need no session.
//!
//! They count the page, add the [`Visit`] to the request, and answer from the [`PageCache`](crate::page_cache::PageCache).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::IF_NONE_MATCH;
use http::{HeaderValue, Method};

use super::typed_form;
use crate::admission::PageKind;
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::etag;
use crate::form_body;
use crate::page_cache::{Key, Page};
use crate::page_error::PageError;
use crate::request::added;
use crate::visit::{Parameter, Visit};

/// The state of [`admit`].
#[derive(Clone)]
pub struct RouteState {
    pub app: App,
    /// The parameters of the query on which the page depends.
    pub query: Arc<[Parameter]>,
}

pub async fn admit(State(route): State<RouteState>, request: Request, next: Next) -> Response {
    let app = &route.app;
    // The page is made, and stored, without parameters that it ignores.
    let visit = Visit::from_request(request.uri(), request.headers()).reading(&route.query);
    let known: Vec<HeaderValue> =
        request.headers().get_all(IF_NONE_MATCH).iter().cloned().collect();
    let admitted = async {
        let client: ClientInfo = added(request.extensions())?;
        let (mut request, mut kind) = (request, PageKind::Site);
        if request.method() == Method::POST {
            // Read the form first, so that an error page can send it again.
            request = form_body::buffer(request, form_body::DEFAULT_LIMIT).await?;
            typed_form::capture(&mut request).await;
            kind = PageKind::Form;
        }
        let counted = app.admission.page(kind, &client, app.clock.now());
        counted.map(|()| request).map_err(PageError::too_many_pages)
    };
    match admitted.await {
        Ok(mut request) => {
            request.extensions_mut().insert(visit);
            let response = etag::tag(next.run(request).await).await;
            etag::validate(&known, response)
        }
        Err(error) => error.into_response(),
    }
}

/// Counts a picture.
pub async fn admit_picture(State(app): State<App>, request: Request, next: Next) -> Response {
    let counted = added::<ClientInfo>(request.extensions()).and_then(|client| {
        let counted = app.admission.page(PageKind::Picture, &client, app.clock.now());
        counted.map_err(PageError::too_many_pages)
    });
    match counted {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// The state of [`cache`].
#[derive(Clone)]
pub struct CacheState {
    pub app: App,
    pub shows_currencies: bool,
}

/// Answers with the page in the cache. Without one, and while Redis has no position, the handler runs.
pub async fn cache(State(route): State<CacheState>, mut request: Request, next: Next) -> Response {
    let app = &route.app;
    let catalogue = app.catalogue.begin_page();
    let currencies = app.currencies.begin_page();
    request.extensions_mut().insert(catalogue.clone());
    request.extensions_mut().insert(currencies.clone());
    let visit = request.extensions().get::<Visit>();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let Some(visit) = visit.filter(|_| is_read) else {
        return next.run(request).await;
    };
    let Some(position) = catalogue.position().await else {
        return next.run(request).await;
    };
    let economy = if route.shows_currencies { currencies.version().await } else { None };
    let key = Key::new(visit, position, economy, app.clock.now());
    let make = async { Page::read(etag::tag(next.run(request).await).await).await };
    app.page_cache.get(key, make).await
}
