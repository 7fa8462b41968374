//! Reads that concurrent calls share.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;

/// Reads a value for all calls that wait for it. A call needs a read that starts after the call began, not a read of its own: one read is in
/// flight, and the calls that begin meanwhile share the next one. Raft shares its `ReadIndex` in this way. Clones share the reads.
#[derive(Clone)]
pub(crate) struct SharedRead<T>(Arc<State<T>>);

struct State<T> {
    /// The read that has not started yet.
    next: Mutex<Option<Shared<BoxFuture<'static, T>>>>,
    in_flight: tokio::sync::Mutex<()>,
}

impl<T: Clone + Send + Sync + 'static> SharedRead<T> {
    /// Waits for a read that starts from now on; `read` makes it if no other call does. All calls of a read get the same value. The read goes
    /// on until the last of them is cancelled.
    pub(crate) async fn get<F>(&self, read: impl FnOnce() -> F + Send + 'static) -> T
    where
        F: Future<Output = T> + Send + 'static,
    {
        let state = Arc::clone(&self.0);
        let start = async move {
            let _in_flight = state.in_flight.lock().await;
            // Calls that begin from here on wait for another read.
            state.next.lock().take();
            read().await
        };
        let shared = self.0.next.lock().get_or_insert_with(|| start.boxed().shared()).clone();
        shared.await
    }
}

impl<T> Default for SharedRead<T> {
    fn default() -> Self {
        Self(Arc::new(State { next: Mutex::default(), in_flight: tokio::sync::Mutex::default() }))
    }
}

impl<T> fmt::Debug for SharedRead<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRead").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::Poll;

    use futures::poll;
    use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;

    type Value = Option<u8>;

    /// Begins calls whose reads the test finishes.
    #[derive(Clone)]
    struct Calls {
        shared: SharedRead<Value>,
        started: UnboundedSender<oneshot::Sender<Value>>,
    }

    impl Calls {
        fn new() -> (Self, UnboundedReceiver<oneshot::Sender<Value>>) {
            let (started, reads) = mpsc::unbounded_channel();
            (Self { shared: SharedRead::default(), started }, reads)
        }

        async fn call(self) -> Value {
            let read = async move || {
                let (finish, finished) = oneshot::channel();
                self.started.send(finish).unwrap();
                finished.await.unwrap()
            };
            self.shared.get(read).await
        }
    }

    #[tokio::test]
    async fn calls_that_begin_during_a_read_share_the_next_one() {
        let (calls, mut reads) = Calls::new();
        let [mut first, mut second, mut third] = [0; 3].map(|_| Box::pin(calls.clone().call()));
        assert!(poll!(&mut first).is_pending());
        let finish_first = reads.try_recv().unwrap();
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        assert!(reads.try_recv().is_err(), "one read is in flight");

        finish_first.send(Some(1)).unwrap();
        assert_eq!(poll!(&mut first), Poll::Ready(Some(1)));
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        // It fails, for all of its calls.
        reads.try_recv().unwrap().send(None).unwrap();
        assert_eq!(poll!(&mut second), Poll::Ready(None));
        assert_eq!(poll!(&mut third), Poll::Ready(None));
        assert!(reads.try_recv().is_err());
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "a test has no shutdown")]
    async fn a_cancelled_call_cancels_no_other() {
        let (calls, mut reads) = Calls::new();
        let mut first = pin!(calls.clone().call());
        assert!(poll!(&mut first).is_pending());
        let finish_first = reads.try_recv().unwrap();
        let mut cancelled = Box::pin(calls.clone().call());
        assert!(poll!(&mut cancelled).is_pending());
        let other = tokio::spawn(calls.clone().call());
        yield_now().await;

        finish_first.send(Some(1)).unwrap();
        assert_eq!(poll!(&mut first), Poll::Ready(Some(1)));
        // It starts the read of both, and does not wait for the value.
        assert!(poll!(&mut cancelled).is_pending());
        let finish = reads.try_recv().unwrap();
        drop(cancelled);
        finish.send(Some(2)).unwrap();
        assert_eq!(other.await.unwrap(), Some(2));
        // A read all of whose calls are cancelled, started or not, keeps no later call waiting.
        let [mut started, mut waiting] = [0; 2].map(|_| Box::pin(calls.clone().call()));
        assert!(poll!(&mut started).is_pending() && poll!(&mut waiting).is_pending());
        drop((started, waiting));
        drop(reads.try_recv().unwrap());
        assert!(poll!(pin!(calls.call())).is_pending());
        assert!(reads.try_recv().is_ok());
    }
}
