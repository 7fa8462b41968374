//! The body of a request: one message, which can be sent again, or a stream of messages, which cannot.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::Body as _;
use tonic::body::Body;

/// The messages of a call.
pub(super) enum RequestBody {
    /// The only message.
    Unary(Bytes),
    /// The messages that are ready, and the rest of the stream.
    Streaming(Vec<Bytes>, Body),
}

impl RequestBody {
    /// Reads the messages that are ready, without waiting. The message of a unary call always is.
    pub(super) fn new(mut body: Body) -> Self {
        let mut ready = Vec::new();
        // The sender of the rest polls the body again.
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(frame) = Pin::new(&mut body).poll_frame(&mut context) {
            match (frame.map(|frame| frame.map(http_body::Frame::into_data)), ready.len()) {
                (Some(Ok(Ok(data))), _) => ready.push(data),
                (None, 1) => return Self::Unary(ready.swap_remove(0)),
                // A stream with no or several messages, or an encoding error.
                _ => break,
            }
        }
        Self::Streaming(ready, body)
    }
}
