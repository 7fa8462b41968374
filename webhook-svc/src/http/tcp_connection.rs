//! TCP connections that say when they end, so that a request which its connection has lost is found.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Extensions;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// A connection that ends reports it to each of its requests. A request without a report after this time is lost: hyper loses a request that
/// is queued just as the connection stops taking requests.
const REPORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Says when a connection ends, as an extra of hyper-util's [`Connected`].
#[derive(Clone, Debug)]
struct ConnectionEnd(Arc<CancellationToken>);

impl ConnectionEnd {
    /// The end of the connection to which the client has given a request, the last time.
    async fn of(request: &mut CaptureConnection) -> Option<Self> {
        let mut extras = Extensions::new();
        if let Some(connected) = &*request.wait_for_connection_metadata().await {
            connected.get_extras(&mut extras);
        }
        extras.remove()
    }
}

/// Waits until a request is lost: its connection has ended, and it has got no report.
pub(super) async fn until_request_is_lost(mut request: CaptureConnection) {
    while let Some(end) = ConnectionEnd::of(&mut request).await {
        end.0.cancelled().await;
        sleep(REPORT_TIMEOUT).await;
        // The client may have given the request to another connection.
        let last = ConnectionEnd::of(&mut request).await;
        if last.is_some_and(|last| Arc::ptr_eq(&last.0, &end.0)) {
            return;
        }
    }
    std::future::pending::<()>().await;
}

/// A TCP connection that says when it ends.
#[derive(Debug)]
pub(super) struct TcpConnection {
    stream: TokioIo<TcpStream>,
    end: ConnectionEnd,
}

impl TcpConnection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream: TokioIo::new(stream),
            end: ConnectionEnd(Arc::default()),
        }
    }
}

impl Drop for TcpConnection {
    fn drop(&mut self) {
        self.end.0.cancel();
    }
}

impl Connection for TcpConnection {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.end.clone())
    }
}

impl Read for TcpConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for TcpConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
