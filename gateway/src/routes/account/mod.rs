//! The account API (§10.18): a program with a token makes the calls that people make in the dashboard. The routes call the same services as
//! the dashboard, in the name of the token.

pub mod deliveries;
pub mod endpoints;
pub mod keys;
pub mod usage;

use std::collections::BTreeMap;

use axum::extract::FromRequestParts;
use contracts::common::v1::{PageInfo, PageRequest};
use contracts::gateway::v1::{Actor, TokenActor};
use contracts::public::Timestamp;
use http::Method;
use http::request::Parts;
use kit::cursor::Binding;
use kit::{Code, Fault, timestamp};
use serde::Serialize;
use uuid::Uuid;

use crate::app::App;
use crate::client_ip;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::idempotency_key;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;

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
        if parts.method == Method::POST && parts.headers.contains_key(idempotency_key::HEADER) {
            // The header is rejected, not ignored: its sender relies on it.
            let reason = "Leave this header out: calls below /account have none. After a lost response, read the list before you repeat a call.";
            return Err(Fault::invalid_field("Idempotency-Key", reason).into());
        }
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

/// An id in a path. All ids are UUIDs, so any other text is a 404.
pub struct IdParam(pub String);

impl FromRequestParts<App> for IdParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let PathParam(id): PathParam = PathParam::from_request_parts(parts, app).await?;
        parse_id(&id).map(Self)
    }
}

/// Makes a change and writes its audit row. A client that disconnects cancels neither.
async fn change<T: Send + 'static>(
    app: &App,
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    let changed = app.accounts.operations.changes.run(work).await;
    changed.map_err(|error| ApiError {
        fault: of_change(error.fault),
        ..error
    })
}

/// The error of a change. If the outcome is unknown, the message gives other advice than for writes that take an `Idempotency-Key`.
fn of_change(fault: Fault) -> Fault {
    if fault.code != Code::OutcomeUnknown {
        return fault;
    }
    Fault {
        message: "The change was not answered in time and may or may not have taken effect. Read the list first (GET /account/keys, \
                  /account/endpoints or /account/deliveries), and repeat the call only if it has not."
            .into(),
        ..fault
    }
}

/// The error of a call with these bad fields or parameters. `ask` calls the service all the same, without an effect: if the account lacks
/// the object, the response is a 404 whatever else is wrong (§7.1), and otherwise one response names all bad fields.
async fn refused<T>(
    bad: BTreeMap<String, String>,
    ask: impl Future<Output = Result<T, Fault>>,
) -> ApiError {
    let mut fields = match ask.await {
        Err(fault) if fault.code == Code::NotFound => return fault.into(),
        Err(fault) if fault.code == Code::Invalid => fault.fields,
        Ok(_) | Err(_) => BTreeMap::new(),
    };
    fields.extend(bad);
    Fault::invalid(fields).into()
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

/// The page of rows that a query asks for. `id` orders them, and a cursor is the last one of its page.
fn page<T: Serialize>(
    rows: &[T],
    id: impl Fn(&T) -> &str,
    (list, account): (&str, &str),
    mut query: Params,
) -> Result<ApiResponse, ApiError> {
    let PageRequest { limit, cursor } = query.page();
    let binding = Binding::new(list, [Some(account)]);
    let after: Option<String> = binding.decode(&cursor);
    if after.is_none() && !cursor.is_empty() {
        query.add_error(
            "cursor",
            "It is not a cursor of this list: begin without one.",
        );
    }
    query.finish()?;
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
