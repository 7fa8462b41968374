//! The body of a response that is a stream. A call holds the flow-control window in memory.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;
use hyper::body::Incoming;
use tonic::Status;

use super::balancer::InFlightGuard;
use super::connection::body_error;

/// The body of a response.
#[derive(Debug)]
pub struct ResponseBody {
    body: Incoming,
    /// The call is in flight until its response has ended.
    _in_flight: InFlightGuard,
}

impl ResponseBody {
    pub(super) fn new(body: Incoming, in_flight: InFlightGuard) -> Self {
        Self { body, _in_flight: in_flight }
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        frame.map_err(|error| body_error(&error).into())
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}
