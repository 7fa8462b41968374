//! How far into the listings' feed the answer to a read must reach (§1).
//!
//! The gate asks Redis while the read is on its way; the call to catalogue-svc waits for Redis only once it has an answer to compare.

use kit::feed::Position;
use tokio::sync::oneshot;

/// The position that Redis was told last, as soon as it is known. Each read has one.
#[derive(Debug)]
pub struct MinPosition(oneshot::Receiver<Option<Position>>);

/// Sends a [`MinPosition`] what Redis says.
#[derive(Debug)]
pub struct Sender(oneshot::Sender<Option<Position>>);

/// A [`MinPosition`] as an extension of a request. Extensions can be cloned; a clone of this one is empty.
#[derive(Debug)]
pub struct Extension(Option<MinPosition>);

impl MinPosition {
    /// A position that Redis is asked for.
    pub fn channel() -> (Sender, Extension) {
        let (sender, receiver) = oneshot::channel();
        (Sender(sender), Extension(Some(Self(receiver))))
    }

    /// The position; `None` when Redis is away, or was told nothing.
    pub(super) async fn receive(self) -> Option<Position> {
        self.0.await.ok().flatten()
    }
}

impl Sender {
    /// Sends what Redis says.
    pub fn send(self, position: Option<Position>) {
        // A read that has what it wants does not wait.
        let (Ok(()) | Err(_)) = self.0.send(position);
    }
}

impl Extension {
    /// The position, if nobody has taken it.
    pub fn take(self) -> Option<MinPosition> {
        self.0
    }
}

impl Clone for Extension {
    fn clone(&self) -> Self {
        Self(None)
    }
}
