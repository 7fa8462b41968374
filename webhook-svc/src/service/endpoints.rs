//! Operations on endpoints.

use contracts::webhook::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::feed::arrival;
use kit::{Code, Fault, ids};
use sqlx::PgConnection;
use time::Duration;
use uuid::Uuid;

use super::{Dependencies, convert, parse_id};
use crate::domain::address::Address;
use crate::domain::event::Event;
use crate::domain::signature::Secret;
use crate::key_ring::seal_secret;
use crate::store::accounts;
use crate::store::endpoints::{self, Endpoint, EndpointState};
use crate::store::plans::{self, Plan};
use crate::store::waiting::{self, Backlog};

/// Addresses that an account may enter in an interval.
const MAX_ADDRESS_CHECKS: i32 = 100;
const ADDRESS_CHECK_INTERVAL: Duration = Duration::HOUR;

impl Dependencies {
    pub(super) async fn add(
        &self,
        account: Uuid,
        request: proto::AddEndpointRequest,
    ) -> Result<proto::AddEndpointResponse, Fault> {
        let (id, now) = (ids::row_id(), self.clock.now());
        let secret = Secret::generate();
        let mut bad = BadFields::default();
        let address = bad.take(self.address(&request.url));
        let events = bad.take(events(&request.events));
        let (address, events) = bad.finish(address.zip(events))?;
        let sealed = seal_secret(&self.key_ring, id, &secret);
        let mut endpoint = Endpoint {
            id,
            account_id: account,
            url: address.as_str().to_owned(),
            address_check: String::new(),
            events,
            state: EndpointState::On,
            reason: String::new(),
            secret: sealed.map_err(|error| Fault::internal(&error))?,
            next_secret: None,
            next_secret_from: None,
            created_at: now,
            failures: 0,
            first_failure_at: None,
            last_failure_at: None,
            last_success_at: None,
            failure_mailed_at: None,
            failures_since_mail: 0,
        };
        let plan = self.plan(account).await?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        self.check_quota(&mut transaction, account, &plan).await?;
        // The account is not locked during the request.
        transaction.rollback().await?;
        endpoint.address_check = self.check_address(account, &address).await?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        self.check_quota(&mut transaction, account, &plan).await?;
        endpoints::insert(&mut transaction, &endpoint).await?;
        transaction.commit().await?;
        Ok(proto::AddEndpointResponse {
            endpoint: Some(convert::endpoint(endpoint, Backlog::default(), now)),
            secret: secret.reveal().to_owned(),
        })
    }

    pub(super) async fn change(
        &self,
        account: Uuid,
        request: proto::ChangeEndpointRequest,
    ) -> Result<proto::Endpoint, Fault> {
        let current = self.endpoint(account, "id", &request.id).await?;
        let mut bad = BadFields::default();
        let address = bad.take(request.url.map(|url| self.address(&url)).transpose());
        let events = request.events.map(|list| events(&list.events));
        let events = bad.take(events.transpose());
        let (address, events) = bad.finish(address.zip(events))?;
        let address_check = match &address {
            // The present address keeps its outcome.
            Some(address) if address.as_str() == current.url => Some(current.address_check),
            Some(address) => Some(self.check_address(account, address).await?),
            None => None,
        };
        self.modify(account, &request.id, |endpoint| {
            if let Some((address, check)) = address.zip(address_check) {
                if address.as_str() != endpoint.url {
                    endpoint.forget_failures();
                    // The mail about the failures of an address names it.
                    (endpoint.failure_mailed_at, endpoint.failures_since_mail) = (None, 0);
                }
                address.as_str().clone_into(&mut endpoint.url);
                endpoint.address_check = check;
            }
            if let Some(events) = events {
                endpoint.events = events;
            }
            Ok(())
        })
        .await
    }

