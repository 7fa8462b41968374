//! Calls of one key that come together are counted together: one run of the script decides on all of them, one after the other. None
//! waits for others; whatever else this thread has at hand goes first, and what of it are calls of the same key goes along.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kit::feed::{Latest, Told};
use kit::redis::Away;
use time::OffsetDateTime;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::redis::{Counted, Counters, Taking};

/// What a call is told: what was counted (`None` when the month must be seeded), and how far the listings have come.
pub(super) type Taken = Result<(Option<Counted>, Told), Away>;

/// Calls that are about to be counted.
#[derive(Debug, Clone)]
pub(super) struct Together {
    counters: Arc<Counters>,
    /// By key.
    open: Arc<Mutex<HashMap<Uuid, Batch>>>,
}

#[derive(Debug)]
struct Batch {
    /// Of the first call.
    taking: Taking,
    /// Whether they want to know how far the listings have come.
    look: bool,
    waiting: Vec<oneshot::Sender<Taken>>,
}

impl Together {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self {
            counters,
            open: Arc::default(),
        }
    }

    /// Counts a call at `now`, and looks how far the listings have come, for whom it concerns.
    pub(super) async fn take(
        &self,
        taking: Taking,
        now: OffsetDateTime,
        latest: Option<&Latest>,
    ) -> Taken {
        match self.join(taking, now, latest) {
            Some(answer) => answer.await.unwrap_or(Err(Away::Unknown)),
            None => self.alone(taking, now, latest).await,
        }
    }

    /// Goes along with the calls of this key that are about to be counted, or is the first of them; `None` when these are not counted
    /// like this one.
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever waits for it is a request, which shutdown waits for"
    )]
    fn join(
        &self,
        taking: Taking,
        now: OffsetDateTime,
        latest: Option<&Latest>,
    ) -> Option<oneshot::Receiver<Taken>> {
        let (told, answer) = oneshot::channel();
        let look = latest.is_some();
        match self.lock().entry(taking.key) {
            Entry::Occupied(mut held) => {
                let batch = held.get_mut();
                if batch.taking != taking || batch.look != look {
                    return None;
                }
                batch.waiting.push(told);
            }
            Entry::Vacant(place) => {
                let waiting = vec![told];
                place.insert(Batch {
                    taking,
                    look,
                    waiting,
                });
                // A task of its own: the others must not be lost with a caller that hangs up.
                let counting = self.clone().count(taking, now, latest.cloned());
                drop(tokio::spawn(counting));
            }
        }
        Some(answer)
    }

    async fn alone(&self, taking: Taking, now: OffsetDateTime, latest: Option<&Latest>) -> Taken {
        let (taken, told) = self.counters.take(taking, 1, now, latest).await?;
        Ok((taken.map(|taken| taken.share(0)), told))
    }

    /// Counts the calls that have come together by then, at the moment of the first.
    async fn count(self, taking: Taking, now: OffsetDateTime, latest: Option<Latest>) {
        tokio::task::yield_now().await;
        let Some(batch) = self.lock().remove(&taking.key) else {
            return;
        };
        let calls = u32::try_from(batch.waiting.len()).unwrap_or(u32::MAX);
        let taken = self
            .counters
            .take(taking, calls, now, latest.as_ref())
            .await;
        for (place, told) in (0..).zip(batch.waiting) {
            let share = taken.as_ref().map_err(|away| *away);
            let share =
                share.map(|(taken, told)| (taken.as_ref().map(|taken| taken.share(place)), *told));
            // Who has hung up was counted all the same.
            drop(told.send(share));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Batch>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
