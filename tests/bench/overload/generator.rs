//! The load generator. In the closed loop, each caller sends its next request after the response. In the open loop, a request is due at a fixed time,
//! whatever became of the requests before it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::join_all;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, interval, sleep};

/// Concurrent callers of the closed loop.
const CLOSED: usize = 256;
const CLOSED_WARM_UP: Duration = Duration::from_secs(2);
const CLOSED_TIME: Duration = Duration::from_secs(5);
/// How often the open loop checks what is due: the resolution of the runtime's timers.
const TICK: Duration = Duration::from_millis(1);
/// Later responses do not count as good.
const GOOD: Duration = Duration::from_secs(1);
/// The interval of the requests of a steady caller: less than its share, when thousands of connections take turns.
const STEADY: Duration = Duration::from_millis(500);
/// How long the open loop waits for responses at its end.
const DRAIN: Duration = Duration::from_secs(2);

/// Sends requests over a pool of connections.
pub(super) trait Wire: 'static {
    /// Sends a request on a free connection, or else on a new one, and waits for the response. `None` if all connections are in use and there may be
    /// no more, or if the connection fails.
    async fn exchange(&self) -> Option<u16>;
}

/// Requests per second in the closed loop.
pub(super) async fn capacity(wire: impl Wire) -> f64 {
    closed(&wire, CLOSED_WARM_UP).await;
    f64::from(closed(&wire, CLOSED_TIME).await) / CLOSED_TIME.as_secs_f64()
}

async fn closed(wire: &impl Wire, time: Duration) -> u32 {
    let end = Instant::now() + time;
    let callers = (0..CLOSED).map(async |_| {
        let mut answers = 0;
        while Instant::now() < end {
            assert_eq!(wire.exchange().await, Some(200), "though few ask");
            answers += 1;
        }
        answers
    });
    join_all(callers).await.iter().sum()
}

/// Sends `rate` requests per second, evenly spread over `time`; returns how many got 200 in time.
pub(super) async fn offer(wire: impl Wire, rate: f64, time: Duration) -> u32 {
    let run = Rc::new(Run { wire, under_way: Cell::new(0), good: Cell::new(0) });
    let offering = async {
        let start = Instant::now();
        let end = start + time;
        let interval = Duration::from_secs_f64(1.0 / rate);
        let mut due = start;
        while due < end {
            while due < end && due <= Instant::now() {
                run.begin(due);
                due += interval;
            }
            sleep(TICK).await;
        }
        while run.under_way.get() > 0 && end.elapsed() < DRAIN {
            sleep(TICK).await;
        }
    };
    LocalSet::new().run_until(offering).await;
    run.good.get()
}

/// Sends a request every `STEADY` for `time`, late ones at once; returns the share that got 200 within [`GOOD`] of the time at which they were
/// due.
pub(super) async fn steady(wire: impl Wire, time: Duration) -> f64 {
    let requests = time.as_millis() / STEADY.as_millis();
    let mut pace = interval(STEADY);
    let (mut sent, mut good) = (0, 0);
    for _ in 0..requests {
        let due = pace.tick().await;
        let status = wire.exchange().await;
        sent += 1;
        good += u32::from(status == Some(200) && due.elapsed() <= GOOD);
    }
    f64::from(good) / f64::from(sent)
}

/// The state of an open loop.
struct Run<W> {
    wire: W,
    under_way: Cell<u32>,
    good: Cell<u32>,
}

impl<W: Wire> Run<W> {
    fn begin(self: &Rc<Self>, due: Instant) {
        self.under_way.update(|count| count + 1);
        let run = Rc::clone(self);
        drop(spawn_local(async move {
            let status = run.wire.exchange().await;
            let is_good = status == Some(200) && due.elapsed() <= GOOD;
            run.good.update(|good| good + u32::from(is_good));
            run.under_way.update(|count| count - 1);
        }));
    }
}
