//! Operations on endpoints.

use std::time::Duration;

use contracts::webhook::v1 as proto;
use kit::{Code, Fault, ids};
use serde_json::{Value, json};
use uuid::Uuid;

use super::scope::{Scope, id};
use super::{Dependencies, convert};
use crate::domain::address::Address;
use crate::domain::event::Event;
use crate::domain::signature::Secret;
use crate::key_ring::SealError;
use crate::store::endpoints::{self, Endpoint, EndpointState};
use crate::store::plans::{self, Allowance};

/// Maximum of a rate limit, in deliveries per second.
const MAX_RATE_LIMIT: u32 = 10_000;

/// How long a request for an unknown account waits for it. A new account arrives on the gateway's feed a moment after the gateway has created
/// it, and its creator may add an endpoint immediately.
const NEW_ACCOUNT: Duration = Duration::from_secs(3);
/// The interval at which the account is looked up meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Dependencies {
    pub(super) async fn add(
        &self,
        scope: &Scope,
        request: proto::AddEndpointRequest,
    ) -> Result<proto::AddEndpointResponse, Fault> {
        let (account, now) = (scope.require_account()?, self.clock.now());
        let id = ids::row_id();
        let secret = Secret::generate();
        let endpoint = Endpoint {
            id,
            account_id: account,
            url: self.url(&request.url)?,
            events: events(&request.events)?,
            state: EndpointState::On,
            reason: String::new(),
            rate_limit: request.rate_limit.map(rate_limit).transpose()?,
            secret: self.key_ring.seal(id, &secret).map_err(seal_error)?,
            next_secret: None,
            next_secret_from: None,
            created_at: now,
            failures: 0,
            first_failure_at: None,
            last_failure_at: None,
            last_success_at: None,
        };
        let allowance = self.allowance(account).await?;
        let mut transaction = self.pool.begin().await?;
        let count = endpoints::count_locked(&mut transaction, account).await?;
        if let Some(most) = allowance.endpoints.filter(|most| count >= *most) {
            let message = format!(
                "The plan allows {most} endpoints. Remove one, or change to a plan that allows more."
            );
            return Err(Fault::new(Code::PlanRequired, message));
        }
        endpoints::insert(&mut transaction, &endpoint).await?;
        let details = json!({"account": account, "url": endpoint.url, "events": endpoint.events});
        scope.record(&mut *transaction, id, details, now).await?;
        transaction.commit().await?;
        Ok(proto::AddEndpointResponse {
            endpoint: Some(convert::endpoint(endpoint, (0, None), now)),
            secret: secret.reveal().to_owned(),
        })
    }

    pub(super) async fn change(
        &self,
        scope: &Scope,
        request: proto::ChangeEndpointRequest,
    ) -> Result<proto::Endpoint, Fault> {
        let url = request.url.map(|url| self.url(&url)).transpose()?;
        let events = request
            .events
            .map(|list| events(&list.events))
            .transpose()?;
        let limit = match request.rate_limit {
            None => None,
            Some(0) => Some(None),
            Some(limit) => Some(Some(rate_limit(limit)?)),
        };
        let details = json!({"url": url, "events": events, "rate_limit": limit});
        self.modify(scope, &request.id, details, |endpoint| {
            if let Some(url) = url {
                endpoint.url = url;
            }
            if let Some(events) = events {
                endpoint.events = events;
            }
            endpoint.rate_limit = limit.unwrap_or(endpoint.rate_limit);
            Ok(())
        })
        .await
    }

    pub(super) async fn pause(&self, scope: &Scope, id: &str) -> Result<proto::Endpoint, Fault> {
        self.modify(scope, id, json!({}), |endpoint| {
            if endpoint.state == EndpointState::Off {
                let reason =
                    "The endpoint is switched off, so it cannot be paused; resume it first.";
                return Err(Fault::invalid_field("id", reason));
            }
            endpoint.state = EndpointState::Paused;
            Ok(())
        })
        .await
    }

    pub(super) async fn resume(&self, scope: &Scope, id: &str) -> Result<proto::Endpoint, Fault> {
        self.modify(scope, id, json!({}), |endpoint| {
            if endpoint.state == EndpointState::Off {
                endpoint.failures = 0;
                endpoint.first_failure_at = None;
                endpoint.reason.clear();
            }
            endpoint.state = EndpointState::On;
            Ok(())
        })
        .await
    }

    pub(super) async fn rotate(
        &self,
        scope: &Scope,
        id: &str,
    ) -> Result<proto::RotateSecretResponse, Fault> {
        let now = self.clock.now();
        let new = Secret::generate();
        let rotated = self.modify(scope, id, json!({}), |endpoint| {
            let (current, _) = endpoint.secrets(now);
            endpoint.secret = current.to_vec();
            let sealed = self.key_ring.seal(endpoint.id, &new).map_err(seal_error)?;
            endpoint.next_secret = Some(sealed);
            endpoint.next_secret_from = Some(now + self.rotation);
            Ok(())
        });
        let endpoint = Some(rotated.await?);
        let secret = new.reveal().to_owned();
        Ok(proto::RotateSecretResponse { endpoint, secret })
    }

    pub(super) async fn switch(&self, scope: &Scope, id: &str) -> Result<proto::Endpoint, Fault> {
        self.modify(scope, id, json!({}), |endpoint| {
            let Some(next) = endpoint.next_secret.take() else {
                let reason = "The endpoint has no new secret: rotate its secret first.";
                return Err(Fault::invalid_field("id", reason));
            };
            endpoint.secret = next;
            endpoint.next_secret_from = None;
            Ok(())
        })
        .await
    }

    pub(super) async fn remove(&self, scope: &Scope, id: &str) -> Result<(), Fault> {
        let (id, now) = (self::id("id", id)?, self.clock.now());
        let mut transaction = self.pool.begin().await?;
        let found = endpoints::lock(&mut transaction, id, scope.account).await?;
        let endpoint = found.ok_or_else(not_found)?;
        endpoints::remove(&mut transaction, id).await?;
        let details = json!({"account": endpoint.account_id, "url": endpoint.url});
        scope.record(&mut *transaction, id, details, now).await?;
        transaction.commit().await?;
        Ok(())
    }

    pub(super) async fn list_endpoints(
        &self,
        scope: &Scope,
    ) -> Result<proto::ListEndpointsResponse, Fault> {
        let account = scope.require_account()?;
        let allowance = self.allowance(account).await?;
        let mut connection = self.pool.acquire().await?;
        let mut rows = Vec::new();
        for endpoint in endpoints::of_account(&mut *connection, account).await? {
            let queued = endpoints::queued(&mut *connection, endpoint.id).await?;
            rows.push(convert::endpoint(endpoint, queued, self.clock.now()));
        }
        Ok(proto::ListEndpointsResponse {
            endpoints: rows,
            most: allowance.endpoints.and_then(|most| most.try_into().ok()),
            real_events: allowance.events,
        })
    }

    pub(super) async fn get_endpoint(
        &self,
        scope: &Scope,
        id: &str,
    ) -> Result<proto::Endpoint, Fault> {
        let endpoint = self.endpoint(scope, "id", id).await?;
        self.message(endpoint).await
    }

    /// The allowance of the account's plan. Waits up to [`NEW_ACCOUNT`] for an unknown account.
    async fn allowance(&self, account: Uuid) -> Result<Allowance, Fault> {
        let known = async {
            loop {
                let mut connection = self.pool.acquire().await?;
                if let Some(allowance) = plans::of_account(&mut connection, account).await? {
                    return Ok(allowance);
                }
                drop(connection);
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        tokio::time::timeout(NEW_ACCOUNT, known)
            .await
            .unwrap_or_else(|_| Err(Fault::not_found("There is no account with this id.")))
    }

    /// Finds an endpoint within the scope.
    pub(super) async fn endpoint(
        &self,
        scope: &Scope,
        field: &str,
        id: &str,
    ) -> Result<Endpoint, Fault> {
        let id = self::id(field, id)?;
        let found = endpoints::find(&self.pool, id, scope.account).await?;
        found.ok_or_else(not_found)
    }

    /// Changes an endpoint, and makes its worker load it again.
    async fn modify(
        &self,
        scope: &Scope,
        id: &str,
        details: Value,
        change: impl FnOnce(&mut Endpoint) -> Result<(), Fault>,
    ) -> Result<proto::Endpoint, Fault> {
        let (id, now): (Uuid, _) = (self::id("id", id)?, self.clock.now());
        let mut transaction = self.pool.begin().await?;
        let found = endpoints::lock(&mut transaction, id, scope.account).await?;
        let mut endpoint = found.ok_or_else(not_found)?;
        change(&mut endpoint)?;
        endpoints::update(&mut transaction, &endpoint, now).await?;
        scope.record(&mut *transaction, id, details, now).await?;
        transaction.commit().await?;
        self.wakeup.wake();
        self.message(endpoint).await
    }

    async fn message(&self, endpoint: Endpoint) -> Result<proto::Endpoint, Fault> {
        let queued = endpoints::queued(&self.pool, endpoint.id).await?;
        Ok(convert::endpoint(endpoint, queued, self.clock.now()))
    }

    fn url(&self, text: &str) -> Result<String, Fault> {
        let address = Address::parse(text, &self.allow);
        let address = address.map_err(|problem| Fault::invalid_field("url", problem))?;
        Ok(address.as_str().to_owned())
    }
}

fn events(names: &[String]) -> Result<Vec<String>, Fault> {
    let events = Event::parse_subscriptions(names);
    let events = events.map_err(|problem| Fault::invalid_field("events", problem))?;
    let name = |event: Event| event.as_str().to_owned();
    Ok(events.into_iter().map(name).collect())
}

fn rate_limit(limit: u32) -> Result<i32, Fault> {
    let whole = i32::try_from(limit).ok();
    whole
        .filter(|_| (1..=MAX_RATE_LIMIT).contains(&limit))
        .ok_or_else(|| {
            Fault::invalid_field(
                "rate_limit",
                format!("Give 1 to {MAX_RATE_LIMIT} deliveries per second."),
            )
        })
}

fn not_found() -> Fault {
    Fault::not_found("There is no endpoint with this id.")
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn seal_error(error: SealError) -> Fault {
    Fault::internal(&error)
}
