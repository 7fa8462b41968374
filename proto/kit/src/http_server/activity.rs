//! Timeouts of a connection: it has been without a request for too long, or its client takes nothing of a response.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::PortLimits;

/// How long a client may take none of the bytes that are sent to it.
pub(super) const UNTAKEN: Duration = Duration::from_secs(30);

/// The largest part of a response that is given to the HTTP library at once, so that a client that takes a large one slowly is seen to.
const PART: usize = 16 * 1024;

/// The requests of a connection.
#[derive(Debug)]
pub(super) struct Activity(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Requests that run, or whose responses are not written yet.
    running: u32,
    /// Responses over HTTP/2 whose next part the client does not take.
    untaken: u32,
    /// Whether a request has come.
    has_begun: bool,
    /// When the connection was opened, the last request ended, or the client last took a part of a response.
    since: Instant,
}

/// A running request, until this is dropped.
pub(super) struct RunningRequest {
    activity: Arc<Activity>,
    /// Whether its response is among the `untaken`.
    is_untaken: bool,
}

/// The body of a response. The HTTP library drops it when it is written. Over HTTP/2, the library asks for a part when the client takes one;
/// over HTTP/1.1 the kernel notices that it takes none.
pub(super) struct ResponseBody {
    body: Body,
    /// What is left of the last frame.
    rest: Bytes,
    running: RunningRequest,
    is_http2: bool,
}

impl ResponseBody {
    /// The body of the response to the `running` request.
    pub(super) fn new(body: Body, mut running: RunningRequest, is_http2: bool) -> Self {
        if is_http2 {
            running.set_untaken(true);
        }
        Self { body, rest: Bytes::new(), running, is_http2 }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.is_http2 {
            return Pin::new(&mut self.body).poll_frame(context);
        }
        if self.rest.is_empty() {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
                // The client waits for the service.
                self.running.set_untaken(false);
                return Poll::Pending;
            };
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(trailers))) => return Poll::Ready(Some(Ok(trailers))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        self.running.set_untaken(true);
        let part = self.rest.len().min(PART);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        let state = State { running: 0, untaken: 0, has_begun: false, since: Instant::now() };
        Arc::new(Self(Mutex::new(state)))
    }

    pub(super) fn begin(self: &Arc<Self>) -> RunningRequest {
        let mut state = self.0.lock();
        (state.running, state.has_begun) = (state.running + 1, true);
        drop(state);
        RunningRequest { activity: Arc::clone(self), is_untaken: false }
    }

    /// Waits until the connection has been without a request for too long, or its client has taken nothing of a response.
    ///
    /// No request wakes this task. A limit begins with an event, so what happens between two checks cannot expire before the second one.
    pub(super) async fn expired(&self, limits: PortLimits) {
        let shortest = UNTAKEN.min(limits.http_head).min(limits.http_idle);
        loop {
            let now = Instant::now();
            let mut next_check = now + shortest;
            if let Some(deadline) = self.deadline(limits) {
                if deadline <= now {
                    return;
                }
                next_check = next_check.min(deadline);
            }
            sleep_until(next_check).await;
        }
    }

    /// When the connection expires, as things are.
    fn deadline(&self, limits: PortLimits) -> Option<Instant> {
        let state = self.0.lock();
        let limit = match *state {
            State { untaken: 1.., .. } => UNTAKEN,
            State { running: 1.., .. } => return None,
            State { has_begun: true, .. } => limits.http_idle,
            State { .. } => limits.http_head,
        };
        Some(state.since + limit)
    }
}

impl RunningRequest {
    /// The response has a part for the client, or none yet. The client has taken the part before it, if there was one.
    fn set_untaken(&mut self, is_untaken: bool) {
        let mut state = self.activity.0.lock();
        // A further response does not give the client more time for those before it.
        if self.is_untaken || state.untaken == 0 {
            state.since = Instant::now();
        }
        state.untaken -= u32::from(self.is_untaken);
        state.untaken += u32::from(is_untaken);
        self.is_untaken = is_untaken;
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let mut state = self.activity.0.lock();
        state.running -= 1;
        state.untaken -= u32::from(self.is_untaken);
        // Neither does a response that ends.
        if state.untaken == 0 {
            state.since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::stream::{self, StreamExt as _};
    use http_body_util::BodyExt as _;
    use tokio::time::timeout;

    use super::*;

    const LIMITS: PortLimits = PortLimits {
        http_connections: 1,
        http_head: Duration::from_secs(10),
        http_idle: Duration::from_secs(75),
    };

    /// How long `activity` takes to expire from now, in seconds.
    async fn seconds_until_expired(activity: &Activity) -> u64 {
        let begun = Instant::now();
        activity.expired(LIMITS).await;
        begun.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_request_must_come_in_time_and_later_ones_may_take_longer() {
        let activity = Activity::new();
        assert_eq!(seconds_until_expired(&activity).await, 10);
        drop(activity.begin());
        assert_eq!(seconds_until_expired(&activity).await, 75);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_a_running_request_does_not_expire() {
        let activity = Activity::new();
        let (first, second) = (activity.begin(), activity.begin());
        let requests = async {
            tokio::time::sleep(LIMITS.http_idle * 2).await;
            drop(first);
            tokio::time::sleep(LIMITS.http_idle * 2).await;
            drop(second);
        };
        let (seconds, ()) = tokio::join!(seconds_until_expired(&activity), requests);
        assert_eq!(seconds, 5 * 75);
    }

    /// A body of these frames, after which the service has nothing to send yet.
    fn response(activity: &Arc<Activity>, frames: Vec<Bytes>) -> ResponseBody {
        let frames = stream::iter(frames).map(Ok::<_, Infallible>);
        let body = Body::from_stream(frames.chain(stream::pending()));
        ResponseBody::new(body, activity.begin(), true)
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_client_takes_nothing_of_a_response_expires() {
        let activity = Activity::new();
        let mut taken = response(&activity, vec![Bytes::from(vec![b'x'; 3 * PART])]);
        let _untaken = response(&activity, vec![Bytes::from_static(b"x")]);
        // The client takes a part of one response now and then.
        let takes = async {
            for _ in 0..3 {
                tokio::time::sleep(UNTAKEN / 2).await;
                let part = taken.frame().await.unwrap().unwrap();
                assert_eq!(part.into_data().unwrap().len(), PART);
            }
        };
        let (seconds, ()) = tokio::join!(seconds_until_expired(&activity), takes);
        assert_eq!(seconds, 3 * 15 + 30);

        let activity = Activity::new();
        let _first = response(&activity, vec![Bytes::from_static(b"x")]);
        let requests = async {
            tokio::time::sleep(UNTAKEN / 2).await;
            drop(response(&activity, Vec::new()));
            response(&activity, vec![Bytes::from_static(b"x")])
        };
        let (seconds, _second) = tokio::join!(seconds_until_expired(&activity), requests);
        assert_eq!(seconds, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_client_waits_for_the_service_does_not_expire() {
        let activity = Activity::new();
        let mut slow = response(&activity, vec![Bytes::from_static(b"x")]);
        let waits = async {
            assert!(slow.frame().await.is_some());
            assert!(timeout(UNTAKEN * 9, slow.frame()).await.is_err());
            drop(slow);
        };
        let (seconds, ()) = tokio::join!(seconds_until_expired(&activity), waits);
        assert_eq!(seconds, 9 * 30 + 75);
    }
}
