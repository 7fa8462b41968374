//! webhook-svc: endpoints, deliveries and checks of receivers.

use std::time::Duration;

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use contracts::webhook::v1::receivers_service_client::ReceiversServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use kit::timestamp::encode;
use time::OffsetDateTime;
use tonic::Request;
use uuid::Uuid;

use super::call::{Calls, incomplete};

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

/// Which deliveries are listed; an empty filter matches everything.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    pub state: proto::DeliveryState,
    pub event: String,
    pub since: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
    pub limit: u32,
    pub cursor: String,
}

#[derive(Debug, Clone)]
pub struct Webhooks {
    calls: Calls,
}

impl Webhooks {
    pub fn new(client: Client, deadline: Duration) -> Self {
        let calls = Calls { client, deadline };
        Self { calls }
    }

    fn client(&self) -> EndpointsServiceClient<Client> {
        EndpointsServiceClient::new(self.calls.client.clone())
    }

    fn delivery_client(&self) -> DeliveriesServiceClient<Client> {
        DeliveriesServiceClient::new(self.calls.client.clone())
    }

    fn receiver_client(&self) -> ReceiversServiceClient<Client> {
        ReceiversServiceClient::new(self.calls.client.clone())
    }

    /// The endpoints of an account, oldest first, and the limits of its plan.
    pub async fn endpoints(&self, account: Uuid) -> Result<proto::ListEndpointsResponse, Fault> {
        let request = self.calls.read(proto::ListEndpointsRequest {
            account_id: account.to_string(),
        });
        let listed = self.client().list_endpoints(request).await?;
        Ok(listed.into_inner())
    }

    pub async fn endpoint(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = self.calls.read(proto::GetEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        });
        let found = self.client().get_endpoint(request).await?;
        found.into_inner().endpoint.ok_or_else(incomplete)
    }

    /// Adds an endpoint; returns it with its secret.
    pub async fn add(
        &self,
        account: Uuid,
        choices: EndpointChoices,
    ) -> Result<(proto::Endpoint, String), Fault> {
        let request = self.calls.write(proto::AddEndpointRequest {
            account_id: account.to_string(),
            url: choices.url,
            events: choices.events,
            rate_limit: choices.rate_limit,
        });
        let added = self.client().add_endpoint(request).await?;
        let added = added.into_inner();
        Ok((added.endpoint.ok_or_else(incomplete)?, added.secret))
    }

    pub async fn change(
        &self,
        account: Uuid,
        id: Uuid,
        choices: EndpointChoices,
    ) -> Result<(), Fault> {
        let events = choices.events;
        let request = self.calls.read(proto::ChangeEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
            url: Some(choices.url),
            events: Some(proto::EventList { events }),
            rate_limit: Some(choices.rate_limit.unwrap_or(0)),
        });
        self.client().change_endpoint(request).await?;
        Ok(())
    }

    pub async fn pause(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = self.calls.read(proto::PauseEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        });
        let paused = self.client().pause_endpoint(request).await?;
        paused.into_inner().endpoint.ok_or_else(incomplete)
    }

    pub async fn resume(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = self.calls.read(proto::ResumeEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        });
        let resumed = self.client().resume_endpoint(request).await?;
        resumed.into_inner().endpoint.ok_or_else(incomplete)
    }

    /// Makes a new secret; returns it with the endpoint.
    pub async fn rotate(
        &self,
        account: Uuid,
        id: Uuid,
    ) -> Result<(proto::Endpoint, String), Fault> {
        let request = self.calls.write(proto::RotateSecretRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        });
        let rotated = self.client().rotate_secret(request).await?;
        let rotated = rotated.into_inner();
        Ok((rotated.endpoint.ok_or_else(incomplete)?, rotated.secret))
    }

    /// Signs with the new secret from now on.
    pub async fn switch(&self, account: Uuid, id: Uuid) -> Result<proto::Endpoint, Fault> {
        let request = self.calls.write(proto::SwitchSecretRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        });
        let switched = self.client().switch_secret(request).await?;
        switched.into_inner().endpoint.ok_or_else(incomplete)
    }

    pub async fn remove(&self, account: Uuid, id: Uuid) -> Result<(), Fault> {
        let request = self.calls.write(proto::RemoveEndpointRequest {
            account_id: account.to_string(),
            id: id.to_string(),
        });
        self.client().remove_endpoint(request).await?;
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
        account: Uuid,
        endpoint: Uuid,
        filter: DeliveryFilter,
    ) -> Result<proto::ListDeliveriesResponse, Fault> {
        let request = self.calls.read(proto::ListDeliveriesRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            state: filter.state.into(),
            event: filter.event,
            since: filter.since.map(encode),
            until: filter.until.map(encode),
            limit: filter.limit,
            cursor: filter.cursor,
        });
        let listed = self.delivery_client().list_deliveries(request).await?;
        Ok(listed.into_inner())
    }

    /// A delivery with its attempts and its body.
    pub async fn delivery(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> Result<proto::GetDeliveryResponse, Fault> {
        let request = self.calls.read(proto::GetDeliveryRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            id,
        });
        let found = self.delivery_client().get_delivery(request).await?;
        Ok(found.into_inner())
    }

    /// Makes an attempt now.
    pub async fn send_again(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> Result<proto::Delivery, Fault> {
        let request = self.calls.write(proto::SendAgainRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            id,
        });
        let sent = self.delivery_client().send_again(request).await?;
        sent.into_inner().delivery.ok_or_else(incomplete)
    }

    /// Counts the deliveries that were created since a time, or ever, and have failed.
    pub async fn count_failed(
        &self,
        account: Uuid,
        endpoint: Uuid,
        since: Option<OffsetDateTime>,
    ) -> Result<proto::RecoverResponse, Fault> {
        let request = self.calls.read(proto::RecoverRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            since: since.map(encode),
            dry_run: true,
        });
        let counted = self.delivery_client().recover(request).await?;
        Ok(counted.into_inner())
    }

    /// Sends the deliveries again that were created since a time and have failed.
    pub async fn recover(
        &self,
        account: Uuid,
        endpoint: Uuid,
        since: OffsetDateTime,
    ) -> Result<(), Fault> {
        // A delivery that waits already is not counted again, so the call can be repeated.
        let request = self.calls.read(proto::RecoverRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            since: Some(encode(since)),
            dry_run: false,
        });
        self.delivery_client().recover(request).await?;
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
        let request = self.calls.write(proto::SendTestEventRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            event: event.to_owned(),
            kind: kind.to_owned(),
        });
        let sent = self.delivery_client().send_test_event(request).await?;
        sent.into_inner().delivery.ok_or_else(incomplete)
    }

    /// All events, with samples.
    pub async fn event_types(&self) -> Result<Vec<proto::EventType>, Fault> {
        let request = self.calls.read(proto::ListEventTypesRequest {});
        let listed = self.receiver_client().list_event_types(request).await?;
        Ok(listed.into_inner().event_types)
    }

    /// Checks a receiver against the rules of §6.
    pub async fn check_receiver(
        &self,
        account: Uuid,
        endpoint: Uuid,
    ) -> Result<Vec<proto::RuleFinding>, Fault> {
        let mut request = Request::new(proto::CheckReceiverRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
        });
        request.set_timeout(CHECK_DEADLINE.max(self.calls.deadline));
        let checked = self.receiver_client().check_receiver(request).await?;
        Ok(checked.into_inner().findings)
    }
}
