//! Callers that do not wait for one another: a request is due at its own time, whatever has become of those before it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::Result;
use std::rc::Rc;
use std::time::Duration;

use futures::future::join_all;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

use crate::http1::{Answer, Connection, Target};

/// Connections of the closed loop.
const CLOSED: usize = 64;
const CLOSED_WARM_UP: Duration = Duration::from_secs(2);
const CLOSED_TIME: Duration = Duration::from_secs(5);
/// Connections that an open loop begins with.
const AT_FIRST: usize = 512;
/// Connections that it has at most. The gateway takes 4,096.
const MOST: usize = 4_000;
/// How often it is looked what is due: as finely as the runtime's timers go.
const TICK: Duration = Duration::from_millis(1);
/// An answer that comes later is not a good one.
const GOOD: Duration = Duration::from_secs(1);
/// How long answers are waited for in the end.
const DRAIN: Duration = Duration::from_secs(2);

/// Requests a second when each connection sends one after the other.
pub(super) async fn capacity(target: &Target) -> f64 {
    closed(target, CLOSED_WARM_UP).await;
    f64::from(closed(target, CLOSED_TIME).await) / CLOSED_TIME.as_secs_f64()
}

async fn closed(target: &Target, time: Duration) -> u32 {
    let end = Instant::now() + time;
    let callers = (0..CLOSED).map(async |_| {
        let mut connection = Connection::open(target).await.unwrap();
        let mut answers = 0;
        while Instant::now() < end {
            connection.send(target).await.unwrap();
            assert_eq!(connection.answer().await.unwrap().status, 200);
            answers += 1;
        }
        answers
    });
    join_all(callers).await.iter().sum()
}

/// What became of the requests of an open loop.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// All of them.
    pub(super) due: u32,
    /// Sent before the loop's end.
    pub(super) sent: u32,
    /// No connection was free, and there were as many as there may be.
    pub(super) unsent: u32,
    /// Answered 200 in time: how long after they were due.
    pub(super) good: Vec<Duration>,
    /// Answered 200 too late.
    pub(super) late: u32,
    /// Answered 503.
    pub(super) refused: u32,
    /// Of those, the ones that did not say when to come again.
    pub(super) without_retry_after: u32,
    /// Answered otherwise, or not at all.
    pub(super) other: u32,
    /// How long after they were due the generator began with them.
    pub(super) lag: Vec<Duration>,
}

/// Offers so many requests a second for some time, evenly.
pub(super) async fn offer(target: &Target, rate: f64, time: Duration) -> Tally {
    let idle = join_all((0..AT_FIRST).map(async |_| Connection::open(target).await.unwrap())).await;
    let start = Instant::now();
    let run = Rc::new(Run {
        target: target.clone(),
        end: start + time,
        idle: RefCell::new(idle.into()),
        open: Cell::new(AT_FIRST),
        under_way: Cell::new(0),
        tally: RefCell::default(),
    });
    let offering = async {
        let interval = Duration::from_secs_f64(1.0 / rate);
        let mut due = start;
        while due < run.end {
            while due < run.end && due <= Instant::now() {
                run.begin(due);
                due += interval;
            }
            sleep(TICK).await;
        }
        while run.under_way.get() > 0 && run.end.elapsed() < DRAIN {
            sleep(TICK).await;
        }
    };
    LocalSet::new().run_until(offering).await;
    let mut tally = run.tally.take();
    tally.other += run.under_way.get();
    tally
}

/// An open loop.
struct Run {
    target: Target,
    end: Instant,
    /// The one that has rested longest is taken first, so that none is closed for its idleness.
    idle: RefCell<VecDeque<Connection>>,
    /// Connections, idle or not.
    open: Cell<usize>,
    /// Requests that are not answered yet.
    under_way: Cell<u32>,
    tally: RefCell<Tally>,
}

impl Run {
    /// Sends a request that is due, if it can be sent.
    fn begin(self: &Rc<Self>, due: Instant) {
        let mut tally = self.tally.borrow_mut();
        tally.due += 1;
        let connection = self.idle.borrow_mut().pop_front();
        if connection.is_none() {
            if self.open.get() == MOST {
                tally.unsent += 1;
                return;
            }
            self.open.update(|open| open + 1);
        }
        self.under_way.update(|count| count + 1);
        let run = Rc::clone(self);
        drop(spawn_local(async move {
            let kept = run.exchange(connection, due).await.unwrap_or_else(|_| {
                run.tally.borrow_mut().other += 1;
                None
            });
            if let Some(connection) = kept {
                run.idle.borrow_mut().push_back(connection);
            } else {
                run.open.update(|open| open - 1);
            }
            run.under_way.update(|count| count - 1);
        }));
    }

    /// Sends a request and counts its answer. Returns the connection, unless the server closes it.
    async fn exchange(
        &self,
        connection: Option<Connection>,
        due: Instant,
    ) -> Result<Option<Connection>> {
        self.tally.borrow_mut().lag.push(due.elapsed());
        let mut connection = match connection {
            Some(connection) => connection,
            None => Connection::open(&self.target).await?,
        };
        connection.send(&self.target).await?;
        let in_time = Instant::now() <= self.end;
        self.tally.borrow_mut().sent += u32::from(in_time);
        let answer = connection.answer().await?;
        self.tally.borrow_mut().count(answer, due.elapsed());
        Ok((!answer.closes).then_some(connection))
    }
}

impl Tally {
    fn count(&mut self, answer: Answer, took: Duration) {
        match answer.status {
            200 if took <= GOOD => self.good.push(took),
            200 => self.late += 1,
            503 => {
                self.refused += 1;
                self.without_retry_after += u32::from(!answer.has_retry_after);
            }
            _ => self.other += 1,
        }
    }
}
