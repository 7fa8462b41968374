//! Callers. In the closed loop each sends one request after the other; in the open loop they do not wait for one another: a request is
//! due at its own time, whatever has become of those before it.

use std::cell::Cell;
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

/// The connections on which requests travel.
pub(super) trait Wire: 'static {
    /// Sends the request, on a connection of its own if no other is free, and waits for the answer. `None` if no connection was free, and
    /// there were as many as there may be, or if it broke off.
    async fn exchange(&self) -> Option<u16>;
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
            assert_eq!(wire.exchange().await, Some(200), "though few ask");
            answers += 1;
        }
        answers
    });
    join_all(callers).await.iter().sum()
}

/// Offers so many requests a second for some time, evenly; returns how many were answered 200 in time.
pub(super) async fn offer(wire: impl Wire, rate: f64, time: Duration) -> u32 {
    let run = Rc::new(Run {
        wire,
        under_way: Cell::new(0),
        good: Cell::new(0),
    });
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

/// An open loop.
struct Run<W> {
    wire: W,
    /// Requests that are not answered yet.
    under_way: Cell<u32>,
    good: Cell<u32>,
}

impl<W: Wire> Run<W> {
    /// Sends a request that is due.
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
