//! The layers of public pages, which set no cookie and need no session.
//!
//! They count the page, add the [`Visit`] to the request, and answer from the [`PageCache`](crate::page_cache::PageCache).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{ACCEPT_LANGUAGE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method};
use kit::network::Network;
use xxhash_rust::xxh3::xxh3_64;

use super::typed_form;
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::etag;
use crate::form_body;
use crate::page_cache::{Key, Page};
use crate::page_error::PageError;
use crate::page_limit::Visitor;
use crate::request::{Viewer, added};
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
        if request.method() == Method::POST {
            return read_form(app, &client, request).await;
        }
        let counted = count(app, &client, request.headers()).await;
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

/// Answers with the page in the cache. Without one, and while Redis has no position, the handler runs.
pub async fn cache(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let catalogue = app.catalogue.begin_page();
    request.extensions_mut().insert(catalogue.clone());
    let visit = request.extensions().get::<Visit>();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let Some(visit) = visit.filter(|_| is_read) else {
        return next.run(request).await;
    };
    let Some(position) = catalogue.position().await else {
        return next.run(request).await;
    };
    let key = Key::new(visit, position, app.clock.now());
    let make = async { Page::read(etag::tag(next.run(request).await).await).await };
    app.page_cache.get(key, make).await
}

/// Reads a form, so that an error page can send it again, and then counts it.
async fn read_form(app: &App, client: &ClientInfo, request: Request) -> Result<Request, PageError> {
    let mut request = form_body::buffer(request, form_body::DEFAULT_LIMIT).await?;
    typed_form::capture(&mut request).await;
    let visitor = Visitor::Unknown(client.ip.into());
    let counted = app.page_limit.count(visitor, app.clock.now());
    counted.map(|()| request).map_err(PageError::too_many_pages)
}

/// Counts a page against the limits of the browser and of the network. Beyond them, a signed-in person has a limit of their own, so that
/// other visitors of the network do not lock the person out.
async fn count(app: &App, client: &ClientInfo, headers: &HeaderMap) -> Result<(), u32> {
    let now = app.clock.now();
    let network = Network::from(client.ip);
    let limit = &app.page_limit;
    let browser = Visitor::Browser { network, headers: hash(client, headers) };
    let counted = limit.count(browser, now);
    let Err(seconds) = counted.and_then(|()| limit.count(Visitor::Network(network), now)) else {
        return Ok(());
    };
    let viewer = Viewer::find(app, client, headers, now).await;
    match viewer.ok().flatten().filter(Viewer::is_signed_in) {
        Some(viewer) => limit.count(Visitor::Person(viewer.person.id), now),
        None => Err(seconds),
    }
}

/// The headers by which browsers of a network differ.
fn hash(client: &ClientInfo, headers: &HeaderMap) -> u64 {
    let agent = client.agent.as_str();
    let languages = headers.get(ACCEPT_LANGUAGE).map_or(&b""[..], HeaderValue::as_bytes);
    xxh3_64(&[agent.as_bytes(), b"\n", languages].concat())
}
