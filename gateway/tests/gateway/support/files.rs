//! A stub of listings-svc with a feed position.

use std::sync::{Arc, Mutex};

use contracts::common::v1 as common;
use contracts::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use kit::feed::Position;
use kit::{Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

use super::listings::Listings;

#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) address: String,
    state: Arc<Mutex<StubState>>,
    released: Arc<Notify>,
}

#[derive(Default)]
struct StubState {
    hangs: bool,
    position: Option<Position>,
    position_requests: u32,
}

impl Files {
    /// Serves `listings` at the same address.
    pub(crate) async fn start(lifecycle: &Lifecycle, listings: &Listings) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let files = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            state: Arc::default(),
            released: Arc::default(),
        };
        let server = Server::builder()
            .add_routes(listings.routes())
            .add_service(FeedServiceServer::new(files.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        files
    }

    /// Sets the feed position. Without one, requests for it fail.
    pub(crate) fn set_position(&self, position: Position) {
        self.state.lock().unwrap().position = Some(position);
    }

    pub(crate) fn position_requests(&self) -> u32 {
        self.state.lock().unwrap().position_requests
    }

    /// Whether calls hang, those that have begun as well.
    pub(crate) fn hang(&self, hangs: bool) {
        self.state.lock().unwrap().hangs = hangs;
        self.released.notify_waiters();
    }

    async fn until_released(&self) {
        loop {
            let released = self.released.notified();
            if !self.state.lock().unwrap().hangs {
                return;
            }
            released.await;
        }
    }
}

#[tonic::async_trait]
impl FeedService for Files {
    type FollowStream = tokio_stream::Empty<Result<common::FollowResponse, Status>>;

    async fn follow(
        &self,
        _: Request<common::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        Err(Status::unimplemented("nobody follows it"))
    }

    async fn get_newest_change(
        &self,
        _: Request<common::GetNewestChangeRequest>,
    ) -> Result<Response<common::GetNewestChangeResponse>, Status> {
        Err(Status::unimplemented("nobody follows it"))
    }

    async fn list_changes(
        &self,
        _: Request<common::ListChangesRequest>,
    ) -> Result<Response<common::ListChangesResponse>, Status> {
        Err(Status::unimplemented("nobody lists its changes"))
    }

    async fn acknowledge(
        &self,
        _: Request<common::AcknowledgeRequest>,
    ) -> Result<Response<common::AcknowledgeResponse>, Status> {
        Err(Status::unimplemented("nobody follows it"))
    }

    async fn get_position(
        &self,
        _: Request<common::GetPositionRequest>,
    ) -> Result<Response<common::GetPositionResponse>, Status> {
        self.state.lock().unwrap().position_requests += 1;
        self.until_released().await;
        let position = self.state.lock().unwrap().position;
        let position = position.ok_or_else(|| Fault::unavailable("the position"))?;
        Ok(Response::new(common::GetPositionResponse {
            position: Some(position.into()),
        }))
    }
}
