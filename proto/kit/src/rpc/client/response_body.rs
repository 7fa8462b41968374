//! The body of a response, streamed or complete.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::poll_fn;
use h2::RecvStream;
use http::HeaderMap;
use http_body::Frame;

use super::balancer::InFlightGuard;
use super::connection::poll_frame;
use super::transport_error::TransportError;

/// The body of a response.
#[derive(Debug)]
pub struct ResponseBody(Content);

#[derive(Debug)]
enum Content {
    Whole {
        data: VecDeque<Bytes>,
        trailers: Option<HeaderMap>,
    },
    Streaming {
        stream: RecvStream,
        /// The call is in flight until its response has ended.
        _in_flight: InFlightGuard,
    },
}

impl ResponseBody {
    /// A body that is still arriving.
    pub(super) fn streaming(stream: RecvStream, in_flight: InFlightGuard) -> Self {
        Self(Content::Streaming {
            stream,
            _in_flight: in_flight,
        })
    }

    /// Reads the complete body.
    pub(super) async fn whole(mut stream: RecvStream) -> Result<Self, TransportError> {
        let (mut data, mut trailers) = (VecDeque::new(), None);
        while let Some(frame) = poll_fn(|cx| poll_frame(&mut stream, cx)).await {
            let frame = frame.map_err(|error| TransportError::Broken(error.to_string().into()))?;
            match frame.into_data() {
                Ok(bytes) => data.push_back(bytes),
                Err(frame) => trailers = frame.into_trailers().ok(),
            }
            if trailers.is_some() {
                break;
            }
        }
        Ok(Self(Content::Whole { data, trailers }))
    }

    /// Whether a proxy or a server that is shutting down has answered, and not a handler, whose faults have details.
    pub(super) fn is_unavailable(&self, head: &HeaderMap) -> bool {
        let trailers = match &self.0 {
            Content::Whole { trailers, .. } => trailers.as_ref(),
            Content::Streaming { .. } => None,
        };
        // A response without messages has its status in the headers.
        [Some(head), trailers].into_iter().flatten().any(|headers| {
            let status = headers.get("grpc-status").map(http::HeaderValue::as_bytes);
            // Cancelled, unavailable.
            matches!(status, Some(b"1" | b"14")) && !headers.contains_key("grpc-status-details-bin")
        })
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        match &mut self.get_mut().0 {
            Content::Streaming { stream, .. } => poll_frame(stream, cx),
            Content::Whole { data, trailers } => {
                let frame = data.pop_front().map(Frame::data);
                let frame = frame.or_else(|| trailers.take().map(Frame::trailers));
                Poll::Ready(frame.map(Ok))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Streaming { stream, .. } => stream.is_end_stream(),
            Content::Whole { data, trailers } => data.is_empty() && trailers.is_none(),
        }
    }
}
