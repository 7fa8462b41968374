//! `GET /economy/rates` (§4.4).

use axum::extract::{RawQuery, State};
use axum::response::Response;
use contracts::economy::v1::ListRatesRequest;
use http::{HeaderMap, Method};

use crate::app::App;
use crate::envelope::{self, Negotiation};
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::query::Params;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;
use crate::upstream::Rates;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 1] {
    [
        Operation::get("/economy/rates", "listRates", Tag::Economy, "Lists exchange rates between the currencies of games.",
            Success::List("Rate"), &[p::FROM_CURRENCY, p::TO_CURRENCY])
            .about("Without `from` and `to`, it lists the rates between all pairs."),
    ]
}

/// All rates, or those from or to a currency.
pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    method: Method,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let request = ListRatesRequest {
        mode: caller.key.mode.into(),
        from: query.text("from").unwrap_or_default(),
        to: query.text("to").unwrap_or_default(),
        head_only: false,
    };
    let head_only = ListRatesRequest {
        head_only: true,
        ..request.clone()
    };
    query.finish()?;
    let head = Rates::request(&app.economy, head_only).await?.head;
    let negotiation = Negotiation::from_headers(&method, &headers);
    Ok(envelope::rates(head, request, &negotiation, &app).await?)
}
