//! The feed of listings-svc, at a position that the test sets.

use std::sync::{Arc, Mutex};

use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_server::FeedService;
use kit::Fault;
use kit::feed::Position;
use tonic::{Request, Response, Status};

use crate::stub_catalogue::Answer;

#[derive(Debug, Clone, Default)]
pub(crate) struct StubFeed {
    /// The newest position; without one, the service is away.
    pub(crate) position: Arc<Mutex<Option<Position>>>,
}

#[tonic::async_trait]
impl FeedService for StubFeed {
    type FollowStream = futures::stream::Empty<Result<proto::FollowResponse, Status>>;

    async fn follow(&self, _: Request<proto::FollowRequest>) -> Answer<Self::FollowStream> {
        Err(Status::unimplemented("web follows no feed"))
    }

    async fn get_newest_change(
        &self,
        _: Request<proto::GetNewestChangeRequest>,
    ) -> Answer<proto::GetNewestChangeResponse> {
        Err(Status::unimplemented("web follows no feed"))
    }

    async fn acknowledge(
        &self,
        _: Request<proto::AcknowledgeRequest>,
    ) -> Answer<proto::AcknowledgeResponse> {
        Err(Status::unimplemented("web follows no feed"))
    }

    async fn get_position(
        &self,
        _: Request<proto::GetPositionRequest>,
    ) -> Answer<proto::GetPositionResponse> {
        let position = *self.position.lock().unwrap();
        let position = position.ok_or_else(|| Fault::unavailable("the feed of the test"))?;
        Ok(Response::new(proto::GetPositionResponse {
            position: Some(position.into()),
        }))
    }
}
