//! The socket of a connection, which closes without losing a response.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long closing a connection may take.
pub(super) const CLOSING: Duration = Duration::from_secs(1);

/// A stream that reads and drops for a moment what its client still sends after it was shut down. To close over unread bytes would be to reset
/// the connection, and a response still on its way would be lost with it: a proxy would answer 502 instead.
pub(super) struct LingeringStream {
    socket: TcpStream,
    /// Set while the stream is being closed.
    closing: Option<Pin<Box<Sleep>>>,
}

impl LingeringStream {
    pub(super) fn new(socket: TcpStream) -> Self {
        Self { socket, closing: None }
    }
}

impl AsyncRead for LingeringStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for LingeringStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_shutdown(context))?;
        let closing = self.closing.get_or_insert_with(|| Box::pin(sleep(CLOSING)));
        let mut is_over = closing.as_mut().poll(context).is_ready();
        let mut dropped = [0; 4096];
        while !is_over {
            let mut buffer = ReadBuf::new(&mut dropped);
            ready!(Pin::new(&mut self.socket).poll_read(context, &mut buffer))?;
            is_over = buffer.filled().is_empty();
        }
        Poll::Ready(Ok(()))
    }
}
