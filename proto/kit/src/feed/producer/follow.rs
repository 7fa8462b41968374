//! The gRPC service of a feed: streams rows to followers.

use std::pin::Pin;
use std::time::Duration;

use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_server::FeedService;
use contracts::common::v1::follow_response::Start;
use futures::{Stream, stream};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Producer;
use super::head::Head;
use super::list_changes::list_changes;
use super::rows::Rows;
use crate::api::bad_fields::BadFields;
use crate::api::fault::Fault;
use crate::api::page::Limits;
use crate::api::timestamp;
use crate::feed::{Cursor, Position};
use crate::pg;

/// The longest pause between batches that a follower may ask for.
const MAX_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Follow(pub(super) Producer);

#[tonic::async_trait]
impl FeedService for Follow {
    type FollowStream = Pin<Box<dyn Stream<Item = Result<proto::FollowResponse, Status>> + Send>>;

    async fn follow(
        &self,
        request: Request<proto::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let request = request.into_inner();
        let applied = applied(&request)?;
        // Subscribe first, then read: a commit between the two is not missed.
        let wakeups = self.0.subscribe();
        let (head, after) = pg::in_time(&self.0.pool, async |connection| {
            Head::resume(connection, self.0.schema, applied).await
        })
        .await
        .map_err(Fault::from)?;
        // Otherwise the mark still names the old epoch, and reads would wait in vain until the next write.
        self.0.publish_mark(head.position()).await;
        let start = Start {
            epoch: head.epoch.to_string(),
            head_seq: head.seq,
            head_at: Some(timestamp::encode(head.at)),
            reset: after.is_none(),
        };
        let rows = Rows {
            producer: self.0.clone(),
            wakeups,
            has_more: true,
            draining: self.0.lifecycle.draining(),
            after: after.unwrap_or_else(|| Cursor::start(head.epoch)),
            pause: Duration::from_millis(request.pause_ms.into()).min(MAX_PAUSE),
            must_pause: false,
            start: Some(start),
        };
        let messages = stream::try_unfold(rows, |mut rows| async move {
            Ok(rows.next().await?.map(|message| {
                let response = proto::FollowResponse { message: Some(message) };
                (response, rows)
            }))
        });
        Ok(Response::new(Box::pin(messages)))
    }

    async fn list_changes(
        &self,
        request: Request<proto::ListChangesRequest>,
    ) -> Result<Response<proto::ListChangesResponse>, Status> {
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let limit = Limits::LONG.read(request.limit, &mut bad);
        let after = request.after.and_then(|after| {
            let time = timestamp::decode_exact(after);
            bad.read("after", time.ok_or("Send `until` of the response before."))
        });
        bad.check()?;
        let listing = pg::in_time(&self.0.pool, async |connection| {
            list_changes(connection, self.0.schema, &request.entity, after, limit).await
        });
        let listed = listing.await.map_err(Fault::from)?;
        Ok(Response::new(proto::ListChangesResponse {
            changes: listed.changes,
            until: Some(timestamp::encode(listed.until)),
        }))
    }
}

/// The last change that the follower has applied; `None` before its first one.
fn applied(request: &proto::FollowRequest) -> Result<Option<Cursor>, Fault> {
    if request.epoch.is_empty() {
        return Ok(None);
    }
    let epoch = parse_epoch(&request.epoch)?;
    if request.after_seq == 0 {
        return Ok(Some(Cursor::start(epoch)));
    }
    let at = request.after_at.and_then(timestamp::decode_exact);
    let at = at.ok_or_else(|| {
        Fault::invalid_field("after_at", "Send the time of the change `after_seq`.")
    })?;
    Ok(Some(Cursor { position: Position { epoch, seq: request.after_seq }, at }))
}

fn parse_epoch(text: &str) -> Result<Uuid, Fault> {
    text.parse().ok().ok_or_else(|| {
        Fault::invalid_field("epoch", "It is not a UUID. Send the epoch of the start message.")
    })
}
