//! How long a connection may take for what it does.
//!
//! | bound | what it ends |
//! | --- | --- |
//! | `http_head` | a head that began and does not end; a connection that was opened and brings none |
//! | `http_idle` | a connection without a call: kept open for a next one, or kept busy with frames that ask for nothing |
//! | `http_write` | a caller that does not take its answer |
//!
//! A call under way is bounded by `http_body` and by the deadlines of what it waits for, so the connection waits for it.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, ready};
use std::time::Duration;

use http::Version;
use tokio::time::{Instant, sleep_until};

use crate::config::Patience;

/// How long a connection that is being closed may take to end by itself.
const PARTING: Duration = Duration::from_secs(1);

/// What becomes of a connection by time alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It has nothing to do, and may be long in that.
    Rests,
    /// It took longer than it may.
    Overdue,
}

/// What a connection does, and since when; and how long that may go on.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Patience,
    warm: Duration,
    state: Mutex<State>,
}

/// A call under way; over when this is dropped.
pub(super) struct Call(Arc<Pace>);

impl Pace {
    /// The pace of a connection that was opened now, and that rests when it was `warm` without a call.
    pub(super) fn new(patience: Patience, warm: Duration) -> Self {
        Self {
            patience,
            warm,
            state: Mutex::new(State::new(Instant::now())),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes came.
    pub(super) fn received(&self) {
        self.state().received(Instant::now());
    }

    /// A head is complete: a call begins.
    pub(super) fn call(self: &Arc<Self>, version: Version) -> Call {
        self.state().call(version);
        Call(Arc::clone(self))
    }

    /// Whatever comes next on the connection is a new call: it stays open, and nothing of the last one is still to come.
    pub(super) fn complete(&self) {
        self.state().complete = true;
    }

    /// Bytes of an answer could not be written.
    pub(super) fn held_up(&self) {
        self.state().held_up(Instant::now());
    }

    /// Everything is written.
    pub(super) fn taken(&self) {
        self.state().taken();
    }

    /// The connection is being closed. False if that was known.
    pub(super) fn part(&self) -> bool {
        self.state().part(Instant::now())
    }

    /// Waits until the connection rests, or has taken longer than it may. While others wait for its place it rests at once.
    pub(super) async fn turn(&self, others_wait: impl Fn() -> bool) -> Turn {
        let warm = || {
            if others_wait() {
                Duration::ZERO
            } else {
                self.warm
            }
        };
        self.first(|state| state.next(&self.patience, warm())).await
    }

    /// Waits until the connection has taken longer than it may.
    pub(super) async fn overdue(&self) {
        self.first(|state| Some((state.due(&self.patience)?, ())))
            .await;
    }

    /// Waits for the moment that `next` says, and tells what comes then.
    async fn first<T>(&self, next: impl Fn(&State) -> Option<(Instant, T)>) -> T {
        let mut sleep = pin!(sleep_until(Instant::now()));
        // Whatever changes the moment also wakes the task that waits here, for it is the connection's own.
        poll_fn(|context| {
            loop {
                let Some((due, turn)) = next(&self.state()) else {
                    return Poll::Pending;
                };
                // A moment that moves away is looked at again when the first one comes: most do, with every call.
                if due < sleep.deadline() {
                    sleep.as_mut().reset(due);
                }
                ready!(sleep.as_mut().poll(context));
                if due <= Instant::now() {
                    return Poll::Ready(turn);
                }
                sleep.as_mut().reset(due);
            }
        })
        .await
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.state().answered(Instant::now());
    }
}

#[derive(Debug)]
struct State {
    /// Calls whose answers are not made yet.
    calls: u32,
    /// When the connection was opened, or the last call answered.
    rested: Instant,
    /// When a head began to come. The first begins with the connection: whoever connects has something to ask.
    head: Option<Instant>,
    /// Since when an answer waits to be taken.
    untaken: Option<Instant>,
    /// Whether an answer is made, and perhaps not written.
    unwritten: bool,
    /// Whether nothing of the last call is still to come.
    complete: bool,
    /// When a connection that is being closed is given up.
    parting: Option<Instant>,
    /// Over HTTP/2 bytes come at any time, and do not mean that a head has begun.
    frames: bool,
}

impl State {
    fn new(now: Instant) -> Self {
        Self {
            calls: 0,
            rested: now,
            head: Some(now),
            untaken: None,
            unwritten: false,
            complete: false,
            parting: None,
            frames: false,
        }
    }

    fn received(&mut self, now: Instant) {
        if self.calls == 0 && !self.frames {
            self.head.get_or_insert(now);
        }
    }

    fn call(&mut self, version: Version) {
        self.calls += 1;
        self.head = None;
        self.complete = false;
        self.frames = version == Version::HTTP_2;
    }

    fn answered(&mut self, now: Instant) {
        self.calls -= 1;
        self.rested = now;
        self.unwritten = true;
    }

    fn held_up(&mut self, now: Instant) {
        self.untaken.get_or_insert(now);
    }

    fn taken(&mut self) {
        self.untaken = None;
        self.unwritten = false;
    }

    fn part(&mut self, now: Instant) -> bool {
        let news = self.parting.is_none();
        self.parting.get_or_insert(now + PARTING);
        news
    }

    /// The moment from which the connection takes longer than it may; none while only its calls are waited for.
    fn due(&self, patience: &Patience) -> Option<Instant> {
        if self.parting.is_some() {
            return self.parting;
        }
        let write = self.untaken.map(|since| since + patience.http_write);
        let head = self.head.map(|since| since + patience.http_head);
        let idle = (self.calls == 0).then(|| self.rested + patience.http_idle);
        [write, head, idle].into_iter().flatten().min()
    }

    /// What comes next by time alone, and when. A connection rests only where whatever comes is the head of a new call: so not when
    /// a body may still come, which would be taken for a head; nor over HTTP/2, which has more to remember.
    fn next(&self, patience: &Patience, warm: Duration) -> Option<(Instant, Turn)> {
        let due = self.due(patience)?;
        let waits = self.calls > 0 || self.head.is_some() || self.unwritten;
        let rests = self.rested + warm;
        if self.complete && !waits && !self.frames && self.parting.is_none() && rests < due {
            return Some((rests, Turn::Rests));
        }
        Some((due, Turn::Overdue))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        http_head: Duration::from_secs(10),
        http_body: Duration::from_secs(10),
        http_idle: Duration::from_secs(30),
        http_write: Duration::from_secs(20),
    };

    const WARM: Duration = Duration::from_secs(1);

    /// A connection on which things happen at the given seconds.
    struct Connection {
        opened: Instant,
        state: State,
    }

    impl Connection {
        fn new() -> Self {
            let opened = Instant::now();
            let state = State::new(opened);
            Self { opened, state }
        }

        fn at(&self, second: u64) -> Instant {
            self.opened + Duration::from_secs(second)
        }

        fn called(mut self, version: Version, answered: u64) -> Self {
            self.state.call(version);
            self.state.answered(self.at(answered));
            self.state.taken();
            self
        }

        /// The second at which it is overdue.
        fn due(&self) -> Option<u64> {
            let due = self.state.due(&PATIENCE)?;
            Some((due - self.opened).as_secs())
        }
    }

    #[test]
    fn the_first_head_begins_with_the_connection() {
        let mut connection = Connection::new();
        assert_eq!(connection.due(), Some(10));
        connection.state.received(connection.at(4));
        assert_eq!(connection.due(), Some(10));
    }

    #[test]
    fn between_calls_a_connection_may_rest_longer() {
        let connection = Connection::new().called(Version::HTTP_11, 5);
        assert_eq!(connection.due(), Some(35));
    }

    #[test]
    fn a_later_head_begins_with_its_first_byte() {
        let mut connection = Connection::new().called(Version::HTTP_11, 5);
        for second in [15, 17, 19] {
            connection.state.received(connection.at(second));
            assert_eq!(connection.due(), Some(25));
        }
        // But never later than its rest would have ended.
        let mut late = Connection::new().called(Version::HTTP_11, 5);
        late.state.received(late.at(34));
        assert_eq!(late.due(), Some(35));
    }

    #[test]
    fn frames_are_no_head() {
        let mut connection = Connection::new().called(Version::HTTP_2, 5);
        connection.state.received(connection.at(6));
        assert_eq!(connection.due(), Some(35));
    }

    #[test]
    fn a_call_under_way_is_waited_for() {
        let mut connection = Connection::new();
        connection.state.call(Version::HTTP_11);
        connection.state.received(connection.at(1));
        assert_eq!(connection.due(), None);
        connection.state.call(Version::HTTP_11);
        connection.state.answered(connection.at(100));
        assert_eq!(connection.due(), None);
        connection.state.answered(connection.at(200));
        assert_eq!(connection.due(), Some(230));
    }

    #[test]
    fn a_connection_rests_when_nothing_of_a_call_is_left() {
        let next = |connection: &Connection| connection.state.next(&PATIENCE, WARM);
        let rests =
            |connection: &Connection| next(connection).is_some_and(|(_, turn)| turn == Turn::Rests);
        let mut connection = Connection::new();
        assert!(!rests(&connection), "the first head is waited for");
        connection.state.call(Version::HTTP_11);
        assert_eq!(next(&connection), None);
        connection.state.answered(connection.at(5));
        connection.state.complete = true;
        assert!(!rests(&connection), "the answer may not be written");
        connection.state.held_up(connection.at(5));
        assert!(!rests(&connection), "the answer is not taken");
        connection.state.taken();
        let moment = connection.at(5) + WARM;
        assert_eq!(next(&connection), Some((moment, Turn::Rests)));
        connection.state.received(connection.at(6));
        assert!(!rests(&connection), "a head has begun");

        let resting = || {
            let mut connection = Connection::new().called(Version::HTTP_11, 5);
            connection.state.complete = true;
            connection
        };
        assert!(rests(&resting()));
        let mut parting = resting();
        parting.state.part(parting.at(6));
        assert!(!rests(&parting), "it is being closed");
        let mut again = resting();
        again.state.call(Version::HTTP_11);
        again.state.answered(again.at(7));
        again.state.taken();
        assert!(!rests(&again), "a body may still come");
        let mut frames = resting();
        frames.state.frames = true;
        assert!(!rests(&frames), "frames come at any time");
    }

    #[test]
    fn an_answer_must_be_taken_as_a_whole() {
        let mut connection = Connection::new();
        connection.state.call(Version::HTTP_11);
        for second in [1, 10, 15] {
            connection.state.held_up(connection.at(second));
            assert_eq!(connection.due(), Some(21));
        }
        connection.state.taken();
        assert_eq!(connection.due(), None);
    }

    #[test]
    fn what_is_being_closed_has_a_moment_left() {
        let mut connection = Connection::new();
        assert!(connection.state.part(connection.at(3)));
        assert!(!connection.state.part(connection.at(9)));
        assert_eq!(connection.due(), Some(4));
    }
}
