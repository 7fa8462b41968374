//! A request of a public page.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::app::App;
use crate::client_info::ClientInfo;
use crate::page_error::PageError;
use crate::query::Query;
use crate::request::added;
use crate::upstream::{Catalogue, PageEconomy};
use crate::visit::Visit;

/// The address and the language of the page, and the client.
pub struct PublicRequest {
    pub app: App,
    pub visit: Visit,
    /// The parameters that the router's table names for the page.
    pub query: Query,
    pub client: ClientInfo,
}

impl FromRequestParts<App> for PublicRequest {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let visit: Visit = added(&parts.extensions)?;
        Ok(Self {
            app: App::clone(app),
            query: Query::parse(visit.path.split_once('?').map(|(_, query)| query)),
            client: added(&parts.extensions)?,
            visit,
        })
    }
}

impl FromRequestParts<App> for Catalogue {
    type Rejection = Infallible;

    /// The calls that `layers/public` has begun for the page, or new ones.
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let begun = parts.extensions.get().cloned();
        Ok(begun.unwrap_or_else(|| app.catalogue.begin_page()))
    }
}

impl FromRequestParts<App> for PageEconomy {
    type Rejection = Infallible;

    /// The currencies that `layers/public` has read for the page, or else those that are read now.
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let begun = parts.extensions.get().cloned();
        Ok(begun.unwrap_or_else(|| app.currencies.begin_page()))
    }
}
