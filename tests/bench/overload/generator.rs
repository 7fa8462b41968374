//! Callers. In the closed loop each sends one request after the other; in the open loop they do not wait for one another: a request is
//! due at its own time, whatever has become of those before it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::join_all;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

/// Callers of the closed loop.
const CLOSED: usize = 256;
const CLOSED_WARM_UP: Duration = Duration::from_secs(2);
const CLOSED_TIME: Duration = Duration::from_secs(5);
/// How often it is looked what is due: as finely as the runtime's timers go.
const TICK: Duration = Duration::from_millis(1);
/// An answer that comes later is not a good one.
const GOOD: Duration = Duration::from_secs(1);
/// How long answers are waited for in the end.
const DRAIN: Duration = Duration::from_secs(2);

/// The part of a response that is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) has_retry_after: bool,
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    Answered(Response),
    /// No connection was free, and there were as many as the generator may have.
    Unsent,
    /// The connection broke off, or was never made.
    Broken,
}

/// The connections on which requests travel.
pub(super) trait Wire: 'static {
    /// Sends the request, on a connection of its own if no other is free, and waits for the answer. Calls `sent` when it is on its way.
    async fn exchange(&self, sent: impl FnOnce()) -> Outcome;
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
    /// Answered 503: how long after they were due.
    pub(super) refused: Vec<Duration>,
    /// Of those, the ones that did not say when to come again.
    pub(super) without_retry_after: u32,
    /// Answered otherwise, or not at all.
    pub(super) other: u32,
    /// How long after they were due the generator began with them.
    pub(super) lag: Vec<Duration>,
}

/// Requests a second in the closed loop.
pub(super) async fn capacity(wire: impl Wire) -> f64 {
    closed(&wire, CLOSED_WARM_UP).await;
    f64::from(closed(&wire, CLOSED_TIME).await) / CLOSED_TIME.as_secs_f64()
}

async fn closed(wire: &impl Wire, time: Duration) -> u32 {
    let end = Instant::now() + time;
    let callers = (0..CLOSED).map(async |_| {
        let mut answers = 0;
        while Instant::now() < end {
            let outcome = wire.exchange(|| ()).await;
            let Outcome::Answered(Response { status: 200, .. }) = outcome else {
                panic!("{outcome:?} though few ask");
            };
            answers += 1;
        }
        answers
    });
    join_all(callers).await.iter().sum()
}

/// Offers so many requests a second for some time, evenly.
pub(super) async fn offer(wire: impl Wire, rate: f64, time: Duration) -> Tally {
    let start = Instant::now();
    let run = Rc::new(Run {
        wire,
        end: start + time,
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
struct Run<W> {
    wire: W,
    end: Instant,
    /// Requests that are not answered yet.
    under_way: Cell<u32>,
    tally: RefCell<Tally>,
}

impl<W: Wire> Run<W> {
    /// Sends a request that is due.
    fn begin(self: &Rc<Self>, due: Instant) {
        self.tally.borrow_mut().due += 1;
        self.under_way.update(|count| count + 1);
        let run = Rc::clone(self);
        drop(spawn_local(async move {
            run.tally.borrow_mut().lag.push(due.elapsed());
            let sent = || run.tally.borrow_mut().sent += u32::from(Instant::now() <= run.end);
            let outcome = run.wire.exchange(sent).await;
            run.tally.borrow_mut().count(&outcome, due.elapsed());
            run.under_way.update(|count| count - 1);
        }));
    }
}

impl Tally {
    fn count(&mut self, outcome: &Outcome, took: Duration) {
        let answer = match outcome {
            Outcome::Answered(answer) => answer,
            Outcome::Unsent => return self.unsent += 1,
            Outcome::Broken => return self.other += 1,
        };
        match answer.status {
            200 if took <= GOOD => self.good.push(took),
            200 => self.late += 1,
            503 => {
                self.refused.push(took);
                self.without_retry_after += u32::from(!answer.has_retry_after);
            }
            _ => self.other += 1,
        }
    }
}
