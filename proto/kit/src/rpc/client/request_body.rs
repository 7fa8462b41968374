//! What a call sends: one message, which can be sent again, or a stream of messages, which cannot.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::Body as _;
use tonic::body::Body;

/// The messages of a call.
pub(super) enum RequestBody {
    /// The only message.
    Unary(Bytes),
    /// The messages that are here, and the rest of the stream.
    Streaming(Vec<Bytes>, Body),
}

impl RequestBody {
    /// Takes the messages that are ready, without waiting: the only message of a call is.
    pub(super) fn new(mut body: Body) -> Self {
        let mut here = Vec::new();
        // Whoever sends the rest polls again.
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(frame) = Pin::new(&mut body).poll_frame(&mut context) {
            match (
                frame.map(|frame| frame.map(http_body::Frame::into_data)),
                here.len(),
            ) {
                (Some(Ok(Ok(data))), _) => here.push(data),
                (None, 1) => return Self::Unary(here.swap_remove(0)),
                // The end of none or several, or a message that cannot be written.
                _ => break,
            }
        }
        Self::Streaming(here, body)
    }
}
