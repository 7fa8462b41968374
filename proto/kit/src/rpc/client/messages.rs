//! What a call sends: one message, which may be sent again, or several, which cannot.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::Body as _;
use tonic::body::Body;

/// The messages of a call.
pub(super) enum Messages {
    /// The only one.
    One(Bytes),
    /// Several, or some that are still to come: those that are here, and the rest.
    Several(Vec<Bytes>, Body),
}

impl Messages {
    /// Looks what is there, without waiting: the only message of a call comes at once.
    pub(super) fn of(mut body: Body) -> Self {
        let mut here = Vec::new();
        // Who waits for the rest asks again.
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(frame) = Pin::new(&mut body).poll_frame(&mut context) {
            match (
                frame.map(|frame| frame.map(http_body::Frame::into_data)),
                here.len(),
            ) {
                (Some(Ok(Ok(data))), _) => here.push(data),
                (None, 1) => return Self::One(here.swap_remove(0)),
                // The end of none or several, or a message that cannot be written.
                _ => break,
            }
        }
        Self::Several(here, body)
    }
}
