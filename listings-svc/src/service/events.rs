//! Events that accounts submit and change (`listings/v1/writing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::events_service_server::EventsService;
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::entity::Entity;
use crate::write::submission::Target;

#[tonic::async_trait]
impl EventsService for Service {
    async fn create_event(
        &self,
        request: Request<proto::CreateEventRequest>,
    ) -> Result<Response<proto::CreateEventResponse>, Status> {
        let writing = request.into_inner().writing;
        let written = self
            .submit(Target::New(Entity::Event), writing, None)
            .await?;
        Ok(Response::new(proto::CreateEventResponse { written }))
    }

    async fn update_event(
        &self,
        request: Request<proto::UpdateEventRequest>,
    ) -> Result<Response<proto::UpdateEventResponse>, Status> {
        let proto::UpdateEventRequest {
            slug,
            writing,
            precondition,
        } = request.into_inner();
        let target = Target::Change(Entity::Event, slug);
        let written = self.submit(target, writing, precondition).await?;
        Ok(Response::new(proto::UpdateEventResponse { written }))
    }
}
