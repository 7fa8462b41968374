//! Bodies at the port: a request's may be only so long, and take only so long; an answer's belongs to its call to the last byte.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::pace::Call;

/// Why a body was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It is longer than a body may be.
    TooLong,
    /// It takes longer than a body may take.
    TooSlow,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the body is longer than it may be",
            Self::TooSlow => "the body did not come in time",
        })
    }
}

impl std::error::Error for Cut {}

/// A body within its bounds. Nothing of it is read before somebody asks for it.
pub(super) struct Bounded<B> {
    body: B,
    left: u64,
    until: Instant,
    /// Made when the body is first waited for.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<B> Bounded<B> {
    pub(super) fn new(body: B, length: u64, time: Duration) -> Self {
        Self {
            body,
            left: length,
            until: Instant::now() + time,
            sleep: None,
        }
    }
}

impl<B> Body for Bounded<B>
where
    B: Body<Data = Bytes, Error: Into<axum::BoxError>> + Unpin,
{
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let this = self.get_mut();
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
            let until = this.until;
            let sleep = this
                .sleep
                .get_or_insert_with(|| Box::pin(sleep_until(until)));
            ready!(sleep.as_mut().poll(context));
            return Poll::Ready(Some(Err(Cut::TooSlow.into())));
        };
        let Some(frame) = frame.transpose().map_err(Into::into)? else {
            return Poll::Ready(None);
        };
        let length = frame.data_ref().map_or(0, Bytes::len);
        let left = u64::try_from(length)
            .ok()
            .and_then(|length| this.left.checked_sub(length));
        this.left = left.ok_or(Cut::TooLong)?;
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer, whose call is over when nothing of it is left to ask for.
pub(super) struct Held {
    body: axum::body::Body,
    call: Option<Call>,
}

impl Held {
    pub(super) fn new(body: axum::body::Body, call: Call) -> Self {
        Self {
            body,
            call: Some(call),
        }
    }
}

impl Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.call = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Full};

    use super::*;

    async fn cut(length: u64) -> Option<Cut> {
        let five = Full::new(Bytes::from_static(b"kalah"));
        let read = Bounded::new(five, length, Duration::ZERO).collect().await;
        read.err().map(|error| *error.downcast_ref().unwrap())
    }

    #[tokio::test]
    async fn the_bound_is_the_last_that_passes() {
        // What is already there needs no time.
        assert_eq!(cut(5).await, None);
        assert_eq!(cut(4).await, Some(Cut::TooLong));
    }

    #[tokio::test]
    async fn what_does_not_come_is_not_waited_for() {
        let silent = http_body_util::StreamBody::new(futures::stream::pending::<
            Result<Frame<Bytes>, std::convert::Infallible>,
        >());
        let read = Bounded::new(silent, 5, Duration::ZERO).collect().await;
        assert_eq!(read.unwrap_err().downcast_ref(), Some(&Cut::TooSlow));
    }
}
