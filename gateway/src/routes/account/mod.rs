//! The account API (§10.18): a program with a token makes the calls that people make in the dashboard. The routes call the same services as
//! the dashboard, in the name of the token.

pub mod deliveries;
pub mod endpoints;
pub mod keys;
pub mod usage;

use axum::extract::FromRequestParts;
use contracts::common::v1::{PageInfo, PageRequest};
use contracts::gateway::v1::{Actor, TokenActor};
use contracts::public::Timestamp;
use http::Method;
use http::request::Parts;
use kit::cursor::Binding;
use kit::page::{Limits, Page};
use kit::rpc::actor;
use kit::{Code, Fault, timestamp};
use serde::Serialize;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::app::App;
use crate::client_ip;
use crate::domain::author::{ApiToken, Author};
use crate::domain::staff_action::Action;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::idempotency_key;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;
use crate::service::operations::AccountFilter;
use crate::upstream::GrpcClient;

/// The only write with a dry run.
const RECOVER: &str = "/v1/account/deliveries/recover";

/// The token that calls, and its account.
pub struct TokenCaller {
    app: App,
    pub account: Uuid,
    token: ApiToken,
}

impl TokenCaller {
    /// The token as the author of a change.
    fn author(&self, action: Action) -> Author {
        Author::Token(self.token.clone(), action)
    }

    /// Makes a call with effects to webhook-svc, which records the token as its author.
    async fn write<S: GrpcClient, Q, A>(
        &self,
        method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
        message: Q,
    ) -> Result<A, Fault> {
        let mut request = Request::new(message);
        let actor = Actor {
            address: self.token.address.to_string(),
            token: Some(TokenActor {
                id: self.token.id.to_string(),
                name: self.token.name.clone(),
            }),
            ..Actor::default()
        };
        actor::add(&mut request, &actor);
        self.app.webhooks.write(method, request).await
    }

    /// The keys and requests that the token finds.
    fn only(&self) -> AccountFilter {
        AccountFilter::Only(self.account)
    }
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
        let is_write = !matches!(parts.method, Method::GET | Method::HEAD);
        if is_write && parts.uri.path() != RECOVER {
            refuse_dry_run(parts.uri.query())?;
        }
        Ok(Self {
            app: App::clone(app),
            account: caller.key.account,
            token: ApiToken {
                id: caller.key.id,
                name: caller.key.name.clone(),
                address: client_ip::address(app, parts),
            },
        })
    }
}

/// Refuses a dry run, which is not ignored: its caller relies on it that nothing changes.
fn refuse_dry_run(query: Option<&str>) -> Result<(), Fault> {
    let mut query = Params::parse(query);
    if query.flag("dry_run") {
        let reason = "Leave this parameter out: the call has no dry run, and makes the change.";
        query.bad.add("dry_run", reason);
    }
    query.finish()
}

/// An id in a path. All ids are UUIDs, so any other text is a 404.
pub struct IdParam(pub Uuid);

impl FromRequestParts<App> for IdParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let PathParam(id): PathParam = PathParam::from_request_parts(parts, app).await?;
        parse_id(&id).map(Self)
    }
}

/// Makes a change. A client that disconnects does not cancel it.
async fn change<W>(
    caller: TokenCaller,
    work: impl FnOnce(TokenCaller) -> W,
) -> Result<ApiResponse, ApiError>
where
    W: Future<Output = Result<ApiResponse, ApiError>> + Send + 'static,
{
    let app = App::clone(&caller.app);
    let changed = app.operations.changes.run(work(caller)).await;
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

fn parse_id(id: &str) -> Result<Uuid, ApiError> {
    id.parse().map_err(|_not_a_uuid| not_found().into())
}

fn not_found() -> Fault {
    Fault::not_found("The account has nothing with this id. The lists of the account show the ids.")
}

/// The error of a call about an endpoint, whose id is `endpoint` in the query.
fn of_endpoint(mut fault: Fault) -> Fault {
    let Some(reason) = fault.fields.remove("endpoint_id") else {
        return fault;
    };
    fault.fields.insert("endpoint".to_owned(), reason);
    // The message names the fields.
    Fault::invalid(fault.fields)
}

/// The error of a response with a state that this version does not know.
fn unknown_state(state: i32) -> Fault {
    Fault::internal(&prost::UnknownEnumValue(state))
}

fn time(at: Option<prost_types::Timestamp>) -> Option<Timestamp> {
    at.and_then(timestamp::decode).map(Timestamp)
}

/// The page of rows that a query asks for. `id` orders them, and a cursor is the last one of its page.
fn page<T: Serialize>(
    list: &str,
    caller: &TokenCaller,
    rows: Vec<T>,
    id: impl Fn(&T) -> &str,
    mut query: Params,
) -> Result<ApiResponse, ApiError> {
    let PageRequest { limit, cursor } = query.page();
    let binding = Binding::new(list, [Some(&*caller.account.to_string())]);
    let page: Page<String> = query.bad.read_page(Limits::PUBLIC, binding, limit, &cursor);
    query.finish()?;
    let total = u64::try_from(rows.len()).unwrap_or_default();
    let is_after = |row: &T| {
        page.after
            .as_ref()
            .is_none_or(|after| id(row) > after.as_str())
    };
    let mut shown: Vec<T> = rows.into_iter().filter(is_after).collect();
    let next_cursor = page.cut(&mut shown, |last| id(last).to_owned())?;
    let json = serde_json::to_vec(&shown).map_err(|error| Fault::internal(&error))?;
    let info = PageInfo {
        total,
        next_cursor,
    };
    Ok(ApiResponse::list(json.into(), Some(info)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_parameter_in_its_message_and_its_fields() {
        let fault = of_endpoint(Fault::invalid_field("endpoint_id", "Resume it first."));
        assert_eq!(fault.fields["endpoint"], "Resume it first.");
        assert_eq!(
            fault.message,
            Fault::invalid_field("endpoint", "").message,
            "the message names the field"
        );
        let other = of_endpoint(Fault::not_found("There is none."));
        assert_eq!(other.code, Code::NotFound);
    }
}
