//! Operations on deliveries.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_server::DeliveriesService;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use kit::api::timestamp;
use kit::rpc::respond;
use kit::{Code, Fault, ids};
use strum::VariantNames as _;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::endpoints::check_known;
use super::{Service, account_id, convert};
use crate::domain::event::Event;
use crate::domain::message::Message;
use crate::domain::samples;
use crate::store::deliveries::{self, DeliveryState, Filter, Resend};
use crate::store::endpoints::EndpointState;
use crate::store::{failed, messages, plans, waiting};

/// Test deliveries of an endpoint that may wait. Those of a paused endpoint wait for a month.
const MAX_WAITING_TESTS: i64 = 100;
const TESTS_RETRY_AFTER_SECONDS: u32 = 60;

#[tonic::async_trait]
impl DeliveriesService for Service {
    async fn list_deliveries(
        &self,
        request: Request<proto::ListDeliveriesRequest>,
    ) -> Result<Response<proto::ListDeliveriesResponse>, Status> {
        respond(Self::list_deliveries(self, request.into_inner()).await)
    }

    async fn get_delivery(
        &self,
        request: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        respond(Self::get_delivery(self, request.into_inner()).await)
    }

    async fn send_again(
        &self,
        request: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        respond(Self::send_again(self, request.into_inner()).await)
    }

    async fn recover(
        &self,
        request: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        respond(Self::recover(self, request.into_inner()).await)
    }

    async fn send_test_event(
        &self,
        request: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        respond(Self::send_test_event(self, request.into_inner()).await)
    }
}

impl Service {
    async fn list_deliveries(
        &self,
        request: proto::ListDeliveriesRequest,
    ) -> Result<proto::ListDeliveriesResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let endpoint = self.endpoint(account, "endpoint_id", &request.endpoint_id).await?;
        let mut filter = Filter {
            state: match request.state() {
                proto::DeliveryState::Unspecified => None,
                proto::DeliveryState::Waiting => Some(DeliveryState::Waiting),
                proto::DeliveryState::Delivered => Some(DeliveryState::Delivered),
                proto::DeliveryState::Failed => Some(DeliveryState::Failed),
                proto::DeliveryState::Cancelled => Some(DeliveryState::Cancelled),
            },
            before: None,
        };
        let endpoint_id = endpoint.id.to_string();
        let state = filter.state.map(DeliveryState::as_str);
        let binding = Binding::new("deliveries", [Some(endpoint_id.as_str()), state]);
        let mut bad = BadFields::default();
        let page: Page<i64> =
            bad.read_page(Limits::PUBLIC, binding, request.limit, &request.cursor);
        bad.check()?;
        filter.before = page.after;
        let mut found =
            deliveries::list(&self.pool, endpoint.id, filter, page.rows_to_fetch()).await?;
        let next_cursor = page.cut(&mut found, |last| last.id)?;
        Ok(proto::ListDeliveriesResponse {
            deliveries: found.into_iter().map(convert::delivery).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        })
    }

    async fn get_delivery(
        &self,
        request: proto::GetDeliveryRequest,
    ) -> Result<proto::GetDeliveryResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let endpoint = self.endpoint(account, "endpoint_id", &request.endpoint_id).await?;
        let found = deliveries::details(&self.pool, endpoint.id, request.id).await?;
        let details = found.ok_or_else(not_found)?;
        let attempts = details.attempts.into_iter().map(convert::attempt);
        Ok(proto::GetDeliveryResponse {
            delivery: Some(convert::delivery(details.delivery)),
            attempts: attempts.collect(),
            body: details.body.into(),
        })
    }

    async fn send_again(
        &self,
        request: proto::SendAgainRequest,
    ) -> Result<proto::SendAgainResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let endpoint = self.endpoint(account, "endpoint_id", &request.endpoint_id).await?;
        let found =
            deliveries::find(&self.pool, endpoint.id, request.id).await?.ok_or_else(not_found)?;
        if !found.is_test {
            self.require_real_events(account).await?;
        }
        check_enabled(endpoint.state)?;
        let resend = Resend {
            endpoint: endpoint.id,
            delivery: request.id,
            was_waiting: found.state == DeliveryState::Waiting,
            most_attempts: request.read_tries.and_then(|tries| i32::try_from(tries).ok()),
        };
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let now = kit::pg::now(&mut *transaction, &self.clock).await?;
        let is_due = deliveries::send_again(&mut transaction, resend, now).await?;
        transaction.commit().await?;
        self.wakeup.wake();
        // Without `read_tries`, an attempt that has succeeded meanwhile is what the caller wants.
        let unchanged = !is_due && request.read_tries.is_some();
        Ok(proto::SendAgainResponse { unchanged })
    }

    async fn recover(
        &self,
        request: proto::RecoverRequest,
    ) -> Result<proto::RecoverResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let endpoint = self.endpoint(account, "endpoint_id", &request.endpoint_id).await?;
        let mut bad = BadFields::default();
        let since = bad.past_time("since", request.since, self.clock.now());
        bad.check()?;
        let missing = || Fault::invalid_field("since", "Give a time.");
        let since = since
            .or_else(|| request.dry_run.then_some(OffsetDateTime::UNIX_EPOCH))
            .ok_or_else(missing)?;
        if !request.dry_run {
            self.require_real_events(account).await?;
            check_enabled(endpoint.state)?;
        }
        let id = endpoint.id;
        let failed = if request.dry_run {
            failed::count(&self.pool, id, since).await?
        } else {
            let mut transaction = kit::pg::begin_with(&self.pool, failed::BEGIN_RECOVER).await?;
            let now = kit::pg::now(&mut *transaction, &self.clock).await?;
            let attempts = self.schedule.attempts();
            let failed = failed::recover(&mut transaction, id, since, attempts, now).await?;
            transaction.commit().await?;
            self.wakeup.wake();
            failed
        };
        Ok(proto::RecoverResponse {
            deliveries: failed.deliveries.unsigned_abs(),
            oldest: failed.oldest.map(timestamp::encode),
        })
    }

    async fn send_test_event(
        &self,
        request: proto::SendTestEventRequest,
    ) -> Result<proto::SendTestEventResponse, Fault> {
        let account = account_id(&request.account_id)?;
        let endpoint = self.endpoint(account, "endpoint_id", &request.endpoint_id).await?;
        let mut bad = BadFields::default();
        let form = (!request.form_id.is_empty()).then(|| bad.id("form_id", &request.form_id));
        bad.check()?;
        // A form has one message at an endpoint, however often it is sent.
        let id = form.map_or_else(ids::row_id, |form| Uuid::new_v5(&endpoint.id, form.as_bytes()));
        if form.is_some()
            && let Some(delivery) = self.delivery_of_message(endpoint.id, id).await?
        {
            return Ok(proto::SendTestEventResponse { delivery: Some(delivery) });
        }
        check_enabled(endpoint.state)?;
        let tests = waiting::count_tests(&self.pool, endpoint.id, MAX_WAITING_TESTS).await?;
        if tests >= MAX_WAITING_TESTS {
            return Err(too_many_tests());
        }
        let event = match request.event.as_str() {
            "" => Event::Ping,
            name => event(name)?,
        };
        let site = &self.public_url;
        let sample = samples::find(site, event, &request.kind).ok_or_else(|| {
            let kinds: Vec<&str> = samples::all(site)
                .into_iter()
                .filter(|sample| sample.event == event)
                .map(|sample| sample.kind)
                .collect();
            let known = kinds.join(", ");
            Fault::invalid_field("kind", format!("Kinds of {}: {known}.", event.as_str()))
        })?;
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let now = kit::pg::now(&mut *transaction, &self.clock).await?;
        let message = Message::new(id, event, None, now, &sample.data)
            .map_err(|error| Fault::internal(&error))?;
        let attempts = self.schedule.attempts();
        let sent =
            messages::send_to(&mut transaction, &message, endpoint.id, attempts, now).await?;
        let delivery = match sent {
            Some(delivery) => delivery,
            None => deliveries::find_by_message(&mut *transaction, endpoint.id, id)
                .await?
                .ok_or_else(not_found)?,
        };
        let delivery = deliveries::find(&mut *transaction, endpoint.id, delivery).await?;
        transaction.commit().await?;
        self.wakeup.wake();
        Ok(proto::SendTestEventResponse {
            delivery: Some(convert::delivery(delivery.ok_or_else(not_found)?)),
        })
    }
}

