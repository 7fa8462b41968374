//! Calls that come to a thread together are counted in one round trip, and those of one key by one run of the script, one after the other.
//! None waits for others: whatever the thread has at hand goes first, and what calls there are among it go along.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kit::feed::{Latest, Told};
use kit::redis::Away;
use time::OffsetDateTime;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::redis::{Calls, Counted, Counters, Taking};

/// What a call is told: what was counted (`None` when the month must be seeded), and how far the listings have come.
pub(super) type Taken = Result<(Option<Counted>, Told), Away>;

/// Counts calls over one connection.
#[derive(Debug, Clone)]
pub(super) struct Together {
    counters: Arc<Counters>,
    open: Arc<Mutex<Open>>,
}

/// Calls that are about to be counted.
#[derive(Debug, Default)]
struct Open {
    batches: Vec<Batch>,
    /// The newest batch of each key.
    places: HashMap<Uuid, usize>,
    /// For those that want to know how far the listings have come.
    latest: Option<Latest>,
}

/// Calls that are held to the same limits.
#[derive(Debug)]
struct Batch {
    taking: Taking,
    /// When the first of them came.
    now: OffsetDateTime,
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
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever waits for it is a request, which shutdown waits for"
    )]
    pub(super) async fn take(
        &self,
        taking: Taking,
        now: OffsetDateTime,
        latest: Option<&Latest>,
    ) -> Taken {
        let (told, answer) = oneshot::channel();
        let is_first = self.lock().add(taking, now, latest, told);
        if is_first {
            // A task of its own: the others must not be lost with a caller that hangs up.
            drop(tokio::spawn(self.clone().count()));
        }
        answer.await.unwrap_or(Err(Away::Unknown))
    }

    /// Counts the calls that have come by then.
    async fn count(self) {
        tokio::task::yield_now().await;
        let Open {
            batches, latest, ..
        } = std::mem::take(&mut *self.lock());
        let calls = batches.iter().map(Batch::calls);
        match self.counters.take(calls, latest.as_ref()).await {
            Ok((counted, told)) => {
                for (batch, counted) in batches.into_iter().zip(counted) {
                    for (place, waiting) in (0..).zip(batch.waiting) {
                        let share = counted.as_ref().map_err(|away| *away);
                        let share = share.map(|all| all.as_ref().map(|all| all.share(place)));
                        // Who has hung up was counted all the same.
                        drop(waiting.send(share.map(|share| (share, told))));
                    }
                }
            }
            Err(away) => {
                for waiting in batches.into_iter().flat_map(|batch| batch.waiting) {
                    drop(waiting.send(Err(away)));
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Adds a call; returns whether it is the first.
    fn add(
        &mut self,
        taking: Taking,
        now: OffsetDateTime,
        latest: Option<&Latest>,
        told: oneshot::Sender<Taken>,
    ) -> bool {
        if self.latest.is_none() {
            self.latest = latest.cloned();
        }
        let place = self.places.get(&taking.key);
        let batch = place.and_then(|place| self.batches.get_mut(*place));
        if let Some(batch) = batch.filter(|batch| batch.taking == taking) {
            batch.waiting.push(told);
            return false;
        }
        self.places.insert(taking.key, self.batches.len());
        self.batches.push(Batch {
            taking,
            now,
            waiting: vec![told],
        });
        self.batches.len() == 1
    }
}

impl Batch {
    fn calls(&self) -> Calls {
        Calls {
            taking: self.taking,
            now: self.now,
            count: u32::try_from(self.waiting.len()).unwrap_or(u32::MAX),
        }
    }
}
