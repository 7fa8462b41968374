//! What a connection over HTTP/2 writes, in bursts. The library writes each of an answer's frames by itself; here all that the
//! connection has to say at a moment is one write. While calls are turned away a moment is longer, as it is for what is read.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::io::Paced;
use super::turns::Gate;

/// Bytes that are gathered at most; the library waits with more until they are written.
const MOST: usize = 64 * 1024;

/// The connection as the library has it: to write is to gather.
pub(super) struct Gathered<T = Paced>(Arc<Mutex<Burst<T>>>);

/// What was gathered on a connection, on its way.
pub(super) struct Outgoing<T = Paced> {
    burst: Arc<Mutex<Burst<T>>>,
    gate: Gate,
}

struct Burst<T> {
    io: T,
    unsent: BytesMut,
}

/// The connection, and what is to be polled after it to send what it has gathered, when the gate is open.
pub(super) fn gather<T>(io: T, gate: Gate) -> (Gathered<T>, Outgoing<T>) {
    let burst = Burst {
        io,
        unsent: BytesMut::new(),
    };
    let burst = Arc::new(Mutex::new(burst));
    (Gathered(Arc::clone(&burst)), Outgoing { burst, gate })
}

fn lock<T>(burst: &Mutex<Burst<T>>) -> MutexGuard<'_, Burst<T>> {
    burst.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: AsyncWrite + Unpin> Burst<T> {
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let written = ready!(Pin::new(&mut self.io).poll_write(context, &self.unsent))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unsent.advance(written);
        }
        // A connection that rests keeps no buffer.
        self.unsent = BytesMut::new();
        Pin::new(&mut self.io).poll_flush(context)
    }
}

impl<T: AsyncWrite + Unpin> Outgoing<T> {
    /// Sends what is gathered, again and again. Ends when the connection has broken off.
    pub(super) async fn broken(mut self) -> io::Error {
        poll_fn(|context| {
            let mut burst = lock(&self.burst);
            if burst.unsent.is_empty() {
                return Poll::Pending;
            }
            ready!(self.gate.poll_open(context));
            match ready!(burst.poll_send(context)) {
                Ok(()) => Poll::Pending,
                Err(error) => Poll::Ready(error),
            }
        })
        .await
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Gathered<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut lock(&self.0).io).poll_read(context, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Gathered<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut burst = lock(&self.0);
        if burst.unsent.len() >= MOST {
            ready!(burst.poll_send(context))?;
        }
        let gathered = bytes.len().min(MOST - burst.unsent.len());
        burst.unsent.extend_from_slice(&bytes[..gathered]);
        Poll::Ready(Ok(gathered))
    }

    /// The library flushes after each frame. What is gathered is on its way without that.
    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut burst = lock(&self.0);
        ready!(burst.poll_send(context))?;
        Pin::new(&mut burst.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::timeout;

    use super::super::turns::{Queue, Turns};
    use super::*;

    /// Of a thread that turns nobody away.
    fn gate() -> Gate {
        Gate::new(&Arc::new(Queue::new(Turns::with(1))))
    }

    #[tokio::test]
    async fn what_is_written_goes_out_when_its_connection_has_said_all() {
        let (near, mut far) = duplex(MOST);
        let (mut library, outgoing) = gather(near, gate());
        for frame in ["head", "data"] {
            library.write_all(frame.as_bytes()).await.unwrap();
            library.flush().await.unwrap();
        }
        let mut read = [0; 16];
        assert!(far.read(&mut read).now_or_never().is_none());
        assert!(Box::pin(outgoing.broken()).now_or_never().is_none());
        let length = far.read(&mut read).now_or_never().unwrap().unwrap();
        assert_eq!(&read[..length], b"headdata");
    }

    #[tokio::test(start_paused = true)]
    async fn while_calls_are_turned_away_more_goes_out_together() {
        let crowded = Turns::with(0);
        let gate = Gate::new(&Arc::new(Queue::new(crowded)));
        let (near, mut far) = duplex(MOST);
        let (mut library, outgoing) = gather(near, gate);
        let mut read = [0; 16];
        let answers = async {
            for _ in 0..2 {
                library.write_all(b"an").await.unwrap();
                tokio::time::sleep(Duration::from_millis(10)).await;
                library.write_all(b"swer").await.unwrap();
                let length = far.read(&mut read).await.unwrap();
                assert_eq!(&read[..length], b"answer");
            }
        };
        tokio::select! {
            biased;
            () = answers => {}
            error = outgoing.broken() => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn nothing_is_lost_at_the_end() {
        let (near, mut far) = duplex(MOST);
        let (mut library, _outgoing) = gather(near, gate());
        library.write_all(b"farewell").await.unwrap();
        library.shutdown().await.unwrap();
        let mut read = String::new();
        far.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "farewell");
    }

    #[tokio::test]
    async fn a_caller_that_takes_nothing_is_owed_only_so_much() {
        let (near, mut far) = duplex(10);
        let (mut library, outgoing) = gather(near, gate());
        let long = vec![b'x'; 3 * MOST];
        let owed = async {
            let write = library.write_all(&long);
            timeout(Duration::from_secs(10), write).await
        };
        tokio::pin!(owed);
        assert!(owed.as_mut().now_or_never().is_none());
        assert_eq!(lock(&outgoing.burst).unsent.len(), MOST - 10);
        let read = async {
            let mut read = vec![0; long.len()];
            far.read_exact(&mut read).await.unwrap();
            read
        };
        let broken = outgoing.broken();
        tokio::pin!(broken);
        // As the connection's task does: the library first, then what it has gathered.
        let all = async { tokio::join!(owed, read) };
        tokio::select! {
            (written, read) = all => {
                written.unwrap().unwrap();
                assert_eq!(read, long);
            }
            error = broken => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn a_broken_connection_is_told() {
        let (near, far) = duplex(MOST);
        let (mut library, outgoing) = gather(near, gate());
        drop(far);
        library.write_all(b"anyone?").await.unwrap();
        let error = outgoing.broken().await;
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
