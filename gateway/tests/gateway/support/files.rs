//! A stand-in for listings-svc that has files of pictures and says how far its feed has come.

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
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

use super::listings::Listings;

#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) address: String,
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    files: BTreeMap<String, Bytes>,
    /// Offset and length of every part that was asked for.
    asked: Vec<(u64, u32)>,
    hangs: bool,
    position: Option<Position>,
    /// How often it was asked for its position.
    positions: u32,
}

impl Files {
    /// Answers at one address with `listings`.
    pub(crate) async fn start(lifecycle: &Lifecycle, listings: &Listings) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let files = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            told: Arc::default(),
        };
        let server = Server::builder()
            .add_routes(listings.routes())
            .add_service(PictureServiceServer::new(files.clone()))
            .add_service(FeedServiceServer::new(files.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        files
    }

    pub(crate) fn hold(&self, name: &str, bytes: impl Into<Bytes>) {
        let mut told = self.told.lock().unwrap();
        told.files.insert(name.to_owned(), bytes.into());
    }

    /// How far its feed has come; it does not say before.
    pub(crate) fn stands_at(&self, position: Position) {
        self.told.lock().unwrap().position = Some(position);
    }

    /// How often it was asked for that.
    pub(crate) fn positions(&self) -> u32 {
        self.told.lock().unwrap().positions
    }

    pub(crate) fn hang(&self, hangs: bool) {
        self.told.lock().unwrap().hangs = hangs;
    }

    /// The parts that were asked for since this was last asked.
    pub(crate) fn asked(&self) -> Vec<(u64, u32)> {
        std::mem::take(&mut self.told.lock().unwrap().asked)
    }

    /// How many parts were asked for and not yet told of.
    pub(crate) fn waiting(&self) -> usize {
        self.told.lock().unwrap().asked.len()
    }
}

#[tonic::async_trait]
impl PictureService for Files {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let request = request.into_inner();
        let (file, hangs) = {
            let mut told = self.told.lock().unwrap();
            told.asked.push((request.offset, request.most));
            (told.files.get(&request.name).cloned(), told.hangs)
        };
        if hangs {
            std::future::pending::<()>().await;
        }
        let file = file.ok_or_else(|| Fault::not_found("there is none"))?;
        let begin = usize::try_from(request.offset).unwrap().min(file.len());
        let most = usize::try_from(request.most).unwrap();
        let end = begin.saturating_add(most).min(file.len());
        Ok(Response::new(proto::GetPictureResponse {
            content_type: "image/jpeg".to_owned(),
            size: u64::try_from(file.len()).unwrap(),
            part: file.slice(begin..end),
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
        let (position, hangs) = {
            let mut told = self.told.lock().unwrap();
            told.positions += 1;
            (told.position, told.hangs)
        };
        if hangs {
            std::future::pending::<()>().await;
        }
        let position = position.ok_or_else(|| Fault::unavailable("the position"))?;
        Ok(Response::new(common::GetPositionResponse {
            position: Some(position.into()),
        }))
    }
}
