//! A request of a public page.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::{ClientInfo, Visit};
use crate::app::App;
use crate::page_error::PageError;
use crate::site::query::Query;
use crate::upstream::Catalogue;

/// The address and the language of the page, the client, and the catalogue that the page shows.
pub struct SiteRequest {
    pub app: App,
    pub visit: Visit,
    pub query: Query,
    pub client: ClientInfo,
    pub catalogue: Catalogue,
}

impl FromRequestParts<App> for SiteRequest {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let visit = parts.extensions.get::<Visit>();
        let client = parts.extensions.get::<ClientInfo>();
        let (Some(visit), Some(client)) = (visit, client) else {
            tracing::error!("a public page is not behind the layer of visits");
            return Err(PageError::internal());
        };
        Ok(Self {
            app: App::clone(app),
            visit: visit.clone(),
            query: Query::parse(parts.uri.query()),
            client: client.clone(),
            // Pages that are not cached begin here.
            catalogue: (parts.extensions.get().cloned())
                .unwrap_or_else(|| app.catalogue.begin_page()),
        })
    }
}
