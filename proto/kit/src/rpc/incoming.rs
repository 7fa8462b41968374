//! The connections of one worker thread of the gRPC server.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use futures::stream::poll_fn;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::workers::{Assigned, Receiver};

/// A connection. It counts for the load of its worker until it is closed.
pub(super) struct Connection {
    stream: TcpStream,
    _guard: Assigned<()>,
}

/// The connections that a worker receives, ready to be served.
pub(super) fn connections(
    mut assigned: Receiver<std::net::TcpStream>,
) -> impl Stream<Item = io::Result<Connection>> {
    poll_fn(move |context| {
        let connection = std::task::ready!(assigned.poll_recv(context));
        Poll::Ready(connection.map(|connection| {
            let (stream, guard) = connection.into_parts();
            let stream = TcpStream::from_std(stream)?;
            // Without TCP_NODELAY the last packet of a response waits for the caller's delayed acknowledgement, 40 ms.
            stream.set_nodelay(true)?;
            Ok(Connection {
                stream,
                _guard: guard,
            })
        }))
    })
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
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
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
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
