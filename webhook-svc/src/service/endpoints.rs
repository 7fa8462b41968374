//! Operations on endpoints.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::endpoints_service_server::EndpointsService;
use contracts::webhook::v1::staff_service_server::StaffService;
use kit::api::bad_fields::BadFields;
use kit::feed::arrival;
use kit::rpc::respond;
use kit::{Code, Fault, ids};
use sqlx::{PgConnection, Postgres, Transaction};
use time::{Duration, OffsetDateTime};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, account_id, convert, parse_id};
use crate::domain::address::Address;
use crate::domain::event::Event;
use crate::domain::signature::Secret;
use crate::http::AddressProblem;
use crate::key_ring::{open_secret, seal_secret};
use crate::store::accounts;
use crate::store::endpoints::{self, Endpoint, EndpointState, NewEndpoint};
use crate::store::plans::{self, Plan};
use crate::store::waiting;

/// Addresses that an account may enter in an interval.
const MAX_ADDRESS_CHECKS: i32 = 100;
const ADDRESS_CHECK_INTERVAL: Duration = Duration::HOUR;

/// How long the same form shows a secret again: a person may have clicked twice, or lost the answer.
const SHOWN_AGAIN: Duration = Duration::minutes(10);

#[tonic::async_trait]
impl EndpointsService for Service {
    async fn add_endpoint(
        &self,
        request: Request<proto::AddEndpointRequest>,
    ) -> Result<Response<proto::AddEndpointResponse>, Status> {
        respond(Self::add_endpoint(self, request.into_inner()).await)
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        respond(Self::change_endpoint(self, request.into_inner()).await)
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        respond(Self::pause_endpoint(self, request.into_inner()).await)
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        respond(Self::resume_endpoint(self, request.into_inner()).await)
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        respond(Self::rotate_secret(self, request.into_inner()).await)
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        respond(Self::switch_secret(self, request.into_inner()).await)
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        respond(Self::remove_endpoint(self, request.into_inner()).await)
    }

    async fn list_endpoints(
        &self,
        request: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        respond(Self::list_endpoints(self, request.into_inner()).await)
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        respond(Self::get_endpoint(self, request.into_inner()).await)
    }
}

#[tonic::async_trait]
impl StaffService for Service {
    async fn count_endpoints(
        &self,
        request: Request<proto::CountEndpointsRequest>,
    ) -> Result<Response<proto::CountEndpointsResponse>, Status> {
        respond(Self::count_endpoints(self, request.into_inner()).await)
    }
}

