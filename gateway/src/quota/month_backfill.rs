//! Loads months that Redis lacks. Calls wait for their month here; however many calls wait for one month, it is requested once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::Shared;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::domain::quota::AccountMonth;

/// The months that calls wait for.
#[derive(Debug)]
pub(crate) struct MonthBackfill {
    /// How long a call waits for its month. After that, the call is decided as if Redis were away.
    timeout: Duration,
    state: Mutex<PendingMonths>,
    wakeup: Notify,
}

#[derive(Debug, Default)]
struct PendingMonths {
    waiting: HashMap<AccountMonth, Shared<oneshot::Receiver<bool>>>,
    queue: Vec<BackfillRequest>,
    /// PostgreSQL is away, so no call waits for it.
    database_away: bool,
}

#[derive(Debug)]
pub(crate) struct BackfillRequest {
    pub(crate) month: AccountMonth,
    reply: oneshot::Sender<bool>,
}

impl MonthBackfill {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            state: Mutex::default(),
            wakeup: Notify::new(),
        }
    }

    /// Requests a month and waits for it. Returns whether Redis has the month now.
    pub(super) async fn request(&self, month: AccountMonth) -> bool {
        let reply = {
            let mut state = self.lock();
            let state = &mut *state;
            if state.database_away {
                return false;
            }
            let waiting = state.waiting.entry(month).or_insert_with(|| {
                let (reply, receiver) = oneshot::channel();
                state.queue.push(BackfillRequest { month, reply });
                receiver.shared()
            });
            waiting.clone()
        };
        self.wakeup.notify_one();
        matches!(timeout(self.timeout, reply).await, Ok(Ok(true)))
    }

    /// Returns when a month has been requested.
    pub(crate) async fn requested(&self) {
        self.wakeup.notified().await;
    }

    /// Takes up to `most` requests from the queue.
    pub(crate) fn take_batch(&self, most: usize) -> Vec<BackfillRequest> {
        let mut state = self.lock();
        let most = most.min(state.queue.len());
        state.queue.drain(..most).collect()
    }

    /// Wakes up the calls that wait for the month.
    pub(crate) fn complete(&self, request: BackfillRequest, can_be_counted: bool) {
        self.lock().waiting.remove(&request.month);
        // The calls may have been dropped.
        let (Ok(()) | Err(_)) = request.reply.send(can_be_counted);
    }

    /// While PostgreSQL is away, requests fail at once.
    pub(crate) fn set_database_away(&self, database_away: bool) {
        self.lock().database_away = database_away;
    }

    fn lock(&self) -> MutexGuard<'_, PendingMonths> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
