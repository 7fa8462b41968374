//! Operations for owners who build a receiver.

use contracts::webhook::v1 as proto;
use kit::{Code, Fault, ids};
use strum::VariantArray as _;
use uuid::Uuid;

use super::scope::Scope;
use super::{Dependencies, convert};
use crate::domain::event::Event;
use crate::domain::message::Message;
use crate::domain::samples::{self, Sample};
use crate::domain::signature::Secret;
use crate::domain::signed_headers::Secrets;
use crate::key_ring::open_secret;
use crate::receiver_check::{self, CheckedReceiver};
use crate::store::accounts;

/// Seconds between two checks of an account.
const CHECK_INTERVAL: u32 = 10;

impl Dependencies {
    pub(super) fn list_event_types(&self) -> Result<proto::ListEventTypesResponse, Fault> {
        let event_types = Event::VARIANTS.iter().map(|event| {
            let samples = samples::all(&self.public_url).into_iter();
            let samples = samples.filter(|sample| sample.event == *event);
            let samples = samples.map(|sample| self.sample(&sample));
            Ok(proto::EventType {
                name: event.as_str().to_owned(),
                description: event.description().to_owned(),
                is_selectable: Event::SELECTABLE.contains(event),
                samples: samples.collect::<Result<_, Fault>>()?,
            })
        });
        Ok(proto::ListEventTypesResponse {
            event_types: event_types.collect::<Result<_, Fault>>()?,
        })
    }

    fn sample(&self, sample: &Sample) -> Result<proto::EventSample, Fault> {
        let (id, now) = (ids::row_id(), self.clock.now());
        let message = Message::new(id, sample.event, None, now, &sample.data);
        let message = message.map_err(|error| Fault::internal(&error))?;
        Ok(proto::EventSample {
            kind: sample.kind.to_owned(),
            body: message.body.into(),
        })
    }

    pub(super) async fn check_receiver(
        &self,
        scope: &Scope,
        request: &proto::CheckReceiverRequest,
    ) -> Result<proto::CheckReceiverResponse, Fault> {
        let (account, now) = (scope.require_account()?, self.clock.now());
        let endpoint = self
            .endpoint(scope, "endpoint_id", &request.endpoint_id)
            .await?;
        let address = self.sender.parse_address(&endpoint.url);
        let address = address.map_err(|problem| Fault::invalid_field("url", problem))?;
        let (current, next) = endpoint.secrets(now);
        let current = self.secret(endpoint.id, current)?;
        let next = next
            .map(|next| self.secret(endpoint.id, next))
            .transpose()?;
        let interval = time::Duration::seconds(CHECK_INTERVAL.into());
        if !accounts::begin_receiver_check(&self.pool, account, interval, now).await? {
            let message = "A check of this account has just begun, and each sends many messages. Wait ten seconds.";
            return Err(Fault::new(Code::TooSoon, message).with_retry_after(CHECK_INTERVAL));
        }
        let receiver = CheckedReceiver {
            endpoint: endpoint.id,
            address: &address,
            secrets: Secrets {
                current: &current,
                next: next.as_ref(),
            },
        };
        let (sender, limit) = (&self.sender, self.receiver_check_timeout);
        let findings = receiver_check::run(sender, &self.clock, &receiver, limit).await;
        Ok(proto::CheckReceiverResponse {
            findings: findings.into_iter().map(convert::finding).collect(),
        })
    }

    fn secret(&self, endpoint: Uuid, sealed: &[u8]) -> Result<Secret, Fault> {
        let opened = open_secret(&self.key_ring, endpoint, sealed);
        opened.map_err(|error| {
            tracing::error!(%endpoint, %error, "cannot read the signing secret of an endpoint");
            let reason =
                "We cannot read its signing secret any more: make a new secret, and switch to it.";
            Fault::invalid_field("endpoint_id", reason)
        })
    }
}
