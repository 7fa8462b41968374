//! How far the listings had come when a read began. The gate asks Redis while the read is on its way; its handler may need the
//! answer to tell whether what it got is behind (§1).

use axum::extract::FromRequestParts;
use http::request::Parts;
use kit::feed::Position;
use tokio::sync::oneshot;

use super::caller::no_gate;
use crate::errors::Refusal;

/// The position that Redis was told last, as soon as it is known. There is one for a read.
#[derive(Debug)]
pub struct Latest(oneshot::Receiver<Option<Position>>);

/// Who tells it.
#[derive(Debug)]
pub struct Tell(oneshot::Sender<Option<Position>>);

/// A [`Latest`] on its way through the extensions of a request, which want what can be cloned; a clone has nothing in it.
#[derive(Debug)]
pub struct OnItsWay(Option<Latest>);

impl Latest {
    /// A position that Redis is asked for.
    pub fn asked() -> (Tell, OnItsWay) {
        let (tell, latest) = oneshot::channel();
        (Tell(tell), OnItsWay(Some(Self(latest))))
    }

    /// The position; `None` when Redis is away, or was told nothing.
    pub async fn position(self) -> Option<Position> {
        self.0.await.ok().flatten()
    }
}

impl Tell {
    /// Tells it.
    pub fn tell(self, position: Option<Position>) {
        // A read that has what it wants does not wait.
        let (Ok(()) | Err(_)) = self.0.send(position);
    }
}

impl Clone for OnItsWay {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl<S: Sync> FromRequestParts<S> for Latest {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let on_its_way = parts.extensions.remove::<OnItsWay>();
        on_its_way.and_then(|latest| latest.0).ok_or_else(no_gate)
    }
}
