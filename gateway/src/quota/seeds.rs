//! Months that Redis cannot count yet, and the calls that wait for them: however many wait for one month, it is asked for once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::Shared;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::domain::quota::AccountMonth;

/// The months that are waited for.
#[derive(Debug)]
pub(crate) struct Seeds {
    /// How long a call waits for its month. After that it is decided without.
    patience: Duration,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<AccountMonth, Shared<oneshot::Receiver<bool>>>,
    asked: Vec<Asked>,
    /// PostgreSQL is away: it is not waited for.
    away: bool,
}

/// A month that is asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) month: AccountMonth,
    told: oneshot::Sender<bool>,
}

impl Seeds {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            patience,
            state: Mutex::default(),
            news: Notify::new(),
        }
    }

    /// Asks for a month; returns whether Redis can count it now.
    pub(super) async fn wait(&self, month: AccountMonth) -> bool {
        let told = {
            let mut state = self.lock();
            let state = &mut *state;
            if state.away {
                return false;
            }
            let asked = state.waiting.entry(month).or_insert_with(|| {
                let (told, asked) = oneshot::channel();
                state.asked.push(Asked { month, told });
                asked.shared()
            });
            asked.clone()
        };
        self.news.notify_one();
        matches!(timeout(self.patience, told).await, Ok(Ok(true)))
    }

    /// Returns when a month is asked for.
    pub(crate) async fn asked(&self) {
        self.news.notified().await;
    }

    /// Hands over what is asked for, `most` at once.
    pub(crate) fn take(&self, most: usize) -> Vec<Asked> {
        let mut state = self.lock();
        let most = most.min(state.asked.len());
        state.asked.drain(..most).collect()
    }

    /// Answers those who wait.
    pub(crate) fn tell(&self, asked: Asked, can_be_counted: bool) {
        self.lock().waiting.remove(&asked.month);
        // Those who waited may have gone.
        let (Ok(()) | Err(_)) = asked.told.send(can_be_counted);
    }

    /// Whether PostgreSQL is away, and nobody is to wait for it.
    pub(crate) fn set_away(&self, away: bool) {
        self.lock().away = away;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