    pub(super) async fn pause(&self, account: Uuid, id: &str) -> Result<proto::Endpoint, Fault> {
        self.modify(account, id, |endpoint| {
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

    pub(super) async fn resume(&self, account: Uuid, id: &str) -> Result<proto::Endpoint, Fault> {
        self.modify(account, id, |endpoint| {
            if endpoint.state == EndpointState::Off {
                endpoint.forget_failures();
                endpoint.reason.clear();
            }
            endpoint.state = EndpointState::On;
            Ok(())
        })
        .await
    }

    pub(super) async fn rotate(
        &self,
        account: Uuid,
        id: &str,
    ) -> Result<proto::RotateSecretResponse, Fault> {
        let now = self.clock.now();
        let new = Secret::generate();
        let rotated = self.modify(account, id, |endpoint| {
            let (current, _) = endpoint.secrets(now);
            endpoint.secret = current.to_vec();
            let sealed = seal_secret(&self.key_ring, endpoint.id, &new);
            endpoint.next_secret = Some(sealed.map_err(|error| Fault::internal(&error))?);
            endpoint.next_secret_from = Some(now + self.rotation);
            Ok(())
        });
        let endpoint = Some(rotated.await?);
        let secret = new.reveal().to_owned();
        Ok(proto::RotateSecretResponse { endpoint, secret })
    }

    pub(super) async fn switch(&self, account: Uuid, id: &str) -> Result<proto::Endpoint, Fault> {
        self.modify(account, id, |endpoint| {
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

    pub(super) async fn remove(&self, account: Uuid, id: &str) -> Result<(), Fault> {
        let (id, now) = (parse_id("id", id)?, self.clock.now());
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let found = endpoints::lock(&mut transaction, id, Some(account)).await?;
        found.ok_or_else(not_found)?;
        endpoints::remove(&mut transaction, id, now).await?;
        transaction.commit().await?;
        self.wakeup.wake();
        Ok(())
    }

    pub(super) async fn list_endpoints(
        &self,
        account: Uuid,
    ) -> Result<proto::ListEndpointsResponse, Fault> {
        let plan = self.plan(account).await?;
        let mut connection = self.pool.acquire().await?;
        let mut rows = Vec::new();
        for endpoint in endpoints::of_account(&mut *connection, account).await? {
            let backlog = waiting::backlog(&mut *connection, endpoint.id).await?;
            rows.push(convert::endpoint(endpoint, backlog, self.clock.now()));
        }
        Ok(proto::ListEndpointsResponse {
            endpoints: rows,
            most: plan.endpoints.and_then(|most| u32::try_from(most).ok()),
            real_events: plan.events,
        })
    }

    pub(super) async fn get_endpoint(
        &self,
        account: Uuid,
        id: &str,
    ) -> Result<proto::Endpoint, Fault> {
        let endpoint = self.endpoint(account, "id", id).await?;
        self.with_backlog(endpoint).await
    }

    /// Refuses another endpoint if the account has as many as its plan allows. Locks the account until the end of the transaction.
    async fn check_quota(
        &self,
        connection: &mut PgConnection,
        account: Uuid,
        plan: &Plan,
    ) -> Result<(), Fault> {
        let count = endpoints::count_locked(&mut *connection, account).await?;
        let Some(most) = plan.endpoints.filter(|most| count >= *most) else {
            return Ok(());
        };
        let allows = format!("The account's plan allows {}", quantity(most));
        let message = match plans::cheapest_with_more_endpoints(connection, count).await? {
            Some(plan) => {
                let more = plan.endpoints.map(quantity);
                let more = more.unwrap_or_else(|| "any number".to_owned());
                let name = &plan.name;
                format!("{allows}. Remove one, or change to the plan {name}, which allows {more}.")
            }
            None => format!("{allows}, and no plan allows more. Remove one."),
        };
        Err(Fault::new(Code::PlanRequired, message))
    }

    /// The account's plan. Waits for an account that the gateway has just created.
    pub(super) async fn plan(&self, account: Uuid) -> Result<Plan, Fault> {
        let plan = arrival(|| plans::of_account(&self.pool, account)).await?;
        // The caller's account exists: the follower of the gateway is behind.
        plan.ok_or_else(|| Fault::unavailable("the follower of accounts"))
    }

    /// Finds an endpoint of the account.
    pub(super) async fn endpoint(
        &self,
        account: Uuid,
        field: &str,
        id: &str,
    ) -> Result<Endpoint, Fault> {
        let id = parse_id(field, id)?;
        let found = endpoints::find(&self.pool, id, Some(account)).await?;
        found.ok_or_else(not_found)
    }

    /// Changes an endpoint, and makes its worker load it again.
    async fn modify(
        &self,
        account: Uuid,
        id: &str,
        change: impl FnOnce(&mut Endpoint) -> Result<(), Fault>,
    ) -> Result<proto::Endpoint, Fault> {
        let (id, now) = (parse_id("id", id)?, self.clock.now());
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let found = endpoints::lock(&mut transaction, id, Some(account)).await?;
        let mut endpoint = found.ok_or_else(not_found)?;
        change(&mut endpoint)?;
        endpoints::update(&mut transaction, &endpoint, now).await?;
        transaction.commit().await?;
        self.wakeup.wake();
        self.with_backlog(endpoint).await
    }

    /// An endpoint as responses have it, with its backlog.
    async fn with_backlog(&self, endpoint: Endpoint) -> Result<proto::Endpoint, Fault> {
        let backlog = waiting::backlog(&self.pool, endpoint.id).await?;
        Ok(convert::endpoint(endpoint, backlog, self.clock.now()))
    }

    fn address(&self, text: &str) -> Result<Address, Fault> {
        let address = self.sender.parse_address(text);
        address.map_err(|problem| Fault::invalid_field("url", problem))
    }

    /// Requests an address that is entered. Returns the outcome in words; refuses a redirect. The requests of an account are limited, since
    /// it names the host.
    async fn check_address(&self, account: Uuid, address: &Address) -> Result<String, Fault> {
        let now = self.clock.now();
        let (most, interval) = (MAX_ADDRESS_CHECKS, ADDRESS_CHECK_INTERVAL);
        if let Some(end) =
            accounts::count_address_check(&self.pool, account, most, interval, now).await?
        {
            return Err(too_many_address_checks(end - now));
        }
        let checked = self.sender.check_address(address).await;
        checked.map_err(|answer| {
            let problem = format!("The address {answer}. Give the address that it leads to.");
            Fault::invalid_field("url", problem)
        })
    }
}

fn too_many_address_checks(wait: Duration) -> Fault {
    let message = format!(
        "The account has entered {MAX_ADDRESS_CHECKS} addresses within an hour, and each is sent a request. Try again after the seconds in \
         Retry-After."
    );
    Fault {
        retry_after: u32::try_from(wait.whole_seconds() + 1).ok(),
        ..Fault::new(Code::RateLimited, message)
    }
}

/// The number of endpoints, for messages.
fn quantity(count: i64) -> String {
    match count {
        1 => "1 endpoint".to_owned(),
        count => format!("{count} endpoints"),
    }
}

fn events(names: &[String]) -> Result<Vec<String>, Fault> {
    let events = Event::parse_selection(names);
    let events = events.map_err(|problem| Fault::invalid_field("events", problem))?;
    let name = |event: Event| event.as_str().to_owned();
    Ok(events.into_iter().map(name).collect())
}

fn not_found() -> Fault {
    Fault::not_found("There is no endpoint with this id.")
}
