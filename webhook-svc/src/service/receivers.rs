//! The events, for owners who choose them.

use contracts::webhook::v1 as proto;
use strum::VariantArray as _;

use super::Dependencies;
use crate::domain::event::Event;
use crate::domain::samples;

impl Dependencies {
    pub(super) fn list_event_types(&self) -> proto::ListEventTypesResponse {
        let event_types = Event::VARIANTS.iter().map(|event| {
            let samples = samples::all(&self.public_url).into_iter();
            let samples = samples.filter(|sample| sample.event == *event);
            proto::EventType {
                name: event.as_str().to_owned(),
                description: event.description().to_owned(),
                is_selectable: Event::SELECTABLE.contains(event),
                kinds: samples.map(|sample| sample.kind.to_owned()).collect(),
            }
        });
        proto::ListEventTypesResponse {
            event_types: event_types.collect(),
        }
    }
}
