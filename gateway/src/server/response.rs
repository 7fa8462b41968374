//! Limits the memory of responses that wait to be sent.
//!
//! A response stays in memory until the client has received it. Over HTTP/2, a client can make a hundred requests and block all
//! responses. The responses of all connections together are therefore limited.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use bytes::Bytes;
use h2::Reason;
use http::header::CONTENT_LENGTH;
use http_body_util::BodyExt as _;

use super::timeouts::CallGuard;

/// Unsent bytes over all connections. A connection on which another response waits may only use the first quarter.
const MAX_UNSENT_BYTES: usize = 128 * 1024 * 1024;
/// Bytes of a response besides its body: its head, and the state of its stream.
const OVERHEAD: usize = 4 * 1024;

/// The number of unsent bytes, over all connections.
#[derive(Debug, Clone, Default)]
pub(super) struct UnsentResponses(Arc<AtomicUsize>);

/// A response that counts as unsent until it is dropped.
struct TrackedResponse {
    call: CallGuard,
    unsent: UnsentResponses,
}

/// A chunk of a response body. The HTTP library drops it when it is written.
struct BodyChunk(Bytes, Arc<TrackedResponse>);

impl UnsentResponses {
    /// Tracks the response to `call` until the HTTP library has written its last byte.
    ///
    /// # Errors
    /// There are too many unsent bytes. The error resets the stream over HTTP/2, and closes the connection over HTTP/1.1.
    pub(super) fn track(
        &self,
        mut call: CallGuard,
        response: Response,
    ) -> Result<Response, h2::Error> {
        let limit = if call.response_ready() {
            MAX_UNSENT_BYTES / 4
        } else {
            MAX_UNSENT_BYTES
        };
        let tracked = Arc::new(TrackedResponse {
            call,
            unsent: self.clone(),
        });
        if self.0.fetch_add(OVERHEAD, Relaxed) >= limit {
            return Err(Reason::ENHANCE_YOUR_CALM.into());
        }
        let (mut head, body) = response.into_parts();
        if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
            // The mapped body no longer knows its length.
            head.headers.entry(CONTENT_LENGTH).or_insert(length.into());
        }
        let body = body.map_frame(move |frame| {
            frame.map_data(|bytes| {
                tracked.unsent.0.fetch_add(bytes.len(), Relaxed);
                Bytes::from_owner(BodyChunk(bytes, Arc::clone(&tracked)))
            })
        });
        Ok(Response::from_parts(head, Body::new(body)))
    }
}

impl Drop for TrackedResponse {
    fn drop(&mut self) {
        self.unsent.0.fetch_sub(OVERHEAD, Relaxed);
    }
}

impl AsRef<[u8]> for BodyChunk {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for BodyChunk {
    fn drop(&mut self) {
        self.1.unsent.0.fetch_sub(self.0.len(), Relaxed);
        self.1.call.chunk_written();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;
    use crate::config::Timeouts;
    use crate::server::timeouts::Deadlines;

    fn connection() -> Arc<Deadlines> {
        let timeout = Duration::from_secs(1);
        let timeouts = Timeouts {
            http_head: timeout,
            http_body: timeout,
            http_idle: timeout,
            http_write: timeout,
        };
        Arc::new(Deadlines::new(timeouts, Instant::now()))
    }

    fn tracked(
        unsent: &UnsentResponses,
        connection: &Arc<Deadlines>,
    ) -> Result<Response, h2::Error> {
        let call = CallGuard::begin(connection, true);
        unsent.track(call, Response::new(Body::from("kalah")))
    }

    #[tokio::test]
    async fn a_response_counts_until_its_last_byte_is_dropped() {
        let unsent = UnsentResponses::default();
        let bytes = || unsent.0.load(Relaxed);
        let response = tracked(&unsent, &connection()).unwrap();
        assert_eq!(response.headers()[CONTENT_LENGTH], "5");
        let mut body = response.into_body();
        assert_eq!(bytes(), OVERHEAD);
        let part = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(bytes(), OVERHEAD + 5);
        assert_eq!(part, "kalah");
        drop(part);
        assert_eq!(bytes(), 0);
    }

    #[test]
    fn a_connection_with_an_unsent_response_gets_a_quarter_of_the_memory() {
        let (unsent, one, other) = (UnsentResponses::default(), connection(), connection());
        let waits = tracked(&unsent, &one).unwrap();
        unsent.0.fetch_add(MAX_UNSENT_BYTES / 4, Relaxed);
        assert!(tracked(&unsent, &one).is_err());
        drop(tracked(&unsent, &other).unwrap());
        unsent
            .0
            .fetch_add(MAX_UNSENT_BYTES - MAX_UNSENT_BYTES / 4, Relaxed);
        assert!(tracked(&unsent, &other).is_err());
        unsent.0.fetch_sub(MAX_UNSENT_BYTES, Relaxed);
        assert!(tracked(&unsent, &one).is_ok());
        drop(waits);
        assert_eq!(unsent.0.load(Relaxed), 0);
    }
}
