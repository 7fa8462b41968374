//! The body of a response. A call holds the flow-control window in memory; an idempotent one also its first message.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use tokio::time::{Sleep, sleep};
use tonic::Status;

use super::Idempotent;
use super::balancer::InFlightGuard;
use super::connection::body_error;
use super::transport_error::TransportError;

/// Bytes before each message: a flag and the length (gRPC over HTTP/2, "Length-Prefixed-Message").
const MESSAGE_PREFIX: usize = 5;

/// The body of a response.
#[derive(Debug)]
pub struct ResponseBody {
    /// Frames that were read before the response was returned.
    first: VecDeque<Frame<Bytes>>,
    stream: UnsyncBoxBody<Bytes, TransportError>,
    /// How long each further frame may take; `None` for a stream that may be silent.
    idle_timeout: Option<Duration>,
    /// Runs while the caller waits for a frame.
    timer: Option<Pin<Box<Sleep>>>,
    /// The call is in flight until its response has ended.
    _in_flight: InFlightGuard,
}

impl ResponseBody {
    pub(super) fn new<B>(body: B, in_flight: InFlightGuard) -> Self
    where
        B: http_body::Body<Data = Bytes, Error: std::error::Error + 'static> + Send + 'static,
    {
        Self {
            first: VecDeque::new(),
            stream: body.map_err(|error| body_error(&error)).boxed_unsync(),
            idle_timeout: None,
            timer: None,
            _in_flight: in_flight,
        }
    }

    /// Reads up to the trailers of a unary response, and up to the end of the first message of a stream.
    pub(super) async fn read_start(
        &mut self,
        idempotent: Idempotent,
        idle_timeout: Duration,
    ) -> Result<(), TransportError> {
        let is_stream = idempotent == Idempotent::ServerStreaming;
        self.idle_timeout = Some(idle_timeout);
        let (mut prefix, mut received) = ([0; MESSAGE_PREFIX], 0);
        while let Some(frame) = self.stream.frame().await {
            let frame = frame?;
            if let Some(data) = frame.data_ref() {
                let missing = prefix.iter_mut().skip(received);
                missing.zip(data).for_each(|(to, from)| *to = *from);
                received += data.len();
            }
            let is_last = frame.is_trailers() || is_stream && has_message(prefix, received);
            self.first.push_back(frame);
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// Why another replica may respond: a proxy, a server that is shutting down or a replica that lags
    /// ([`replica_unavailable`](crate::api::fault::replica_unavailable)) has answered. `None` for all other responses: faults of handlers have
    /// details.
    pub(super) fn unavailable_reason(&self, head: &HeaderMap) -> Option<Arc<str>> {
        let trailers = self.first.back().and_then(Frame::trailers_ref);
        // A response without messages has its status in the headers.
        let mut heads = [Some(head), trailers].into_iter().flatten();
        let unavailable = heads.find(|headers| {
            let status = headers.get("grpc-status").map(http::HeaderValue::as_bytes);
            // Cancelled, unavailable.
            matches!(status, Some(b"1" | b"14")) && !headers.contains_key("grpc-status-details-bin")
        });
        let status = Status::from_header_map(unavailable?)?;
        let reason = format!("the replica is unavailable: {}", status.message());
        Some(reason.into())
    }
}

/// Whether so many bytes contain the message with this prefix.
fn has_message([_flag, length @ ..]: [u8; MESSAGE_PREFIX], received: usize) -> bool {
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    received >= MESSAGE_PREFIX && received - MESSAGE_PREFIX >= length
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        if let Some(frame) = this.first.pop_front() {
            return Poll::Ready(Some(Ok(frame)));
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.stream).poll_frame(cx) {
            this.timer = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Status::from)));
        }
        // The time that the caller takes between two frames does not count.
        let Some(idle_timeout) = this.idle_timeout else {
            return Poll::Pending;
        };
        let timer = this.timer.get_or_insert_with(|| Box::pin(sleep(idle_timeout)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Some(Err(TransportError::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && self.stream.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use http::Uri;
    use http_body_util::StreamBody;
    use tokio::sync::mpsc;
    use tokio::time::Instant;
    use tokio_stream::wrappers::UnboundedReceiverStream;
    use tonic::Code;

    use super::super::balancer::Replica;
    use super::super::transport::Transport;
    use super::*;

    #[test]
    fn a_message_is_whole_with_its_last_byte() {
        let prefix = [0, 0, 0, 1, 2];
        let whole = MESSAGE_PREFIX + 258;
        for received in [0, 4, 5, whole - 1] {
            assert!(!has_message(prefix, received), "{received}");
        }
        assert!(has_message(prefix, whole) && has_message(prefix, whole + 1));
        // Nothing has arrived yet, which is not an empty message.
        assert!(!has_message([0; MESSAGE_PREFIX], 0));
        assert!(has_message([0; MESSAGE_PREFIX], MESSAGE_PREFIX));
    }

    async fn next(body: &mut ResponseBody) -> Option<Result<Frame<Bytes>, Status>> {
        body.frame().await
    }

    /// A response, and the sender of its frames.
    fn response() -> (ResponseBody, mpsc::UnboundedSender<Result<Frame<Bytes>, io::Error>>) {
        let (server, frames) = mpsc::unbounded_channel();
        let frames = UnboundedReceiverStream::new(frames);
        let guard = Replica::new(Uri::default(), &Transport::plain(), &Arc::default()).acquire();
        (ResponseBody::new(StreamBody::new(frames), guard), server)
    }

    const EMPTY_MESSAGE: Bytes = Bytes::from_static(&[0; MESSAGE_PREFIX]);

    #[tokio::test(start_paused = true)]
    async fn the_deadline_of_a_call_bounds_each_silence_and_not_the_whole() {
        let deadline = Duration::from_secs(4);
        let (mut body, server) = response();
        let send_message = || server.send(Ok(Frame::data(EMPTY_MESSAGE))).unwrap();
        send_message();
        body.read_start(Idempotent::ServerStreaming, deadline).await.unwrap();
        assert!(next(&mut body).await.unwrap().is_ok());
        for _ in 0..3 {
            // Pauses of the caller do not count.
            sleep(deadline * 2).await;
            let answering = async {
                sleep(deadline * 3 / 4).await;
                send_message();
            };
            let (frame, ()) = tokio::join!(next(&mut body), answering);
            assert!(frame.unwrap().is_ok());
        }
        let silent_since = Instant::now();
        let status = next(&mut body).await.unwrap().unwrap_err();
        assert_eq!(status.code(), Code::DeadlineExceeded);
        assert_eq!(silent_since.elapsed().as_secs(), deadline.as_secs());
    }

    #[tokio::test]
    async fn a_response_that_ends_without_trailers_is_broken() {
        let deadline = Duration::from_secs(4);
        for idempotent in [Idempotent::Unary, Idempotent::ServerStreaming] {
            let (mut body, server) = response();
            server.send(Ok(Frame::data(EMPTY_MESSAGE))).unwrap();
            server.send(Err(io::ErrorKind::ConnectionReset.into())).unwrap();
            let read = body.read_start(idempotent, deadline).await;
            // Until a unary response has ended, the client can still retry on another replica.
            let is_broken = matches!(read, Err(TransportError::Broken(_)));
            assert_eq!(is_broken, idempotent == Idempotent::Unary, "{read:?}");
            if idempotent == Idempotent::ServerStreaming {
                assert!(next(&mut body).await.unwrap().is_ok());
                let status = next(&mut body).await.unwrap().unwrap_err();
                assert_eq!(status.code(), Code::Unavailable);
            }
        }
    }
}
