//! Taking turns. Of very many that have something to ask at once so few are worked on that the processor's caches hold all that these
//! need; the others wait for their turn, of which little is made before, or are turned away, of which nothing is made at all.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use kit::Fault;
use kit::overload::{Load, UnderWay};
use tokio::time::{Sleep, sleep, timeout};

/// Between two reads of a connection over HTTP/2, and between two writes, while calls are turned away. What comes meanwhile is read, or
/// written, at once: most of what it costs to turn a call away is to read it, and to write its answer, alone.
const REST: Duration = Duration::from_millis(50);

/// How connections over HTTP/1.1, and calls over HTTP/2, take turns to be worked on.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    /// How many a thread works on at once.
    pub at_once: usize,
    /// How long one counts as worked on. Beyond that it waits for something else than the processor.
    pub length: Duration,
    /// How long a further one waits, before it is turned away.
    pub patience: Duration,
    /// Calls over HTTP/2 that wait at once. A further one is turned away before it waits; connections are few enough by themselves.
    pub waiting: usize,
}

impl Turns {
    /// As many at once as the processor's caches hold, for as long as most calls take; and none waits for longer than most callers do: some time
    /// of their second is left for the answer.
    pub const fn with(waiting: usize) -> Self {
        Self {
            at_once: 128,
            length: Duration::from_millis(50),
            patience: Duration::from_millis(750),
            waiting,
        }
    }
}

/// Those who wait for their turn at one thread: first come, first served.
#[derive(Debug)]
pub(super) struct Queue {
    turns: Turns,
    awake: Load,
    waiting: Load,
}

impl Queue {
    pub(super) fn new(turns: Turns) -> Self {
        Self {
            turns,
            awake: Load::new("turns", turns.at_once),
            waiting: Load::new("port", turns.waiting),
        }
    }

    /// How long a turn is at most.
    pub(super) fn length(&self) -> Duration {
        self.turns.length
    }

    /// Whether others would have to wait.
    pub(super) fn is_full(&self) -> bool {
        self.awake.is_full()
    }

    /// Whether calls are turned away before they wait.
    fn is_crowded(&self) -> bool {
        self.waiting.is_full()
    }

    /// The turn of a connection that has woken.
    pub(super) async fn connection(&self) -> Result<UnderWay, Fault> {
        self.awake.take_on_within(self.turns.patience).await
    }

    /// The turn of a call.
    pub(super) async fn call(&self) -> Result<UnderWay, Fault> {
        if let Some(turn) = self.awake.try_take_on() {
            return Ok(turn);
        }
        let _waiting = self.waiting.take_on()?;
        self.awake.take_on_within(self.turns.patience).await
    }

    /// Does `work`, whose turn ends when it has taken longer than one.
    pub(super) async fn within<T>(&self, turn: UnderWay, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if let Ok(done) = timeout(self.turns.length, work.as_mut()).await {
            return done;
        }
        drop(turn);
        work.await
    }
}

/// Through which the calls of a connection over HTTP/2 come, or their answers go.
#[derive(Debug)]
pub(super) struct Gate {
    queue: Arc<Queue>,
    rest: Option<Pin<Box<Sleep>>>,
}

impl Gate {
    pub(super) fn new(queue: &Arc<Queue>) -> Self {
        Self {
            queue: Arc::clone(queue),
            rest: None,
        }
    }

    /// Ready when the connection may be read, or written.
    pub(super) fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.rest.is_none() && self.queue.is_crowded() {
            self.rest = Some(Box::pin(sleep(REST)));
        }
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(context));
            self.rest = None;
        }
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures::FutureExt as _;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn while_calls_are_turned_away_a_connection_is_read_now_and_then() {
        let queue = Arc::new(Queue::new(Turns {
            at_once: 1,
            ..Turns::with(1)
        }));
        let mut gate = Gate::new(&queue);
        let _worked_on = queue.call().await.unwrap();
        assert!(
            poll_fn(|context| gate.poll_open(context))
                .now_or_never()
                .is_some()
        );
        let mut waits = Box::pin(queue.call());
        assert!(waits.as_mut().now_or_never().is_none());
        assert!(queue.call().await.is_err());
        let start = Instant::now();
        for _ in 0..2 {
            poll_fn(|context| gate.poll_open(context)).await;
        }
        let rested = start.elapsed().as_millis();
        assert!((100..110).contains(&rested), "{rested} ms");
        drop(waits);
        assert!(
            poll_fn(|context| gate.poll_open(context))
                .now_or_never()
                .is_some()
        );
    }
}
