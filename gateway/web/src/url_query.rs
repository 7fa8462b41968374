//! The query of a page of the dashboard. Axum answers a query that it cannot read, such as one with a repeated parameter, with a
//! line of text, and this with a page.

use axum::extract::{FromRequestParts, Query};
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::form_body::unreadable;
use crate::page_error::PageError;

/// The query of a page with a list.
#[derive(Debug, Deserialize)]
pub struct ListQuery {
    /// Where the page of the list begins; empty for the first one.
    #[serde(default)]
    pub cursor: String,
}

/// The parameters of a query.
#[derive(Debug)]
pub struct UrlQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for UrlQuery<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let query = Query::from_request_parts(parts, state)
            .await
            .map_err(|_unreadable| unreadable(StatusCode::BAD_REQUEST));
        query.map(|Query(query)| Self(query))
    }
}