impl Service {
    /// The delivery of a message to an endpoint, if it has one.
    async fn delivery_of_message(
        &self,
        endpoint: Uuid,
        message: Uuid,
    ) -> Result<Option<proto::Delivery>, Fault> {
        let Some(id) = deliveries::find_by_message(&self.pool, endpoint, message).await? else {
            return Ok(None);
        };
        let found = deliveries::find(&self.pool, endpoint, id).await?;
        Ok(found.map(convert::delivery))
    }

    /// Refuses to send real events again when the account's plan no longer has any.
    async fn require_real_events(&self, account: Uuid) -> Result<(), Fault> {
        if self.plan(account).await?.events {
            return Ok(());
        }
        let plan = plans::cheapest_with_events(&self.pool)
            .await?
            .map_or_else(|| "another plan".to_owned(), |plan| format!("the plan {}", plan.title));
        let message = format!(
            "The account's plan has only test events. Change to {plan} to send real events again."
        );
        Err(Fault::new(Code::PlanRequired, message))
    }
}

fn too_many_tests() -> Fault {
    let message = format!(
        "{MAX_WAITING_TESTS} test events wait for this address. Wait until it has received some."
    );
    Fault::new(Code::RateLimited, message).with_retry_after(TESTS_RETRY_AFTER_SECONDS)
}

fn event(name: &str) -> Result<Event, Fault> {
    name.parse().map_err(|_unknown| {
        let known = Event::VARIANTS.join(", ");
        Fault::invalid_field("event", format!("It is one of {known}."))
    })
}

/// Rejects a disabled endpoint. Deliveries to a paused endpoint wait.
fn check_enabled(state: EndpointState) -> Result<(), Fault> {
    check_known(state)?;
    if state == EndpointState::Off {
        let reason = "The address is disabled: resume it first.";
        return Err(Fault::invalid_field("endpoint_id", reason));
    }
    Ok(())
}

fn not_found() -> Fault {
    Fault::not_found("This endpoint has no delivery with this id.")
}
