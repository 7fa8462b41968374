//! The events, for owners who choose them.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::receivers_service_server::ReceiversService;
use strum::VariantArray as _;
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::event::Event;
use crate::domain::samples;

#[tonic::async_trait]
impl ReceiversService for Service {
    async fn list_event_types(
        &self,
        _: Request<proto::ListEventTypesRequest>,
    ) -> Result<Response<proto::ListEventTypesResponse>, Status> {
        let event_types = Event::VARIANTS.iter().map(|event| {
            let samples = samples::all(&self.public_url);
            let matching = samples.iter().filter(|sample| sample.event == *event);
            proto::EventType {
                name: event.as_str().to_owned(),
                description: event.description().to_owned(),
                is_selectable: Event::SELECTABLE.contains(event),
                kinds: matching.map(|sample| sample.kind.to_owned()).collect(),
            }
        });
        Ok(Response::new(proto::ListEventTypesResponse { event_types: event_types.collect() }))
    }
}
