//! Answers between the router and the socket: how many bytes of them wait for callers to take them.
//!
//! An answer that its caller does not take stays in memory. Over HTTP/2 a caller may make a hundred calls and let no byte of their
//! answers through; so the answers of all connections together have a bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use bytes::Bytes;
use h2::Reason;
use http::header::CONTENT_LENGTH;
use http_body_util::BodyExt as _;

use super::timeouts::Call;

/// Bytes of answers that may wait for callers, over all connections. A connection on which another answer waits already has a quarter.
const MOST: usize = 128 * 1024 * 1024;
/// What an answer costs beside its body: its head, and the state of its stream.
const OVERHEAD: usize = 4 * 1024;

/// How many bytes of answers wait for callers, over all connections.
#[derive(Debug, Clone, Default)]
pub(super) struct Unsent(Arc<AtomicUsize>);

/// An answer that is not written yet, until this is dropped.
struct Answer {
    call: Call,
    unsent: Unsent,
}

/// A part of an answer's body. The library drops it when it is written.
struct Part(Bytes, Arc<Answer>);

impl Unsent {
    /// The answer to `call`, which counts until the library has written the last of its bytes.
    ///
    /// # Errors
    /// There is no room for it. An error resets the call's stream over HTTP/2, and closes the connection over HTTP/1.1.
    pub(super) fn track(&self, mut call: Call, response: Response) -> Result<Response, h2::Error> {
        let most = if call.answered() { MOST / 4 } else { MOST };
        let answer = Arc::new(Answer {
            call,
            unsent: self.clone(),
        });
        if self.0.fetch_add(OVERHEAD, Relaxed) >= most {
            return Err(Reason::ENHANCE_YOUR_CALM.into());
        }
        let (mut head, body) = response.into_parts();
        if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
            // What is mapped has no length any more.
            head.headers.entry(CONTENT_LENGTH).or_insert(length.into());
        }
        let body = body.map_frame(move |frame| {
            frame.map_data(|bytes| {
                answer.unsent.0.fetch_add(bytes.len(), Relaxed);
                Bytes::from_owner(Part(bytes, Arc::clone(&answer)))
            })
        });
        Ok(Response::from_parts(head, Body::new(body)))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.unsent.0.fetch_sub(OVERHEAD, Relaxed);
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.1.unsent.0.fetch_sub(self.0.len(), Relaxed);
        self.1.call.part_written();
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

    fn answer(unsent: &Unsent, connection: &Arc<Deadlines>) -> Result<Response, h2::Error> {
        let call = Call::begin(connection, true);
        unsent.track(call, Response::new(Body::from("kalah")))
    }

    #[tokio::test]
    async fn an_answer_counts_until_the_last_of_its_bytes_is_dropped() {
        let unsent = Unsent::default();
        let bytes = || unsent.0.load(Relaxed);
        let answer = answer(&unsent, &connection()).unwrap();
        assert_eq!(answer.headers()[CONTENT_LENGTH], "5");
        let mut body = answer.into_body();
        assert_eq!(bytes(), OVERHEAD);
        let part = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(bytes(), OVERHEAD + 5);
        assert_eq!(part, "kalah");
        drop(part);
        assert_eq!(bytes(), 0);
    }

    #[test]
    fn a_connection_on_which_others_wait_gets_a_quarter_of_the_room() {
        let (unsent, one, other) = (Unsent::default(), connection(), connection());
        let waits = answer(&unsent, &one).unwrap();
        unsent.0.fetch_add(MOST / 4, Relaxed);
        assert!(answer(&unsent, &one).is_err());
        drop(answer(&unsent, &other).unwrap());
        unsent.0.fetch_add(MOST - MOST / 4, Relaxed);
        assert!(answer(&unsent, &other).is_err());
        unsent.0.fetch_sub(MOST, Relaxed);
        assert!(answer(&unsent, &one).is_ok());
        drop(waits);
        assert_eq!(unsent.0.load(Relaxed), 0);
    }
}
