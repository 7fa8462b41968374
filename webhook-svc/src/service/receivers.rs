//! Operations for owners who build a receiver.

use contracts::webhook::v1 as proto;
use kit::{Fault, ids};
use strum::VariantArray as _;

use super::Dependencies;
use crate::domain::event::Event;
use crate::domain::message::Message;
use crate::domain::samples::{self, Sample};

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
}
