//! A follower's loop: follow, apply, acknowledge, and come back after every loss.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::{Message, Start};
use tokio::time::Instant;
use uuid::Uuid;

use super::cursor::Cursor;
use super::{Position, lag};
use crate::admin::Condition;
use crate::rpc::client::Client;

/// What is done with a producer's changes.
pub trait Consumer: Send {
    /// What it leaves between the changes that it takes in, so that those that come together are taken in together.
    const PAUSE: Duration;

    /// The producer, as the metrics of its followers name it.
    fn producer(&self) -> &'static str;

    /// How far it has come; `None` when it starts from nothing.
    fn cursor(&mut self) -> impl Future<Output = anyhow::Result<Option<Cursor>>> + Send;

    /// A stream begins at the cursor, or at 0 of `epoch` when `reset`: then everything held from this producer is in doubt, is sent
    /// again, and is whole at `head`. Without `reset` the `epoch` may still be a new one, which has all that this follower applied in
    /// common with the one before: from here on the cursor is of `epoch`.
    fn start(
        &mut self,
        epoch: Uuid,
        head: i64,
        reset: bool,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;

    /// Takes changes in, and the new position with them, all or nothing.
    fn apply(
        &mut self,
        epoch: Uuid,
        changes: Vec<proto::Change>,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// Pause before a lost stream is resumed, or one that ended sooner than this.
const PAUSE: Duration = Duration::from_millis(200);
/// How often a registered follower says how far it has come.
const ACKNOWLEDGE: Duration = Duration::from_secs(1);
/// How often it does so when it has come no further, so that compaction does not forget it.
const IDLE: Duration = Duration::from_secs(10);

/// Follows the feed behind `client` for ever.
///
/// `follower` registers it, so that compaction waits for it; empty: unregistered.
/// `caught_up`, if anybody waits for it, is met when the follower has come as far as the head was when it
/// first connected.
pub async fn consume<C: Consumer>(
    client: Client,
    follower: &str,
    mut consumer: C,
    caught_up: Option<Condition>,
) -> anyhow::Result<()> {
    let mut client = FeedServiceClient::new(client).max_decoding_message_size(64 << 20);
    let mut told = String::new();
    loop {
        let began = Instant::now();
        let reason = match follow(&mut client, follower, &mut consumer, caught_up.as_ref()).await {
            // The producer shuts down, or its epoch is a new one: readers wait for this follower, so it asks at once how it goes on.
            Ok(()) if began.elapsed() >= PAUSE => {
                tracing::info!(follower, "the producer ended the stream");
                told.clear();
                continue;
            }
            Ok(()) => "the stream ended".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        // A producer that stays away is one event, not one in every pause.
        if reason == told {
            tracing::debug!(follower, reason, "still not following");
        } else {
            tracing::warn!(follower, reason, "following is interrupted");
            told = reason;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow<C: Consumer>(
    client: &mut FeedServiceClient<Client>,
    follower: &str,
    consumer: &mut C,
    caught_up: Option<&Condition>,
) -> anyhow::Result<()> {
    let cursor = consumer.cursor().await?;
    let (position, last_row) = (cursor.map(|c| c.position), cursor.and_then(|c| c.last_row));
    let lag = lag::Follower::new(consumer.producer(), follower);
    lag.applied(position);
    let request = proto::FollowRequest {
        follower: follower.to_owned(),
        epoch: position.map_or_else(String::new, |p| p.epoch.to_string()),
        after_seq: position.map_or(0, |p| p.seq),
        last_row: last_row.map_or_else(Bytes::new, |row| Bytes::copy_from_slice(row.as_bytes())),
        pause_ms: u32::try_from(C::PAUSE.as_millis()).unwrap_or(u32::MAX),
    };
    let mut stream = client.follow(request).await?.into_inner();
    let Some(Message::Start(Start {
        epoch,
        head_seq,
        reset,
    })) = stream
        .message()
        .await?
        .and_then(|response| response.message)
    else {
        anyhow::bail!("the stream does not begin with a start");
    };
    let epoch: Uuid = epoch.parse().context("the epoch is not one")?;
    consumer.start(epoch, head_seq, reset).await?;
    lag.head(head_seq);

    let mut seq = position.filter(|_| !reset).map_or(0, |p| p.seq);
    let mut acknowledged = (seq, Instant::now());
    let tell = |seq| {
        if let Some(caught_up) = caught_up.filter(|_| seq >= head_seq) {
            caught_up.set(true);
        }
    };
    tell(seq);
    loop {
        let due = acknowledged.1
            + if seq > acknowledged.0 {
                ACKNOWLEDGE
            } else {
                IDLE
            };
        let response = tokio::select! {
            response = stream.message() => response?,
            () = tokio::time::sleep_until(due), if !follower.is_empty() => {
                let request = proto::AcknowledgeRequest { follower: follower.to_owned(), epoch: epoch.to_string(), seq };
                client.acknowledge(request).await?;
                acknowledged = (seq, Instant::now());
                continue;
            }
        };
        let Some(Message::Batch(batch)) = response.and_then(|response| response.message) else {
            return Ok(());
        };
        let Some(last) = batch.changes.last() else {
            continue;
        };
        let last = last.seq;
        lag.head(batch.head_seq.max(last));
        consumer.apply(epoch, batch.changes).await?;
        seq = last;
        lag.applied(Some(Position { epoch, seq }));
        tell(seq);
    }
}
