//! Request bodies that the service does not read to their end. The rest is read and dropped up to a limit.
//!
//! Over HTTP/1.1, the rest precedes the next request on the connection, which is closed if the rest is longer. Over HTTP/2, the stream of
//! a request is reset when its body is dropped, and some clients that still send (curl 7.88, httpx) then lose the response. The response
//! does not wait for the rest: curl stops sending when it comes, and would lose one that comes together with the reset after the limit.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

/// Bytes of an unread body that are read and dropped.
const MAX_DRAINED: u64 = 256 * 1024;

/// A body that the connection and the handler share.
#[derive(Clone)]
pub(super) struct SharedBody(pub(super) Arc<Mutex<Incoming>>);

impl SharedBody {
    /// Whether the rest of the body is known to be longer than what is dropped.
    pub(super) fn is_too_long(&self) -> bool {
        self.0.lock().size_hint().lower() > MAX_DRAINED
    }

    /// Reads the rest of the body. Returns false if it is too long, takes too long or breaks off.
    pub(super) async fn drain(mut self, deadline: Instant) -> bool {
        let mut left = MAX_DRAINED;
        let reading = async {
            while let Some(frame) = self.frame().await {
                let length = frame.ok()?.data_ref().map_or(0, Bytes::len);
                left = left.checked_sub(length.try_into().ok()?)?;
            }
            Some(())
        };
        matches!(timeout_at(deadline, reading).await, Ok(Some(())))
    }
}

impl Body for SharedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut *self.0.lock()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }
}
