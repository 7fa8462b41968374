//! What catalogue-svc answers over gRPC.

mod ask;
mod games;
mod typed;

use std::sync::Arc;

use contracts::catalogue::v1::games_service_server::GamesServiceServer;

use crate::memory::Catalogue;

pub use games::Games;

/// The service of published games, answering from `catalogue`.
pub fn games(catalogue: Arc<Catalogue>) -> GamesServiceServer<Games> {
    GamesServiceServer::new(Games::new(catalogue))
}
