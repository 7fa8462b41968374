//! webhook-svc: endpoints, deliveries and checks of receivers.

use std::time::Duration;

use contracts::webhook::v1 as proto;
use kit::Fault;
use kit::rpc::client::Client;
use kit::timestamp::encode;
use time::OffsetDateTime;
use uuid::Uuid;

use super::call::{Calls, incomplete};
use super::clients::{Deliveries, Endpoints, Receivers};

/// How long the check of a receiver may take: more than webhook-svc takes at most.
const CHECK_DEADLINE: Duration = Duration::from_secs(25);

/// The fields of an endpoint that its owner sets.
#[derive(Debug, Clone)]
pub struct EndpointChoices {
    pub url: String,
    pub events: Vec<String>,
    /// The most deliveries per second; `None`: no limit.
    pub rate_limit: Option<u32>,
}

#[derive(Debug, Clone)]
pub struct Webhooks(Calls);

impl Webhooks {
    pub fn new(client: Client, deadline: Duration) -> Self {
        Self(Calls { client, deadline })
    }

    /// The endpoints of an account, oldest first, and the limits of its plan.
    pub async fn endpoints(&self, account: Uuid) -> Result<proto::ListEndpointsResponse, Fault> {
        let request = proto::ListEndpointsRequest {
            account_id: account.to_string(),
        };
        self.0.read(Endpoints::list_endpoints, request).await
    }

    pub async fn endpoint(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = proto::GetEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        };
        let found = self.0.read(Endpoints::get_endpoint, request).await?;
        found.endpoint.ok_or_else(incomplete)
    }

    /// Adds an endpoint; returns it with its secret.
    pub async fn add(
        &self,
        account: Uuid,
        choices: EndpointChoices,
    ) -> Result<(proto::Endpoint, String), Fault> {
        let request = proto::AddEndpointRequest {
            account_id: account.to_string(),
            url: choices.url,
            events: choices.events,
            rate_limit: choices.rate_limit,
        };
        let added = self.0.write(Endpoints::add_endpoint, request).await?;
        Ok((added.endpoint.ok_or_else(incomplete)?, added.secret))
    }

    pub async fn change(
        &self,
        account: Uuid,
        id: Uuid,
        choices: EndpointChoices,
    ) -> Result<(), Fault> {
        let events = choices.events;
        let request = proto::ChangeEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
            url: Some(choices.url),
            events: Some(proto::EventList { events }),
            rate_limit: Some(choices.rate_limit.unwrap_or(0)),
        };
        self.0.read(Endpoints::change_endpoint, request).await?;
        Ok(())
    }

    pub async fn pause(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = proto::PauseEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        };
        let paused = self.0.read(Endpoints::pause_endpoint, request).await?;
        paused.endpoint.ok_or_else(incomplete)
    }

    pub async fn resume(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = proto::ResumeEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        };
        let resumed = self.0.read(Endpoints::resume_endpoint, request).await?;
        resumed.endpoint.ok_or_else(incomplete)
    }

    /// Makes a new secret; returns it with the endpoint.
    pub async fn rotate(
        &self,
        account: Uuid,
        id: Uuid,
    ) -> Result<(proto::Endpoint, String), Fault> {
        let request = proto::RotateSecretRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        };
        let rotated = self.0.write(Endpoints::rotate_secret, request).await?;
        Ok((rotated.endpoint.ok_or_else(incomplete)?, rotated.secret))
    }

    /// Signs with the new secret from now on.
    pub async fn switch(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = proto::SwitchSecretRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        };
        let switched = self.0.write(Endpoints::switch_secret, request).await?;
        switched.endpoint.ok_or_else(incomplete)
    }

    pub async fn remove(&self, account: Uuid, id: Uuid) -> Result<(), Fault> {
        let request = proto::RemoveEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        };
        self.0.write(Endpoints::remove_endpoint, request).await?;
        Ok(())
    }

    /// Removes every endpoint of an account. After a failure, a repeated call continues.
    pub async fn remove_all(&self, account: Uuid) -> Result<(), Fault> {
        for endpoint in self.endpoints(account).await?.endpoints {
            let id = endpoint.id.parse().map_err(|_not_an_id| incomplete())?;
            self.remove(account, id).await?;
        }
        Ok(())
    }

    /// Deliveries to an endpoint, newest first, and the cursor of the next page.
    pub async fn deliveries(
        &self,
        request: proto::ListDeliveriesRequest,
    ) -> Result<proto::ListDeliveriesResponse, Fault> {
        self.0.read(Deliveries::list_deliveries, request).await
    }

    /// The deliveries to an endpoint that have ended, by day.
    pub async fn delivery_days(
        &self,
        account: Uuid,
        endpoint: Uuid,
    ) -> Result<proto::CountDeliveriesResponse, Fault> {
        let request = proto::CountDeliveriesRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
        };
        self.0.read(Deliveries::count_deliveries, request).await
    }

    /// A delivery with its attempts and its body.
    pub async fn delivery(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> Result<proto::GetDeliveryResponse, Fault> {
        let request = proto::GetDeliveryRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            id,
        };
        self.0.read(Deliveries::get_delivery, request).await
    }

    /// Makes an attempt now.
    pub async fn send_again(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> Result<proto::Delivery, Fault> {
        let request = proto::SendAgainRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            id,
        };
        let sent = self.0.write(Deliveries::send_again, request).await?;
        sent.delivery.ok_or_else(incomplete)
    }

    /// Counts the deliveries that have failed since a time, or ever.
    pub async fn count_failed(
        &self,
        account: Uuid,
        endpoint: Uuid,
        since: Option<OffsetDateTime>,
    ) -> Result<proto::RecoverResponse, Fault> {
        let request = proto::RecoverRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            since: since.map(encode),
            dry_run: true,
        };
        self.0.read(Deliveries::recover, request).await
    }

    /// Sends the deliveries again that have failed since a time.
    pub async fn recover(
        &self,
        account: Uuid,
        endpoint: Uuid,
        since: OffsetDateTime,
    ) -> Result<(), Fault> {
        // A delivery that waits already is not counted again, so the call can be repeated.
        let request = proto::RecoverRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            since: Some(encode(since)),
            dry_run: false,
        };
        self.0.read(Deliveries::recover, request).await?;
        Ok(())
    }

    /// Sends a test event; `kind` may be empty.
    pub async fn send_test_event(
        &self,
        account: Uuid,
        endpoint: Uuid,
        event: &str,
        kind: &str,
    ) -> Result<proto::Delivery, Fault> {
        let request = proto::SendTestEventRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            event: event.to_owned(),
            kind: kind.to_owned(),
        };
        let sent = self.0.write(Deliveries::send_test_event, request).await?;
        sent.delivery.ok_or_else(incomplete)
    }

    /// All events, with samples.
    pub async fn event_types(&self) -> Result<Vec<proto::EventType>, Fault> {
        let request = proto::ListEventTypesRequest {};
        let listed = self.0.read(Receivers::list_event_types, request).await?;
        Ok(listed.event_types)
    }

    /// Checks a receiver against the rules of §6.
    pub async fn check_receiver(
        &self,
        account: Uuid,
        endpoint: Uuid,
    ) -> Result<Vec<proto::RuleFinding>, Fault> {
        let request = proto::CheckReceiverRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
        };
        let deadline = CHECK_DEADLINE.max(self.0.deadline);
        let method = Receivers::check_receiver;
        let checked = self.0.write_within(deadline, method, request).await?;
        Ok(checked.findings)
    }
}