impl Service {
    async fn add_endpoint(
        &self,
        request: proto::AddEndpointRequest,
    ) -> Result<proto::AddEndpointResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let id = ids::row_id();
        let secret = Secret::generate();
        let mut bad = BadFields::default();
        let form = optional_id(&mut bad, "form_id", &request.form_id);
        let person = optional_id(&mut bad, "person_id", &request.person_id);
        let address = bad.take(self.address(&request.url));
        let events = bad.take(events(&request.events));
        let (address, events) = bad.finish(address.zip(events))?;
        let sealed = seal_secret(&self.key_ring, id, &secret);
        let sealed = sealed.map_err(|error| Fault::internal(&error))?;
        let plan = self.plan(account).await?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let (before, now) = self.check_new(&mut transaction, account, &plan, form).await?;
        // The account is not locked during the request.
        transaction.rollback().await?;
        if let Some(added) = before {
            return self.added_before(added, person, now);
        }
        let (address_status, address_problem) = self.check_address(account, &address).await?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let (before, now) = self.check_new(&mut transaction, account, &plan, form).await?;
        if let Some(added) = before {
            return self.added_before(added, person, now);
        }
        let new = NewEndpoint {
            id,
            account_id: account,
            url: address.as_str().to_owned(),
            address_status,
            address_problem,
            events,
            secret: sealed,
            seen_by: person,
            form_id: form,
            created_at: now,
        };
        let endpoint = endpoints::insert(&mut transaction, &new).await?;
        transaction.commit().await?;
        Ok(proto::AddEndpointResponse {
            endpoint: Some(convert::endpoint(endpoint, None, now)),
            secret: secret.reveal().to_owned(),
        })
    }

    /// The answer to a form that has added this endpoint before.
    fn added_before(
        &self,
        endpoint: Endpoint,
        person: Option<Uuid>,
        now: OffsetDateTime,
    ) -> Result<proto::AddEndpointResponse, Fault> {
        let is_shown = person.is_some()
            && person == endpoint.seen_by
            && endpoint.rotation_form_id.is_none()
            && now < endpoint.created_at + SHOWN_AGAIN;
        let secret = self.reveal(&endpoint, &endpoint.secret, is_shown)?;
        Ok(proto::AddEndpointResponse {
            endpoint: Some(convert::endpoint(endpoint, None, now)),
            secret,
        })
    }

    /// The text of a secret of an endpoint; empty unless it is shown.
    fn reveal(&self, endpoint: &Endpoint, sealed: &[u8], is_shown: bool) -> Result<String, Fault> {
        if !is_shown {
            return Ok(String::new());
        }
        let opened = open_secret(&self.key_ring, endpoint.id, sealed)
            .map_err(|error| Fault::internal(&error))?;
        Ok(opened.reveal().to_owned())
    }

    async fn change_endpoint(
        &self,
        request: proto::ChangeEndpointRequest,
    ) -> Result<proto::ChangeEndpointResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let current = self.endpoint(account, "id", &request.id).await?;
        let mut bad = BadFields::default();
        let address = bad.take(request.url.map(|url| self.address(&url)).transpose());
        let events = request.events.map(|list| events(&list.events));
        let events = bad.take(events.transpose());
        let (address, events) = bad.finish(address.zip(events))?;
        let check = match &address {
            // The present address keeps its outcome.
            Some(address) if address.as_str() != current.url => {
                Some(self.check_address(account, address).await?)
            }
            _ => None,
        };
        let (mut transaction, mut endpoint, now) = self.begin_change(account, &request.id).await?;
        let is_as_read = request.read_url.is_none_or(|url| url == endpoint.url)
            && request.read_events.is_none_or(|read| read.events == endpoint.events);
        if !is_as_read {
            let message = "The endpoint has changed since it was read. Read it again.";
            return Err(Fault::new(Code::PreconditionFailed, message));
        }
        if let Some(address) = address {
            if address.as_str() != endpoint.url {
                endpoint.forget_failures();
                // The mail about the failures of an address names it.
                (endpoint.failure_mailed_at, endpoint.failures_since_mail) = (None, 0);
                endpoints::set_health(&mut transaction, endpoint.id, endpoint.health()).await?;
            }
            address.as_str().clone_into(&mut endpoint.url);
        }
        if let Some(check) = check {
            (endpoint.address_status, endpoint.address_problem) = check;
        }
        if let Some(events) = events {
            endpoint.events = events;
        }
        endpoints::set_url_and_events(&mut transaction, &endpoint, now).await?;
        let endpoint = self.end_change(transaction, endpoint, now).await?;
        Ok(proto::ChangeEndpointResponse { endpoint: Some(endpoint) })
    }

    async fn pause_endpoint(
        &self,
        request: proto::PauseEndpointRequest,
    ) -> Result<proto::PauseEndpointResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let (mut transaction, mut endpoint, now) = self.begin_change(account, &request.id).await?;
        check_known(endpoint.state)?;
        let unchanged = endpoint.state == EndpointState::Paused;
        if endpoint.state == EndpointState::Off {
            let reason = "The address is disabled, so it cannot be paused; resume it first.";
            return Err(Fault::invalid_field("id", reason));
        }
        endpoint.state = EndpointState::Paused;
        endpoints::set_state(&mut transaction, &endpoint, now).await?;
        let endpoint = Some(self.end_change(transaction, endpoint, now).await?);
        Ok(proto::PauseEndpointResponse { endpoint, unchanged })
    }

    async fn resume_endpoint(
        &self,
        request: proto::ResumeEndpointRequest,
    ) -> Result<proto::ResumeEndpointResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let (mut transaction, mut endpoint, now) = self.begin_change(account, &request.id).await?;
        check_known(endpoint.state)?;
        let unchanged = endpoint.state == EndpointState::On;
        if endpoint.state == EndpointState::Off {
            endpoint.forget_failures();
            endpoints::set_health(&mut transaction, endpoint.id, endpoint.health()).await?;
            endpoint.reason.clear();
        }
        endpoint.state = EndpointState::On;
        endpoints::set_state(&mut transaction, &endpoint, now).await?;
        let endpoint = Some(self.end_change(transaction, endpoint, now).await?);
        Ok(proto::ResumeEndpointResponse { endpoint, unchanged })
    }

    async fn rotate_secret(
        &self,
        request: proto::RotateSecretRequest,
    ) -> Result<proto::RotateSecretResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let mut bad = BadFields::default();
        let form = optional_id(&mut bad, "form_id", &request.form_id);
        let person = optional_id(&mut bad, "person_id", &request.person_id);
        let field = "read_next_secret_id";
        let read_waiting = optional_id(&mut bad, field, &request.read_next_secret_id);
        bad.check()?;
        let (mut transaction, mut endpoint, now) = self.begin_change(account, &request.id).await?;
        if form.is_some() && form == endpoint.rotation_form_id {
            let shown_until =
                endpoint.next_secret_from.map(|from| from - self.rotation + SHOWN_AGAIN);
            let is_shown = person.is_some()
                && person == endpoint.next_seen_by
                && shown_until.is_some_and(|until| now < until);
            let sealed = endpoint.next_secret.as_deref().unwrap_or_default();
            let secret = self.reveal(&endpoint, sealed, is_shown)?;
            let endpoint = Some(convert::endpoint(endpoint, None, now));
            return Ok(proto::RotateSecretResponse { endpoint, secret });
        }
        let waiting = endpoint.waiting_secret(now);
        if waiting != read_waiting {
            let message = match waiting {
                Some(_) => {
                    "Another new secret was created after you opened the page. Nothing was created. If you create a secret now, that one ends."
                }
                None => "The new secret that waited is in use now. Nothing was created.",
            };
            return Err(Fault::new(Code::PreconditionFailed, message));
        }
        if endpoint.is_rotated(now) {
            endpoint.use_next_secret();
        }
        let new = Secret::generate();
        let sealed = seal_secret(&self.key_ring, endpoint.id, &new);
        endpoint.next_secret = Some(sealed.map_err(|error| Fault::internal(&error))?);
        endpoint.next_secret_id = Some(ids::row_id());
        endpoint.next_secret_from = Some(now + self.rotation);
        (endpoint.next_seen_by, endpoint.rotation_form_id) = (person, form);
        endpoints::set_secrets(&mut transaction, &endpoint, now).await?;
        let endpoint = Some(self.end_change(transaction, endpoint, now).await?);
        Ok(proto::RotateSecretResponse { endpoint, secret: new.reveal().to_owned() })
    }

    async fn switch_secret(
        &self,
        request: proto::SwitchSecretRequest,
    ) -> Result<proto::SwitchSecretResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let secret = parse_id("secret_id", &request.secret_id)?;
        let (mut transaction, mut endpoint, now) = self.begin_change(account, &request.id).await?;
        // If it is the current one already, the call is repeated.
        if endpoint.secret_id != secret {
            if endpoint.next_secret_id != Some(secret) {
                let message = "The new secret was replaced by another one after you opened the page. Nothing was switched.";
                return Err(Fault::new(Code::PreconditionFailed, message));
            }
            endpoint.use_next_secret();
            endpoints::set_secrets(&mut transaction, &endpoint, now).await?;
        }
        let endpoint = self.end_change(transaction, endpoint, now).await?;
        Ok(proto::SwitchSecretResponse { endpoint: Some(endpoint) })
    }

    async fn remove_endpoint(
        &self,
        request: proto::RemoveEndpointRequest,
    ) -> Result<proto::RemoveEndpointResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let id = parse_id("id", &request.id)?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let Some(found) = endpoints::lock(&mut transaction, id, Some(account)).await? else {
            return Ok(proto::RemoveEndpointResponse { url: None });
        };
        let now = kit::pg::now(&mut *transaction, &self.clock).await?;
        endpoints::remove(&mut transaction, id, now).await?;
        transaction.commit().await?;
        self.wakeup.wake();
        Ok(proto::RemoveEndpointResponse { url: Some(found.url) })
    }

    async fn list_endpoints(
        &self,
        request: proto::ListEndpointsRequest,
    ) -> Result<proto::ListEndpointsResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let plan = self.plan(account).await?;
        let found = endpoints::list(&self.pool, account).await?;
        Ok(proto::ListEndpointsResponse {
            endpoints: self.with_health(found).await?,
            most: plan.endpoints.and_then(|most| u32::try_from(most).ok()),
            real_events: plan.events,
        })
    }

    async fn get_endpoint(
        &self,
        request: proto::GetEndpointRequest,
    ) -> Result<proto::GetEndpointResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let endpoint = self.endpoint(account, "id", &request.id).await?;
        Ok(proto::GetEndpointResponse { endpoint: self.with_health(vec![endpoint]).await?.pop() })
    }

    /// Endpoints with their health. One statement counts the backlogs of all.
    async fn with_health(&self, endpoints: Vec<Endpoint>) -> Result<Vec<proto::Endpoint>, Fault> {
        let ids: Vec<Uuid> = endpoints.iter().map(|it| it.id).collect();
        let now = self.clock.now();
        let backlogs = waiting::backlogs(&self.pool, &ids).await?;
        let pairs = endpoints.into_iter().zip(backlogs);
        Ok(pairs
            .map(|(endpoint, backlog)| convert::endpoint(endpoint, Some(backlog), now))
            .collect())
    }

    async fn count_endpoints(
        &self,
        request: proto::CountEndpointsRequest,
    ) -> Result<proto::CountEndpointsResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let count = endpoints::count(&self.pool, account).await?;
        let endpoints = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(proto::CountEndpointsResponse { endpoints })
    }

    /// Refuses another endpoint if the account has as many as its plan allows. Returns the endpoint
    /// that this form has added before, and the time. Locks the account until the end of the
    /// transaction.
    async fn check_new(
        &self,
        connection: &mut PgConnection,
        account: Uuid,
        plan: &Plan,
        form: Option<Uuid>,
    ) -> Result<(Option<Endpoint>, OffsetDateTime), Fault> {
        let count = endpoints::count_locked(&mut *connection, account).await?;
        let now = kit::pg::now(&mut *connection, &self.clock).await?;
        if let Some(form) = form
            && let Some(added) = endpoints::find_by_form(&mut *connection, account, form).await?
        {
            return Ok((Some(added), now));
        }
        if plan.endpoints.is_some_and(|most| count >= most) {
            let message = "Your plan includes no more addresses. Remove one to add another, or change the plan.";
            return Err(Fault::new(Code::PlanRequired, message));
        }
        Ok((None, now))
    }

    /// The account's plan. Waits for an account that the gateway has just created.
    pub(super) async fn plan(&self, account: Uuid) -> Result<Plan, Fault> {
        let plan = arrival(|| plans::find(&self.pool, account)).await?;
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

    /// Begins a change of an endpoint, which it locks. Returns the endpoint, and the time of the
    /// change.
    async fn begin_change(
        &self,
        account: Uuid,
        id: &str,
    ) -> Result<(Transaction<'static, Postgres>, Endpoint, OffsetDateTime), Fault> {
        let id = parse_id("id", id)?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let found = endpoints::lock(&mut transaction, id, Some(account)).await?;
        let endpoint = found.ok_or_else(not_found)?;
        // Under the lock: a change that this one has waited for is earlier.
        let now = kit::pg::now(&mut *transaction, &self.clock).await?;
        Ok((transaction, endpoint, now))
    }

    /// Commits a change of an endpoint, and wakes its worker, which loads it again.
    async fn end_change(
        &self,
        transaction: Transaction<'static, Postgres>,
        endpoint: Endpoint,
        now: OffsetDateTime,
    ) -> Result<proto::Endpoint, Fault> {
        transaction.commit().await?;
        self.wakeup.wake();
        Ok(convert::endpoint(endpoint, None, now))
    }

    fn address(&self, text: &str) -> Result<Address, Fault> {
        let address = self.sender.parse_address(text);
        address.map_err(|problem| Fault::invalid_field("url", problem))
    }

    /// Requests an address that is entered, and refuses a redirect. Returns the status, or the reason why there is no response. The requests of
    /// an account are limited, since it names the host.
    async fn check_address(
        &self,
        account: Uuid,
        address: &Address,
    ) -> Result<(Option<i32>, String), Fault> {
        let now = kit::pg::now(&self.pool, &self.clock).await?;
        let (limit, interval) = (MAX_ADDRESS_CHECKS, ADDRESS_CHECK_INTERVAL);
        if let Some(end) =
            accounts::count_address_check(&self.pool, account, limit, interval, now).await?
        {
            return Err(too_many_address_checks(end - now));
        }
        match self.sender.check_address(address).await {
            Ok(status) => Ok((Some(status.as_u16().into()), String::new())),
            Err(AddressProblem::Unreached(reason)) => Ok((None, reason)),
            Err(AddressProblem::Redirects(answer)) => {
                let problem = format!("The address {answer}. Give the address that it leads to.");
                Err(Fault::invalid_field("url", problem))
            }
        }
    }
}

