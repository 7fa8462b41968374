//! Games that accounts submit and change (`listings/v1/writing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::games_service_server::GamesService;
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::entity::Entity;
use crate::write::submission::Target;

#[tonic::async_trait]
impl GamesService for Service {
    async fn create_game(
        &self,
        request: Request<proto::CreateGameRequest>,
    ) -> Result<Response<proto::CreateGameResponse>, Status> {
        let writing = request.into_inner().writing;
        let written = self
            .submit(Target::New(Entity::Game), writing, None)
            .await?;
        Ok(Response::new(proto::CreateGameResponse { written }))
    }

    async fn update_game(
        &self,
        request: Request<proto::UpdateGameRequest>,
    ) -> Result<Response<proto::UpdateGameResponse>, Status> {
        let proto::UpdateGameRequest {
            slug,
            writing,
            precondition,
        } = request.into_inner();
        let target = Target::Change(Entity::Game, slug);
        let written = self.submit(target, writing, precondition).await?;
        Ok(Response::new(proto::UpdateGameResponse { written }))
    }
}
