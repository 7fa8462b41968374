//! A connection's bytes, with its pace kept, and with an end that loses no answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::pace::Pace;
use super::turns::Gate;

/// A stream that tells how it goes.
pub(super) struct Paced {
    stream: TcpStream,
    pace: Arc<Pace>,
    /// What was read from the stream and not used: it is read again first.
    ahead: Bytes,
    /// Over HTTP/2.
    gate: Option<Gate>,
}

impl Paced {
    pub(super) fn new(stream: TcpStream, pace: &Arc<Pace>) -> Self {
        Self {
            stream,
            pace: Arc::clone(pace),
            ahead: Bytes::new(),
            gate: None,
        }
    }

    /// The same, read when the gate is open.
    pub(super) fn behind(self, gate: Gate) -> Self {
        Self {
            gate: Some(gate),
            ..self
        }
    }

    /// Gives back what was read and not used.
    pub(super) fn rewind(mut self, unused: Bytes) -> Self {
        debug_assert!(self.ahead.is_empty(), "it was read to the end before");
        self.ahead = unused;
        self
    }

    /// Waits for bytes, or for the caller's end.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.stream.readable().await
    }

    fn watched<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_pending() {
            self.pace.held_up();
        }
        written
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.ahead.is_empty() {
            let length = self.ahead.len().min(buffer.remaining());
            buffer.put_slice(&self.ahead.split_to(length));
            return Poll::Ready(Ok(()));
        }
        if let Some(gate) = &mut self.gate {
            ready!(gate.poll_open(context));
        }
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.pace.received();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watched(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// The library flushes once everything it has is written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.pace.taken();
        Poll::Ready(Ok(()))
    }

    /// Says that no more comes, then reads and drops what the caller still sends, for a moment. To close over unread bytes would be
    /// to reset the connection, and an answer still on its way (413, 431) would be lost with it.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pace.part();
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        let mut dropped = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut dropped);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
