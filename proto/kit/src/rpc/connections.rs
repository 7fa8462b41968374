//! The connections that callers open to a gRPC port.

use std::io;
use std::time::Duration;

use futures::stream::{self, Stream};
use tokio::net::{TcpListener, TcpStream};

use crate::throttle::Throttle;

/// Pause after an accept that failed.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);
/// Warnings of accepts that failed.
static ACCEPT_WARNINGS: Throttle = Throttle::new();

/// The connections that callers open.
pub(super) fn accept(listener: TcpListener) -> impl Stream<Item = io::Result<TcpStream>> {
    stream::unfold(listener, |listener| async move {
        let accepted = listener.accept().await;
        if let Err(error) = &accepted {
            // The process has no file descriptor left, or the caller has closed the connection. The server goes on.
            if ACCEPT_WARNINGS.admits() {
                tracing::warn!(%error, "cannot accept a connection");
            }
            tokio::time::sleep(ACCEPT_BACKOFF).await;
        }
        let connection = accepted.and_then(|(stream, _peer)| {
            // Without TCP_NODELAY the last packet of a response waits for the caller's delayed acknowledgement, 40 ms.
            stream.set_nodelay(true)?;
            Ok(stream)
        });
        Some((connection, listener))
    })
}
