//! The newest position of a feed from its producer itself, while Redis has none (§1).

use std::time::Duration;

use contracts::common::v1::GetPositionRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::Position;
use crate::rpc::client::{Client, Idempotent};

/// Asks a producer for its newest position. Joins concurrent calls: one call answers all reads that wait.
#[derive(Debug)]
pub struct ProducerPosition {
    client: FeedServiceClient<Client>,
    /// How long a read waits. After that it goes on without a position. After a timeout, reads do not wait for as long again; then one
    /// read at a time tries again.
    timeout: Duration,
    last: tokio::sync::Mutex<Option<LastReply>>,
    /// Set while the producer hangs: when the next read may call it.
    retry_at: Mutex<Option<Instant>>,
}

#[derive(Debug)]
struct LastReply {
    /// The reply covers all writes before this time.
    started: Instant,
    position: Option<Position>,
}

impl ProducerPosition {
    /// The producer at `channel`, whose position a read waits for until `timeout`.
    pub fn new(channel: Client, timeout: Duration) -> Self {
        Self {
            client: FeedServiceClient::new(channel),
            timeout,
            last: tokio::sync::Mutex::new(None),
            retry_at: Mutex::new(None),
        }
    }

    /// A position that covers all writes before this call; `None` if the producer is away or hangs.
    pub async fn get(&self) -> Option<Position> {
        let arrived = Instant::now();
        if !self.may_call(arrived) {
            return None;
        }
        let calling = async {
            let mut last = self.last.lock().await;
            // Another read may have made the call while this one waited for the lock.
            if let Some(reply) = last.as_ref().filter(|reply| reply.started > arrived) {
                return reply.position;
            }
            let started = Instant::now();
            let request = Idempotent::Unary.request(GetPositionRequest {}, self.timeout);
            let response = self.client.clone().get_position(request).await;
            let position = response
                .ok()
                .and_then(|response| response.into_inner().position);
            let position = position.and_then(|position| Position::try_from(&position).ok());
            *last = Some(LastReply { started, position });
            position
        };
        let position = timeout(self.timeout, calling).await.ok().flatten();
        let now = Instant::now();
        // A producer that fails at once causes no delay.
        let hangs = position.is_none() && now - arrived >= self.timeout;
        *self.retry_at.lock() = hangs.then(|| now + self.timeout);
        position
    }

    /// While the producer hangs, one read calls it and the others go on without a position.
    fn may_call(&self, now: Instant) -> bool {
        let mut retry_at = self.retry_at.lock();
        match *retry_at {
            Some(at) if now < at => false,
            Some(_) => {
                *retry_at = Some(now + self.timeout * 2);
                true
            }
            None => true,
        }
    }
}
