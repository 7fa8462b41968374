//! The account API (§10.18): what the people of an account do in the dashboard, for programs with a token. The routes call the same services
//! as the dashboard, in the name of the token.

pub mod deliveries;
pub mod endpoints;
pub mod keys;
pub mod usage;

use axum::extract::FromRequestParts;
use contracts::common::v1::PageInfo;
use contracts::gateway::v1::{Actor, TokenActor};
use contracts::public::Timestamp;
use http::request::Parts;
use kit::cursor::Binding;
use kit::{Fault, timestamp};
use serde::Serialize;
use uuid::Uuid;

use crate::app::App;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::path_param::PathParam;
use crate::layers::client_ip;

/// Rows of a page, by default.
const DEFAULT_LIMIT: usize = 20;

/// The token that calls, and its account.
pub struct TokenCaller {
    pub account: String,
    pub actor: Actor,
}

impl FromRequestParts<App> for TokenCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let AuthenticatedCaller(caller) =
            AuthenticatedCaller::from_request_parts(parts, app).await?;
        Ok(Self {
            account: caller.key.account.to_string(),
            actor: Actor {
                address: client_ip::address(app, parts).to_string(),
                token: Some(TokenActor {
                    id: caller.key.id.to_string(),
                    name: caller.key.name.clone(),
                }),
                ..Actor::default()
            },
        })
    }
}

/// An id in a path. Nothing has an id that is no UUID, so that is a 404.
pub struct IdParam(pub String);

impl FromRequestParts<App> for IdParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let PathParam(id): PathParam = PathParam::from_request_parts(parts, app).await?;
        parse_id(&id).map(Self)
    }
}

fn parse_id(id: &str) -> Result<String, ApiError> {
    let parsed = id.parse::<Uuid>();
    let parsed = parsed.map_err(|_not_a_uuid| not_found())?;
    Ok(parsed.to_string())
}

fn not_found() -> ApiError {
    Fault::not_found("The account has nothing with this id. The lists of the account show the ids.")
        .into()
}

/// The error of a call about an endpoint, whose id is `endpoint` in the query.
fn of_endpoint(mut fault: Fault) -> Fault {
    if let Some(reason) = fault.fields.remove("endpoint_id") {
        fault.fields.insert("endpoint".to_owned(), reason);
    }
    fault
}

fn time(at: Option<prost_types::Timestamp>) -> Option<Timestamp> {
    at.and_then(timestamp::decode).map(Timestamp)
}

/// A page of rows that are all here. `id` orders them, and a cursor is the last one of its page.
fn page<T: Serialize>(
    rows: &[T],
    id: impl Fn(&T) -> &str,
    (list, account): (&str, &str),
    (limit, cursor): (u32, &str),
) -> Result<ApiResponse, ApiError> {
    let binding = Binding::new(list, [Some(account)]);
    let after: Option<String> = binding.decode(cursor);
    if after.is_none() && !cursor.is_empty() {
        let reason = "It is not a cursor of this list: begin without one.";
        return Err(Fault::invalid_field("cursor", reason).into());
    }
    let begin = after.map_or(0, |after| {
        rows.iter()
            .take_while(|row| id(row) <= after.as_str())
            .count()
    });
    let limit = match limit {
        0 => DEFAULT_LIMIT,
        limit => usize::try_from(limit).unwrap_or(DEFAULT_LIMIT),
    };
    let end = rows.len().min(begin + limit);
    let shown = &rows[begin..end];
    let last = shown.last().filter(|_| end < rows.len());
    let next = last.map(|last| binding.encode(&id(last)));
    let next = next.transpose().map_err(|error| Fault::internal(&error))?;
    let json = serde_json::to_vec(shown).map_err(|error| Fault::internal(&error))?;
    let info = PageInfo {
        total: u64::try_from(rows.len()).unwrap_or_default(),
        next_cursor: next,
        ..PageInfo::default()
    };
    Ok(ApiResponse::list(json.into(), Some(info)))
}
