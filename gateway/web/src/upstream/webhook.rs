//! webhook-svc: endpoints and deliveries.

use std::time::Duration;

use contracts::webhook::v1 as proto;
use kit::Fault;
use kit::api::timestamp::encode;
use kit::rpc::client::Client;
use time::OffsetDateTime;
use url::Url;
use uuid::Uuid;

use super::call::{Calls, incomplete, required, rpcs};

/// The fields of an endpoint that its owner sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointChoices {
    pub url: String,
    pub events: Vec<String>,
}

/// A form that was sent, and the person who sent it.
#[derive(Debug, Clone, Copy)]
pub struct SentForm {
    pub id: Uuid,
    pub person: Uuid,
}

/// A signing secret that a form has made.
#[derive(Debug, Clone)]
pub struct NewSecret {
    pub endpoint: proto::Endpoint,
    /// Empty if the form was sent too long ago, or another person has seen the secret.
    pub secret: String,
}

/// An endpoint that was paused or resumed.
#[derive(Debug, Clone)]
pub struct ChangedState {
    pub endpoint: proto::Endpoint,
    /// It was in that state already.
    pub unchanged: bool,
}

#[derive(Debug, Clone)]
pub struct Webhooks(Calls);

impl Webhooks {
    pub fn new(client: Client, deadline: Duration) -> Self {
        Self(Calls { client, deadline })
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
        self.0.idempotent(request).await
    }
}

rpcs! { Webhooks:
    /// The endpoints of an account, oldest first, and the limits of its plan.
    idempotent endpoints(account: Uuid) -> proto::ListEndpointsResponse =
        proto::ListEndpointsRequest { account_id: account };

    idempotent endpoint(account: Uuid, id: Uuid) -> proto::Endpoint =
        proto::GetEndpointRequest { account_id: account, id }
        => |found| required(found.endpoint)?;

    /// Adds an endpoint.
    idempotent add(account: Uuid, choices: EndpointChoices, form: SentForm) -> NewSecret =
        proto::AddEndpointRequest {
            account_id: account,
            url: choices.url,
            events: choices.events,
            form_id: form.id,
            person_id: form.person,
        }
        => |added| NewSecret {
            endpoint: required(added.endpoint)?,
            secret: added.secret,
        };

    /// Sends the fields that differ from `read`; fails if the endpoint has changed since.
    idempotent change(account: Uuid, id: Uuid, read: EndpointChoices, new: EndpointChoices) -> () =
        proto::ChangeEndpointRequest {
            account_id: account,
            id,
            url: (new.url != read.url).then_some(new.url),
            events: (new.events != read.events).then_some(proto::EventList { events: new.events }),
            read_url: read.url,
            read_events: proto::EventList { events: read.events },
        }
        => |_changed| ();

    idempotent pause(account: Uuid, id: Uuid) -> ChangedState =
        proto::PauseEndpointRequest { account_id: account, id }
        => |paused| ChangedState {
            endpoint: required(paused.endpoint)?,
            unchanged: paused.unchanged,
        };

    idempotent resume(account: Uuid, id: Uuid) -> ChangedState =
        proto::ResumeEndpointRequest { account_id: account, id }
        => |resumed| ChangedState {
            endpoint: required(resumed.endpoint)?,
            unchanged: resumed.unchanged,
        };

    /// Makes a new secret. The page has shown `waiting`, the id of the new secret that ends; empty:
    /// none waits.
    idempotent rotate(account: Uuid, id: Uuid, form: SentForm, waiting: &str) -> NewSecret =
        proto::RotateSecretRequest {
            account_id: account,
            id,
            form_id: form.id,
            person_id: form.person,
            read_next_secret_id: waiting,
        }
        => |rotated| NewSecret {
            endpoint: required(rotated.endpoint)?,
            secret: rotated.secret,
        };

    /// Signs with the new secret with this id from now on.
    idempotent switch(account: Uuid, id: Uuid, secret: &str) -> proto::Endpoint =
        proto::SwitchSecretRequest { account_id: account, id, secret_id: secret }
        => |switched| required(switched.endpoint)?;

    /// Removes an endpoint; returns its URL, unless it is gone.
    idempotent remove(account: Uuid, id: Uuid) -> Option<String> =
        proto::RemoveEndpointRequest { account_id: account, id }
        => |removed| removed.url;

    /// A delivery with its attempts and its body.
    idempotent delivery(account: Uuid, endpoint: Uuid, id: i64) -> proto::GetDeliveryResponse =
        proto::GetDeliveryRequest { account_id: account, endpoint_id: endpoint, id };

    /// Makes an attempt now. Returns false if more attempts have ended than the page has shown.
    idempotent send_again(account: Uuid, endpoint: Uuid, id: i64, shown: u32) -> bool =
        proto::SendAgainRequest {
            account_id: account,
            endpoint_id: endpoint,
            id,
            read_tries: shown,
        }
        => |sent| !sent.unchanged;

    /// Counts the deliveries that have failed since a time, or ever.
    idempotent count_failed(account: Uuid, endpoint: Uuid, since: Option<OffsetDateTime>) -> proto::RecoverResponse =
        proto::RecoverRequest {
            account_id: account,
            endpoint_id: endpoint,
            since: since.map(encode),
            dry_run: true,
        };

    /// Sends the deliveries again that have failed since a time. One that waits already is not counted again, so the call can be repeated.
    idempotent recover(account: Uuid, endpoint: Uuid, since: OffsetDateTime) -> () =
        proto::RecoverRequest {
            account_id: account,
            endpoint_id: endpoint,
            since: encode(since),
            dry_run: false,
        }
        => |_recovered| ();

    /// Sends a test event; `kind` may be empty. Returns its delivery.
    idempotent send_test_event(account: Uuid, endpoint: Uuid, event: &str, kind: &str, form: Uuid) -> proto::Delivery =
        proto::SendTestEventRequest {
            account_id: account,
            endpoint_id: endpoint,
            event,
            kind,
            form_id: form,
        }
        => |sent| required(sent.delivery)?;

    /// All events.
    idempotent event_types() -> Vec<proto::EventType> =
        proto::ListEventTypesRequest {}
        => |listed| listed.event_types;
}

/// Scheme and host of an address. Its path may be a secret, which no log keeps.
pub fn origin(url: &str) -> String {
    let parsed = Url::parse(url);
    parsed.map_or_else(|_odd| String::new(), |url| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_address_is_not_recorded() {
        assert_eq!(origin("https://hooks.example/secret?a=b"), "https://hooks.example");
        assert_eq!(origin("http://127.0.0.1:9500/x"), "http://127.0.0.1:9500");
        assert_eq!(origin("odd"), "");
    }
}
