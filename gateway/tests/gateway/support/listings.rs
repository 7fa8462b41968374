//! A stub of listings-svc that records writes and has a scripted outcome.

use std::sync::{Arc, Mutex};

use contracts::listings::v1 as proto;
use contracts::listings::v1::events_service_server::{EventsService, EventsServiceServer};
use contracts::listings::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::listings::v1::own_listings_service_server::{
    OwnListingsService, OwnListingsServiceServer,
};
use kit::{Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// How the stub responds to writes.
#[derive(Debug, Clone, Default)]
pub(crate) enum Outcome {
    /// Writes `kora`, at revision 7.
    #[default]
    Written,
    Refused(Fault),
    /// Writes, and loses the response.
    Lost,
    Hangs,
}

#[derive(Clone, Default)]
pub(crate) struct Listings(Arc<Mutex<StubState>>);

#[derive(Default)]
struct StubState {
    outcome: Outcome,
    preconditions: Vec<Option<Vec<i64>>>,
    writes: u32,
    last_write: proto::Writing,
}

impl Listings {
    /// Serves the stub, and returns its address.
    pub(super) async fn serve(&self, lifecycle: &Lifecycle) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = Server::builder()
            .add_service(GamesServiceServer::new(self.clone()))
            .add_service(EventsServiceServer::new(self.clone()))
            .add_service(OwnListingsServiceServer::new(self.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        address
    }

    pub(crate) fn set_outcome(&self, outcome: Outcome) {
        self.0.lock().unwrap().outcome = outcome;
    }

    pub(crate) fn writes(&self) -> u32 {
        self.0.lock().unwrap().writes
    }

    pub(crate) fn last_write(&self) -> proto::Writing {
        self.0.lock().unwrap().last_write.clone()
    }

    /// Takes the recorded preconditions of `PATCH` requests.
    pub(crate) fn preconditions(&self) -> Vec<Option<Vec<i64>>> {
        std::mem::take(&mut self.0.lock().unwrap().preconditions)
    }

    fn record(&self, precondition: Option<proto::Precondition>) {
        let revisions = precondition.map(|condition| condition.revisions);
        self.0.lock().unwrap().preconditions.push(revisions);
    }

    async fn write(
        &self,
        writing: Option<proto::Writing>,
    ) -> Result<Option<proto::Written>, Status> {
        let writing = writing.unwrap_or_default();
        let outcome = {
            let mut state = self.0.lock().unwrap();
            state.writes += 1;
            state.last_write.clone_from(&writing);
            state.outcome.clone()
        };
        match outcome {
            Outcome::Written if writing.dry_run => Ok(Some(proto::Written {
                state: proto::State::Pending.into(),
                ..proto::Written::default()
            })),
            Outcome::Written => Ok(Some(proto::Written {
                slug: Some("kora".to_owned()),
                state: proto::State::Pending.into(),
                url: "https://example.org/games/kora".to_owned(),
                replayed: false,
                revision: 7,
                note: String::new(),
            })),
            Outcome::Refused(fault) => Err(fault.into()),
            Outcome::Lost => Err(Status::new(tonic::Code::Unavailable, "connection reset")),
            Outcome::Hangs => std::future::pending().await,
        }
    }
}

#[tonic::async_trait]
impl GamesService for Listings {
    async fn create_game(
        &self,
        request: Request<proto::CreateGameRequest>,
    ) -> Result<Response<proto::CreateGameResponse>, Status> {
        let written = self.write(request.into_inner().writing).await?;
        Ok(Response::new(proto::CreateGameResponse { written }))
    }

    async fn update_game(
        &self,
        request: Request<proto::UpdateGameRequest>,
    ) -> Result<Response<proto::UpdateGameResponse>, Status> {
        let request = request.into_inner();
        self.record(request.precondition);
        let written = self.write(request.writing).await?;
        Ok(Response::new(proto::UpdateGameResponse { written }))
    }
}

#[tonic::async_trait]
impl EventsService for Listings {
    async fn create_event(
        &self,
        request: Request<proto::CreateEventRequest>,
    ) -> Result<Response<proto::CreateEventResponse>, Status> {
        let written = self.write(request.into_inner().writing).await?;
        Ok(Response::new(proto::CreateEventResponse { written }))
    }

    async fn update_event(
        &self,
        request: Request<proto::UpdateEventRequest>,
    ) -> Result<Response<proto::UpdateEventResponse>, Status> {
        let request = request.into_inner();
        self.record(request.precondition);
        let written = self.write(request.writing).await?;
        Ok(Response::new(proto::UpdateEventResponse { written }))
    }
}

#[tonic::async_trait]
impl OwnListingsService for Listings {
    async fn list_own_listings(
        &self,
        _: Request<proto::ListOwnListingsRequest>,
    ) -> Result<Response<proto::ListOwnListingsResponse>, Status> {
        Ok(Response::new(proto::ListOwnListingsResponse { json: "[]".into(), page: None }))
    }

    async fn withdraw_listing(
        &self,
        _: Request<proto::WithdrawListingRequest>,
    ) -> Result<Response<proto::WithdrawListingResponse>, Status> {
        Err(Status::unimplemented("The gateway does not call this."))
    }

    async fn take_down_listing(
        &self,
        _: Request<proto::TakeDownListingRequest>,
    ) -> Result<Response<proto::TakeDownListingResponse>, Status> {
        Err(Status::unimplemented("The gateway does not call this."))
    }

    async fn get_own_listing(
        &self,
        _: Request<proto::GetOwnListingRequest>,
    ) -> Result<Response<proto::GetOwnListingResponse>, Status> {
        Err(Status::unimplemented("The gateway does not call this."))
    }

    async fn list_field_values(
        &self,
        _: Request<proto::ListFieldValuesRequest>,
    ) -> Result<Response<proto::ListFieldValuesResponse>, Status> {
        Err(Status::unimplemented("The gateway does not call this."))
    }
}
