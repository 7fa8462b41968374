//! The loop of a follower: follows, applies, and reconnects after every failure.

mod arrival;
mod pg_consumer;
mod project;
mod projection;

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::{Message, Start};
use time::OffsetDateTime;
use tokio::time::Instant;
use uuid::Uuid;

use crate::admin::Condition;
use crate::api::timestamp;
use crate::feed::{Cursor, lag};
use crate::rpc::client::Client;

pub use arrival::arrival;
pub use pg_consumer::{PgConsumer, ProjectionContext, Subscription, project_changes};
pub use project::record_refused_change;
pub use projection::{Projection, sweep};

/// The tables of a service that follows a feed with a [`Projection`], for a schema named `kit`.
pub const TABLES: &str = include_str!("consumer.sql");

/// Applies the changes of a producer.
pub trait Consumer: Send {
    /// The minimum time between two batches, so that changes which arrive close together are applied in one batch.
    const PAUSE: Duration;

    /// The name of the producer in metrics.
    fn producer(&self) -> &'static str;

    /// The stored cursor; `None` when the consumer has applied nothing.
    fn cursor(&mut self) -> impl Future<Output = anyhow::Result<Option<Cursor>>> + Send;

    /// Called when a stream begins with the first change of the feed, because the consumer has applied nothing, or changes of another
    /// history.
    fn begin_rebuild(
        &mut self,
        rebuild: Rebuild,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;

    /// Applies changes and stores the new cursor, atomically.
    fn handle_batch(
        &mut self,
        epoch: Uuid,
        changes: Vec<proto::Change>,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// The producer sends all changes of its feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuild {
    /// The epoch of the stream.
    pub epoch: Uuid,
    /// The newest change when the stream began, with which the rebuild is complete.
    pub head: i64,
    /// The time of that change.
    pub head_at: OffsetDateTime,
}

/// Pause before a stream is resumed that failed or lasted less than this.
const RECONNECT_PAUSE: Duration = Duration::from_millis(200);

/// The largest message of a feed, which has at least one state.
const MAX_MESSAGE_SIZE: usize = 64 << 20;

/// The generated client of a feed.
fn feed_client(client: Client) -> FeedServiceClient<Client> {
    FeedServiceClient::new(client).max_decoding_message_size(MAX_MESSAGE_SIZE)
}

/// Follows the feed behind `client` until it is dropped.
///
/// Metrics and logs call it `follower`. `caught_up` is set once it has reached the head that a stream began with.
pub async fn consume<C: Consumer>(
    client: Client,
    follower: &str,
    mut consumer: C,
    caught_up: Option<Condition>,
) -> anyhow::Result<()> {
    let mut client = feed_client(client);
    let mut logged = String::new();
    let mut lag = lag::Follower::new(consumer.producer(), follower);
    loop {
        let began = Instant::now();
        let following = follow(&mut client, &mut consumer, caught_up.as_ref(), &mut lag);
        let reason = match following.await {
            // The producer shuts down, or begins a new epoch. Readers wait for this follower, so it reconnects at once.
            Ok(()) if began.elapsed() >= RECONNECT_PAUSE => {
                tracing::info!(follower, "the producer ended the stream; reconnecting");
                logged.clear();
                continue;
            }
            Ok(()) => "the stream ended".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        lag.set_disconnected();
        // The same failure is one warning, not one per attempt.
        if reason == logged {
            tracing::debug!(follower, reason, "still cannot follow the feed");
        } else {
            tracing::warn!(follower, reason, "cannot follow the feed; retrying");
            logged = reason;
        }
        tokio::time::sleep(RECONNECT_PAUSE).await;
    }
}

async fn follow<C: Consumer>(
    client: &mut FeedServiceClient<Client>,
    consumer: &mut C,
    caught_up: Option<&Condition>,
    lag: &mut lag::Follower,
) -> anyhow::Result<()> {
    let applied = consumer.cursor().await?;
    let request = follow_request(applied, C::PAUSE);
    let mut stream = client.follow(request).await?.into_inner();
    let Some(Message::Start(Start { epoch, head_seq, head_at, reset })) =
        stream.message().await?.and_then(|response| response.message)
    else {
        anyhow::bail!("the producer did not begin the stream with a start message");
    };
    let epoch: Uuid = epoch.parse().context("the producer sent an epoch that is not a UUID")?;
    let mut seq = applied.filter(|_| !reset).map_or(0, |cursor| cursor.position.seq);
    lag.set_connected(seq, head_seq);
    if reset {
        let head_at = head_at.and_then(timestamp::decode_exact);
        let rebuild = Rebuild {
            epoch,
            head: head_seq,
            head_at: head_at.context("the producer sent no time of its head")?,
        };
        lag.during(Box::pin(consumer.begin_rebuild(rebuild))).await?;
    }
    let report_caught_up = |seq| {
        if let Some(caught_up) = caught_up.filter(|_| seq >= head_seq) {
            caught_up.set(true);
        }
    };
    report_caught_up(seq);
    loop {
        let response = stream.message().await?;
        let Some(Message::Batch(batch)) = response.and_then(|response| response.message) else {
            return Ok(());
        };
        let last = last_without_gap(seq, head_seq, &batch.changes)?;
        if last == seq {
            continue;
        }
        lag.set_head(batch.head_seq.max(last));
        lag.during(Box::pin(consumer.handle_batch(epoch, batch.changes))).await?;
        seq = last;
        lag.set_applied(seq);
        report_caught_up(seq);
    }
}

/// The call that begins a stream after `applied`.
fn follow_request(
    applied: Option<Cursor>,
    pause: Duration,
) -> tonic::Request<proto::FollowRequest> {
    tonic::Request::new(proto::FollowRequest {
        epoch: applied.map_or_else(String::new, |it| it.position.epoch.to_string()),
        after_seq: applied.map_or(0, |it| it.position.seq),
        after_at: applied.map(|it| timestamp::encode(it.at)),
        pause_ms: u32::try_from(pause.as_millis()).unwrap_or(u32::MAX),
    })
}

/// The newest of `changes`, which follow `seq`. Compaction may have deleted changes up to `may_miss_until`, the head when the stream began.
///
/// # Errors
/// A change is missing or comes twice. The follower applies nothing of the batch, connects again and reads it again.
fn last_without_gap(
    mut seq: i64,
    may_miss_until: i64,
    changes: &[proto::Change],
) -> anyhow::Result<i64> {
    for change in changes {
        anyhow::ensure!(
            change.seq > seq && change.seq <= seq.max(may_miss_until) + 1,
            "the producer sent change {} after change {seq}",
            change.seq
        );
        seq = change.seq;
    }
    Ok(seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(seq: i64, may_miss_until: i64, seqs: &[i64]) -> Option<i64> {
        let change = |seq: &i64| proto::Change { seq: *seq, ..proto::Change::default() };
        let changes: Vec<proto::Change> = seqs.iter().map(change).collect();
        last_without_gap(seq, may_miss_until, &changes).ok()
    }

    #[test]
    fn a_gap_is_noticed_unless_compaction_may_have_made_it() {
        assert_eq!(last(3, 0, &[4, 5, 6]), Some(6));
        assert_eq!(last(3, 0, &[]), Some(3));
        for skips in [&[5][..], &[4, 6], &[3], &[4, 4], &[5, 4]] {
            assert_eq!(last(3, 0, skips), None, "{skips:?}");
        }
        assert_eq!(last(0, 7, &[2, 5, 8, 9]), Some(9));
        assert_eq!(last(0, 7, &[2, 5, 9]), None, "8 is missing");
    }
}
