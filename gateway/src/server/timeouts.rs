//! How long a connection may wait for its caller.
//!
//! | setting | ends a connection |
//! | --- | --- |
//! | `http_head` | that has brought part of a head, or nothing since it was opened |
//! | `http_idle` | without a call: kept open for a next one, or kept busy with frames that ask for nothing |
//! | `http_write` | whose caller takes nothing of the answers that are ready for it |
//!
//! A call that runs is bounded by `http_body` and by the deadlines of the services it waits for, so the connection waits for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::config::Timeouts;

/// How late a deadline may be noticed that is sooner than the one before it.
const CHECK: Duration = Duration::from_secs(2);

/// What a connection waits for, and until when.
pub(super) struct Deadlines {
    timeouts: Timeouts,
    state: Mutex<State>,
}

struct State {
    /// Calls that run, or whose answers are not written yet.
    calls: u32,
    /// Of these, calls whose answers are ready.
    unsent: u32,
    /// When a head began to arrive. The first begins with the connection: whoever connects has something to ask.
    head_since: Option<Instant>,
    /// When the connection was opened, a call last ended or had a part of its answer written, or the first of the answers that wait
    /// became ready.
    since: Instant,
    /// Over HTTP/2 bytes arrive at any time, and do not mean that a head has begun.
    http2: bool,
}

impl Deadlines {
    pub(super) fn new(timeouts: Timeouts, opened: Instant) -> Self {
        let state = Mutex::new(State {
            calls: 0,
            unsent: 0,
            since: opened,
            head_since: Some(opened),
            http2: false,
        });
        Self { timeouts, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes arrived.
    pub(super) fn received(&self) {
        let mut state = self.state();
        if state.calls == 0 && !state.http2 {
            state.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// When the connection has waited too long; none while it waits for nothing but calls that run.
    fn deadline(&self) -> Option<Instant> {
        let (state, timeouts) = (self.state(), self.timeouts);
        let write = (state.unsent > 0).then(|| state.since + timeouts.http_write);
        let head = state.head_since.map(|since| since + timeouts.http_head);
        let idle = (state.calls == 0).then(|| state.since + timeouts.http_idle);
        [write, head, idle].into_iter().flatten().min()
    }

    /// Returns when the connection has waited too long.
    pub(super) async fn expired(&self) {
        while self
            .deadline()
            .is_none_or(|deadline| deadline > Instant::now())
        {
            let check = Instant::now() + CHECK;
            let deadline = self.deadline().unwrap_or(check);
            sleep_until(deadline.min(check)).await;
        }
    }
}

/// A call, which ends when this is dropped.
pub(super) struct Call {
    deadlines: Arc<Deadlines>,
    answered: bool,
}

impl Call {
    /// A head is complete: a call begins.
    pub(super) fn begin(deadlines: &Arc<Deadlines>, http2: bool) -> Self {
        let mut state = deadlines.state();
        state.calls += 1;
        state.head_since = None;
        state.http2 = http2;
        Self {
            deadlines: Arc::clone(deadlines),
            answered: false,
        }
    }

    /// Its answer is ready. Returns whether answers to other calls on its connection wait to be written.
    pub(super) fn answered(&mut self) -> bool {
        self.answered = true;
        let mut state = self.deadlines.state();
        state.unsent += 1;
        if state.unsent == 1 {
            state.since = Instant::now();
        }
        state.unsent > 1
    }

    /// A part of its answer is written.
    pub(super) fn part_written(&self) {
        self.deadlines.state().since = Instant::now();
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut state = self.deadlines.state();
        state.calls -= 1;
        state.unsent -= u32::from(self.answered);
        state.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts = Timeouts {
        http_head: Duration::from_secs(10),
        http_body: Duration::from_secs(10),
        http_idle: Duration::from_secs(30),
        http_write: Duration::from_secs(20),
    };

    /// The seconds from the connection's opening to its deadline.
    fn deadline(connection: &Deadlines, opened: Instant) -> Option<u64> {
        let deadline = connection.deadline()?;
        Some((deadline - opened).as_secs())
    }

    fn opened() -> (Arc<Deadlines>, Instant) {
        // Long ago, so that what happens now is told from it.
        let opened = Instant::now() - Duration::from_secs(100);
        (Arc::new(Deadlines::new(TIMEOUTS, opened)), opened)
    }

    #[test]
    fn the_first_head_begins_with_the_connection() {
        let (connection, opened) = opened();
        assert_eq!(deadline(&connection, opened), Some(10));
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(10));
    }

    #[test]
    fn a_later_head_begins_with_its_first_byte() {
        let (connection, opened) = opened();
        drop(Call::begin(&connection, false));
        assert_eq!(deadline(&connection, opened), Some(130));
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(110));
        connection.state().head_since = Some(opened);
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(10));
    }

    #[test]
    fn frames_are_no_head() {
        let (connection, opened) = opened();
        drop(Call::begin(&connection, true));
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(130));
    }

    #[test]
    fn a_call_that_runs_is_waited_for() {
        let (connection, opened) = opened();
        let call = Call::begin(&connection, false);
        connection.received();
        assert_eq!(deadline(&connection, opened), None);
        drop(call);
        assert_eq!(deadline(&connection, opened), Some(130));
    }

    #[test]
    fn answers_must_be_taken_one_after_the_other() {
        let (connection, opened) = opened();
        let mut calls = [(); 2].map(|()| Call::begin(&connection, true));
        assert!(!calls[0].answered());
        assert_eq!(deadline(&connection, opened), Some(120));
        connection.state().since = opened;
        assert!(calls[1].answered());
        assert_eq!(deadline(&connection, opened), Some(20));
        let [first, second] = calls;
        drop(first);
        assert_eq!(deadline(&connection, opened), Some(120));
        connection.state().since = opened;
        second.part_written();
        assert_eq!(deadline(&connection, opened), Some(120));
        drop(second);
        assert_eq!(deadline(&connection, opened), Some(130));
    }
}