/// Rejects an endpoint in a state of a newer version, which this version would overwrite or misread.
pub(super) fn check_known(state: EndpointState) -> Result<(), Fault> {
    if state == EndpointState::Unknown {
        return Err(Fault::unavailable("the version that knows the state of an endpoint"));
    }
    Ok(())
}

fn too_many_address_checks(wait: Duration) -> Fault {
    let seconds = u32::try_from(wait.whole_seconds() + 1).ok();
    let minutes = seconds.unwrap_or_default().div_ceil(60);
    let message = format!(
        "The account has entered {MAX_ADDRESS_CHECKS} addresses within an hour, and each is sent a request. Try again in {minutes} min."
    );
    Fault { retry_after: seconds, ..Fault::new(Code::RateLimited, message) }
}

fn events(names: &[String]) -> Result<Vec<String>, Fault> {
    let events = Event::parse_selection(names);
    let events = events.map_err(|problem| Fault::invalid_field("events", problem))?;
    let name = |event: Event| event.as_str().to_owned();
    Ok(events.into_iter().map(name).collect())
}

/// An id that a request may leave out.
fn optional_id(bad: &mut BadFields, field: &'static str, id: &str) -> Option<Uuid> {
    (!id.is_empty()).then(|| bad.id(field, id))
}

fn not_found() -> Fault {
    Fault::not_found("There is no endpoint with this id.")
}
