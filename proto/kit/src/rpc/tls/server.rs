//! The server's side of a connection.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tonic::transport::server::Connected;

use super::certificate::dns_names;
use super::{Credentials, PeerNames};
use crate::throttle::Throttle;

/// The deadline of a handshake, and of the connection preface of HTTP/2 after it.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The length of the preface, `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n` (RFC 9113, section 3.4).
const PREFACE_LENGTH: usize = 24;
/// The most handshakes at once; further connections wait in the kernel's backlog.
const MAX_HANDSHAKES: usize = 1_024;
/// Warnings of failed handshakes.
static WARNINGS: Throttle = Throttle::new();

/// A connection of a caller, with or without TLS.
pub(in crate::rpc) struct Connection {
    stream: Either<TcpStream, TlsStream<TcpStream>>,
    /// Bytes of `stream` that the handshake has read.
    unread: Bytes,
    peer: Option<PeerNames>,
}

impl Connection {
    /// A connection without TLS.
    pub(in crate::rpc) fn plain(stream: TcpStream) -> Self {
        Self {
            stream: Either::Left(stream),
            unread: Bytes::new(),
            peer: None,
        }
    }

    async fn handshake(stream: TcpStream, acceptor: TlsAcceptor) -> io::Result<Self> {
        let handshake = async {
            let mut stream = acceptor.accept(stream).await?;
            // hyper would wait for the preface without a deadline. It checks these bytes, and pings the caller from then on.
            let mut preface = [0; PREFACE_LENGTH];
            stream.read_exact(&mut preface).await?;
            Ok::<_, io::Error>((stream, preface))
        };
        let (stream, preface) = timeout(HANDSHAKE_TIMEOUT, handshake).await??;
        let (_, session) = stream.get_ref();
        // Verified by the handshake.
        let certificate = session.peer_certificates().and_then(<[_]>::first);
        let names = certificate.map(dns_names).transpose();
        let names = names.map_err(io::Error::other)?;
        Ok(Self {
            peer: names.map(|names| PeerNames(names.into())),
            stream: Either::Right(stream),
            unread: Bytes::copy_from_slice(&preface),
        })
    }
}

/// Makes a handshake with each caller. Slow callers do not hold up others.
pub(in crate::rpc) fn handshakes(
    connections: impl Stream<Item = io::Result<TcpStream>>,
    credentials: Credentials,
) -> impl Stream<Item = io::Result<Connection>> {
    // Prometheus sees an increase only from a value that it has read.
    count_failures(0);
    let handshake = move |accepted: io::Result<TcpStream>| {
        let acceptor = TlsAcceptor::from(credentials.server_config());
        async move {
            let stream = accepted?;
            let peer = stream.peer_addr().ok();
            let connection = Connection::handshake(stream, acceptor).await;
            if let Err(error) = &connection {
                record_failure(error, peer);
            }
            connection
        }
    };
    connections.map(handshake).buffer_unordered(MAX_HANDSHAKES)
}

/// A probe that opens a connection and closes it is no failure.
fn record_failure(error: &io::Error, peer: Option<SocketAddr>) {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return tracing::debug!(
            ?peer,
            "a caller closed its connection before its first request"
        );
    }
    count_failures(1);
    if WARNINGS.admits() {
        tracing::warn!(
            %error,
            ?peer,
            "refused a caller: its address of this port must begin with https://, and an authority of tls_ca must have \
             signed its certificate, if it has one. tls_handshakes_failed_total counts further ones"
        );
    } else {
        tracing::debug!(%error, ?peer, "refused a caller");
    }
}

fn count_failures(number: u64) {
    metrics::counter!("tls_handshakes_failed_total").increment(number);
}

impl Connected for Connection {
    type ConnectInfo = Option<PeerNames>;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.peer.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.unread.is_empty() {
            let length = self.unread.len().min(buf.remaining());
            buf.put_slice(&self.unread.split_to(length));
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
