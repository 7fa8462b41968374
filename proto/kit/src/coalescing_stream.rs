//! A socket whose small writes of a moment leave in one system call.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker, ready};

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tonic::transport::server::{Connected, TcpConnectInfo};

/// A write of at least so many bytes is not copied: it leaves at once.
const LARGE: usize = 16 * 1024;
/// The most bytes that wait.
const CAPACITY: usize = 64 * 1024;

/// A socket of HTTP/2, which the library flushes after each call. A flush waits here until all tasks that are ready have run: calls that
/// arrive together are answered together, and the other side is woken once.
///
/// The task that has flushed is woken when the bytes are due. It sends them when it reads or flushes next, as a task that serves a
/// connection does when it is woken.
#[derive(Debug)]
pub(crate) struct CoalescingStream {
    socket: TcpStream,
    waiting: BytesMut,
    /// Set by a flush, until the bytes have left.
    due: Option<Arc<Due>>,
}

/// When the waiting bytes leave.
#[derive(Debug)]
struct Due {
    is_due: AtomicBool,
    task: Waker,
}

impl Wake for Due {
    fn wake(self: Arc<Self>) {
        self.is_due.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

impl CoalescingStream {
    pub(crate) fn new(socket: TcpStream) -> Self {
        Self { socket, waiting: BytesMut::new(), due: None }
    }

    fn is_due(&self) -> bool {
        self.due.as_ref().is_some_and(|due| due.is_due.load(Ordering::Acquire))
    }

    fn send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.waiting.is_empty() {
            let sent = ready!(Pin::new(&mut self.socket).poll_write(context, &self.waiting))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.waiting.advance(sent);
        }
        self.due = None;
        Poll::Ready(Ok(()))
    }
}

impl Drop for CoalescingStream {
    /// TLS writes why it refuses a certificate, and neither flushes nor shuts down.
    fn drop(&mut self) {
        if !self.waiting.is_empty() {
            // What does not fit into the socket now is lost, as the connection is.
            drop(self.socket.try_write(&self.waiting));
        }
    }
}

impl AsyncRead for CoalescingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_due() {
            // An error of it is one of the next write, too: what has arrived is read first.
            drop(self.send(context));
        }
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for CoalescingStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = parts.iter().map(|part| part.len()).sum();
        if length >= LARGE || self.waiting.len() + length > CAPACITY {
            ready!(self.send(context))?;
        }
        if length >= LARGE {
            return Pin::new(&mut self.socket).poll_write_vectored(context, parts);
        }
        for part in parts {
            self.waiting.extend_from_slice(part);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_due() {
            return self.send(context);
        }
        // The task that flushed before may have given the stream to this one.
        let wakes_task = self.due.as_ref().is_some_and(|due| due.task.will_wake(context.waker()));
        if !wakes_task && !self.waiting.is_empty() {
            let task = context.waker().clone();
            let due = Arc::new(Due { is_due: AtomicBool::new(false), task });
            self.due = Some(Arc::clone(&due));
            // The runtime wakes it when no other task is ready. The future itself is not needed.
            let waker = Waker::from(due);
            let is_pending = pin!(yield_now()).poll(&mut Context::from_waker(&waker));
            debug_assert!(is_pending.is_pending());
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send(context))?;
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

impl Connected for CoalescingStream {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.socket.connect_info()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::*;

    async fn connection() -> (CoalescingStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (CoalescingStream::new(stream), listener.accept().await.unwrap().0)
    }

    #[tokio::test]
    async fn flushes_of_a_moment_send_once() {
        let (mut stream, mut other) = connection().await;
        for part in ["a", "b"] {
            stream.write_all(part.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        }
        let mut received = [0; 8];
        let error = other.try_read(&mut received).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        yield_now().await;
        stream.flush().await.unwrap();
        assert_eq!(other.read(&mut received).await.unwrap(), 2);
        assert_eq!(&received[..2], b"ab");
    }

    #[tokio::test]
    async fn a_task_that_waits_is_woken_to_send_what_it_has_flushed() {
        let (mut stream, mut other) = connection().await;
        stream.write_all(b"a").await.unwrap();
        stream.flush().await.unwrap();
        // As a TLS handshake does, it flushes once and reads.
        let received = tokio::select! {
            _ = stream.read_u8() => unreachable!("the other side sends nothing"),
            received = other.read_u8() => received,
        };
        assert_eq!(received.unwrap(), b'a');
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "the task is what is tested")]
    async fn the_task_that_flushed_last_sends() {
        let (mut stream, mut other) = connection().await;
        stream.write_all(b"a").await.unwrap();
        stream.flush().await.unwrap();
        // As a connection does whose handshake was the work of another task.
        let task = tokio::spawn(async move {
            stream.write_all(b"b").await.unwrap();
            stream.flush().await.unwrap();
            stream.read_u8().await.unwrap()
        });
        let mut received = [0; 2];
        timeout(Duration::from_secs(30), other.read_exact(&mut received)).await.unwrap().unwrap();
        assert_eq!(&received, b"ab");
        other.write_all(b"c").await.unwrap();
        assert_eq!(task.await.unwrap(), b'c');
    }

    #[tokio::test]
    async fn what_has_arrived_is_read_although_a_write_fails() {
        let (mut stream, mut other) = connection().await;
        other.write_all(b"ab").await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'a');
        // Each further write fails.
        Pin::new(&mut stream.socket).shutdown().await.unwrap();
        stream.write_all(b"c").await.unwrap();
        stream.flush().await.unwrap();
        yield_now().await;
        assert_eq!(stream.read_u8().await.unwrap(), b'b');
        stream.flush().await.unwrap_err();
    }

    #[tokio::test]
    async fn a_large_write_and_a_shutdown_send_what_waits_first() {
        let (mut stream, mut other) = connection().await;
        stream.write_all(b"a").await.unwrap();
        let large = vec![b'b'; LARGE];
        stream.write_all(&large).await.unwrap();
        stream.write_all(b"c").await.unwrap();
        stream.shutdown().await.unwrap();
        let mut received = Vec::new();
        other.read_to_end(&mut received).await.unwrap();
        assert_eq!(received, [b"a", &*large, b"c"].concat());
    }

    #[tokio::test]
    async fn no_more_than_the_capacity_waits() {
        let (mut stream, _other) = connection().await;
        for _ in 0..2 * CAPACITY / 1_000 {
            stream.write_all(&[0; 1_000]).await.unwrap();
            assert!(stream.waiting.len() <= CAPACITY);
        }
    }
}
