//! Public pages: counts them, and adds the [`Visit`] to the request and to the page of an error. They set no cookie and need no session.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::HeaderMap;
use kit::client_address::Network;
use time::OffsetDateTime;

use super::etag;
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::page_error::PageError;
use crate::page_limit::Visitor;
use crate::viewer::Viewer;
use crate::visit::Visit;

pub async fn admit(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let visit = Visit::of(request.uri(), request.headers());
    let client = request.extensions().get::<ClientInfo>();
    let ip = client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.ip);
    let counted = count(&app, ip.into(), request.headers(), app.clock.now()).await;
    let mut response = match counted {
        Ok(()) => {
            request.extensions_mut().insert(visit.clone());
            etag::validate(&visit, next.run(request).await).await
        }
        Err(seconds) => PageError::too_many_pages(seconds).into_response(),
    };
    if let Some(error) = response.extensions_mut().remove::<PageError>() {
        return error.on_site(visit).into_response();
    }
    response
}

/// Counts a page against the limit of the network. Beyond it, counts the page against the limit of the signed-in person instead, so that
/// other visitors of the network do not lock a person out.
async fn count(
    app: &App,
    network: Network,
    headers: &HeaderMap,
    now: OffsetDateTime,
) -> Result<(), u32> {
    let Err(seconds) = app.page_limit.count(Visitor::Network(network), now) else {
        return Ok(());
    };
    let viewer = Viewer::find(app, headers, now).await.ok().flatten();
    match viewer.filter(Viewer::is_signed_in) {
        Some(viewer) => app.page_limit.count(Visitor::Person(viewer.person.id), now),
        None => Err(seconds),
    }
}
