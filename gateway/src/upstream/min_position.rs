//! The position in the listings feed that the response to a read must have reached (§1).
//!
//! The checks of the route ask Redis while the read runs. The client of catalogue-svc waits for Redis only when it has a response to compare.

use kit::feed::Position;
use tokio::sync::oneshot;

/// The newest position in Redis, once it is known. Each read has its own.
#[derive(Debug)]
pub struct MinPosition(oneshot::Receiver<Option<Position>>);

/// Sends the position to a [`MinPosition`].
#[derive(Debug)]
pub struct Sender(oneshot::Sender<Option<Position>>);

/// A [`MinPosition`] as a request extension. Extensions must be `Clone`; a clone of this one is empty.
#[derive(Debug)]
pub struct Extension(Option<MinPosition>);

impl MinPosition {
    pub fn channel() -> (Sender, Extension) {
        let (sender, receiver) = oneshot::channel();
        (Sender(sender), Extension(Some(Self(receiver))))
    }

    /// The position; `None` if Redis is away or has none.
    pub(super) async fn receive(self) -> Option<Position> {
        self.0.await.ok().flatten()
    }
}

impl Sender {
    pub fn send(self, position: Option<Position>) {
        // The read may have ended without waiting.
        let (Ok(()) | Err(_)) = self.0.send(position);
    }
}

impl Extension {
    /// The position, unless it was taken before.
    pub fn take(self) -> Option<MinPosition> {
        self.0
    }
}

impl Clone for Extension {
    fn clone(&self) -> Self {
        Self(None)
    }
}
