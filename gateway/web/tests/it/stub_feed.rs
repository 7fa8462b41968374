//! One stub for the feeds of all services, whose entity types differ. A test publishes its changes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_server::FeedService;
use kit::Fault;
use prost::Message;
use prost_types::Timestamp;
use tonic::{Request, Response, Status};

use crate::stub_catalogue::Answer;

/// The number of changes in a response, fewer than the services send.
const PAGE: usize = 2;

#[derive(Debug, Clone, Default)]
pub(crate) struct StubFeed {
    pub(crate) changes: Arc<Mutex<Vec<proto::Change>>>,
    /// How often changes were listed.
    pub(crate) lists: Arc<AtomicUsize>,
    /// The entity types whose services are down.
    pub(crate) unavailable: Arc<Mutex<Vec<&'static str>>>,
}

impl StubFeed {
    /// Adds a change.
    pub(crate) fn publish(&self, entity: &str, event: &str, state: &impl Message) {
        let mut changes = self.changes.lock().unwrap();
        let seq = i64::try_from(changes.len()).unwrap() + 1;
        changes.push(proto::Change {
            seq,
            at: Some(at(seq)),
            entity: entity.to_owned(),
            event: event.to_owned(),
            state: state.encode_to_vec().into(),
            ..proto::Change::default()
        });
    }
}

/// The time of a change: one change a second.
fn at(seq: i64) -> Timestamp {
    Timestamp { seconds: seq, nanos: 0 }
}

#[tonic::async_trait]
impl FeedService for StubFeed {
    type FollowStream = futures::stream::Empty<Result<proto::FollowResponse, Status>>;

    async fn follow(&self, _: Request<proto::FollowRequest>) -> Answer<Self::FollowStream> {
        Err(Status::unimplemented("web follows no feed"))
    }

    async fn list_changes(
        &self,
        request: Request<proto::ListChangesRequest>,
    ) -> Answer<proto::ListChangesResponse> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        let request = request.into_inner();
        if self.unavailable.lock().unwrap().contains(&request.entity.as_str()) {
            return Err(Fault::unavailable("the service of the test").into());
        }
        let all = self.changes.lock().unwrap();
        let head = all.last().map_or(0, |last| last.seq);
        let after = request.after.map_or(head, |after| after.seconds);
        let next = all
            .iter()
            .filter(|change| change.seq > after)
            .filter(|change| change.entity == request.entity);
        let changes: Vec<proto::Change> = next.take(PAGE).cloned().collect();
        let last = changes.last().filter(|_| changes.len() == PAGE);
        let until = at(last.map_or(head, |last| last.seq));
        Ok(Response::new(proto::ListChangesResponse { changes, until: Some(until) }))
    }
}
