//! How far the listings have come, by listings-svc itself: asked when Redis does not tell (§1).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contracts::common::v1::GetPositionRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use kit::feed::Position;
use kit::rpc::client::{Client, Idempotent};
use tokio::time::{Instant, timeout};
use tonic::Request;

/// How long it is waited for. A read that knows nothing is better than none.
const PATIENCE: Duration = Duration::from_millis(250);
/// For how long nobody waits after that was not enough: one read after the other tries again.
const PAUSE: Duration = PATIENCE;

/// Asks once for all reads that wait.
pub(super) struct ListingsPosition {
    client: FeedServiceClient<Client>,
    last: tokio::sync::Mutex<Option<Asked>>,
    /// Since listings-svc hangs: when the next read may ask.
    again: Mutex<Option<Instant>>,
}

/// What came of the last question.
struct Asked {
    /// It tells of everything that was written before.
    begun: Instant,
    answer: Option<Position>,
}

impl ListingsPosition {
    pub(super) fn new(channel: Client) -> Self {
        Self {
            client: FeedServiceClient::new(channel),
            last: tokio::sync::Mutex::new(None),
            again: Mutex::new(None),
        }
    }

    /// A position that whatever was written before the call is within; `None` when listings-svc is away as well, or hangs.
    pub(super) async fn ask(&self) -> Option<Position> {
        let came = Instant::now();
        if !self.may_ask(came) {
            return None;
        }
        let asking = async {
            let mut last = self.last.lock().await;
            // While this read waited, another may have asked for it.
            if let Some(asked) = last.as_ref().filter(|asked| asked.begun > came) {
                return asked.answer;
            }
            let begun = Instant::now();
            let mut request = Request::new(GetPositionRequest {});
            request.set_timeout(PATIENCE);
            request.extensions_mut().insert(Idempotent);
            let answer = self.client.clone().get_position(request).await;
            let position = answer.ok().and_then(|answer| answer.into_inner().position);
            let answer = position.and_then(|position| Position::try_from(&position).ok());
            *last = Some(Asked { begun, answer });
            answer
        };
        let answer = timeout(PATIENCE, asking).await.ok().flatten();
        let now = Instant::now();
        // One that refuses at once slows nobody down.
        let hangs = answer.is_none() && now - came >= PATIENCE;
        *self.again() = hangs.then(|| now + PAUSE);
        answer
    }

    /// While it hangs one read asks, and the others go on without.
    fn may_ask(&self, now: Instant) -> bool {
        let mut again = self.again();
        match *again {
            Some(at) if now < at => false,
            Some(_) => {
                *again = Some(now + PATIENCE + PAUSE);
                true
            }
            None => true,
        }
    }

    fn again(&self) -> MutexGuard<'_, Option<Instant>> {
        self.again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
