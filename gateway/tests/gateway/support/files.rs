//! A stub of listings-svc with picture files and a feed position.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::common::v1 as common;
use contracts::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::{PictureService, PictureServiceServer};
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
    files: BTreeMap<String, Bytes>,
    /// Offset and length of every requested part.
    requests: Vec<(u64, u32)>,
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
            .add_service(PictureServiceServer::new(files.clone()))
            .add_service(FeedServiceServer::new(files.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        files
    }

    pub(crate) fn insert(&self, name: &str, bytes: impl Into<Bytes>) {
        let mut state = self.state.lock().unwrap();
        state.files.insert(name.to_owned(), bytes.into());
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

    /// Takes the recorded requests.
    pub(crate) fn take_requests(&self) -> Vec<(u64, u32)> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }

    /// The number of recorded requests.
    pub(crate) fn request_count(&self) -> usize {
        self.state.lock().unwrap().requests.len()
    }
}

#[tonic::async_trait]
impl PictureService for Files {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let request = request.into_inner();
        let file = {
            let mut state = self.state.lock().unwrap();
            state.requests.push((request.offset, request.most));
            state.files.get(&request.name).cloned()
        };
        self.until_released().await;
        let file = file.ok_or_else(|| Fault::not_found("there is none"))?;
        let begin = usize::try_from(request.offset).unwrap().min(file.len());
        let most = usize::try_from(request.most).unwrap();
        let end = begin.saturating_add(most).min(file.len());
        Ok(Response::new(proto::GetPictureResponse {
            content_type: "image/jpeg".to_owned(),
            size: u64::try_from(file.len()).unwrap(),
            part: file.slice(begin..end),
            ..proto::GetPictureResponse::default()
        }))
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

    async fn list_changes(
        &self,
        _: Request<common::ListChangesRequest>,
    ) -> Result<Response<common::ListChangesResponse>, Status> {
        Err(Status::unimplemented("nobody lists its changes"))
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
