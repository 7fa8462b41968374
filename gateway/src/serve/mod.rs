//! The public port: HTTP/1.1 and HTTP/2 without TLS, on one listener.
//!
//! A caller may be slow, silent, greedy or hostile; none of that may cost another caller anything. So everything that waits for a
//! caller has a bound: the time of it in `pace.rs`, the length in `layers/bounds.rs` and, far above, in the library (here); and
//! there are only so many connections.

mod body;
mod connection;
mod io;
mod pace;
mod room;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use body::Cut;

use crate::config::Patience;
use connection::Door;
use room::Rooms;

/// What becomes of a connection for which there is no room: it is told so, and nothing more is waited for.
const BRIEF: Patience = Patience {
    http_head: Duration::from_secs(1),
    http_body: Duration::from_secs(1),
    http_idle: Duration::from_secs(1),
    http_write: Duration::from_secs(1),
};

/// Serves until `draining`, then finishes the calls under way.
///
/// At most `connections` are served at once. For a few more there is an answer (503), for the rest a closed connection.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    connections: u32,
    draining: CancellationToken,
) -> anyhow::Result<()> {
    let open = Arc::new(Door::new(router.clone(), patience, draining.clone()));
    let full = Arc::new(Door::full(router, BRIEF, draining.clone()));
    let rooms = Rooms::new(connections);
    let served = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = draining.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file descriptors, or a caller that is gone again: neither is a reason to stop.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let (door, place) = if let Some(place) = rooms.place() {
            (Arc::clone(&open), place)
        } else if let Some(place) = rooms.anteroom() {
            (Arc::clone(&full), place)
        } else {
            continue;
        };
        // The tracker waits for the connection, so its handle is not needed.
        drop(served.spawn(async move {
            door.serve(stream).await;
            drop(place);
        }));
    }
    drop(listener);
    served.close();
    served.wait().await;
    Ok(())
}

pub use room::of_descriptors;
