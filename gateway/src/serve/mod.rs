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
mod version;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use kit::cores::{Cores, Hand};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use body::Cut;

use crate::config::Patience;
use connection::Door;
use room::{Place, Rooms};

/// How long a connection without a call keeps its buffers: long enough that a caller who goes on finds them.
pub const WARM: Duration = Duration::from_millis(100);

/// How the port is served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// How long callers are waited for.
    pub patience: Patience,
    /// How long a connection without a call keeps its buffers.
    pub warm: Duration,
    /// How connections take turns, when very many have something to ask at once.
    pub turns: Turns,
    /// Connections that are served at once. For a few more there is an answer (503), for the rest a closed connection.
    pub connections: u32,
    /// Threads that serve them.
    pub threads: usize,
    /// Ends the serving: calls under way are finished, others not begun.
    pub draining: CancellationToken,
}

/// How HTTP/1.1 connections take turns to be worked on.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    /// Connections of a thread that are worked on at once.
    pub at_once: usize,
    /// How long a connection counts as worked on, when it wakes.
    pub length: Duration,
    /// How long a further one waits, before it is turned away.
    pub patience: Duration,
}

impl Turns {
    /// As many at once as the processor's caches hold, for as long as most calls take.
    pub const fn with_patience(patience: Duration) -> Self {
        Self {
            at_once: 128,
            length: Duration::from_millis(50),
            patience,
        }
    }
}

/// Serves until it is draining, then finishes the calls under way. Each thread has what `router` makes for it.
pub async fn serve(
    listener: TcpListener,
    serving: Serving,
    router: impl Fn() -> anyhow::Result<Router> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let draining = serving.draining.clone();
    let rooms = Rooms::new(serving.connections);
    let cores = Cores::start("http", serving.threads, move |hand| {
        core(hand, router(), serving.clone())
    })?;
    let admit = move |stream| Some((stream, rooms.place()?));
    cores.accept(listener, draining, admit).await
}

/// What one thread does.
async fn core(
    mut hand: Hand<(std::net::TcpStream, Place)>,
    router: anyhow::Result<Router>,
    serving: Serving,
) -> anyhow::Result<()> {
    let router = router?;
    let open = Arc::new(Door::new(router.clone(), &serving));
    let full = Arc::new(Door::full(router, &serving));
    let served = TaskTracker::new();
    while let Some(dealt) = hand.recv().await {
        let (open, full) = (Arc::clone(&open), Arc::clone(&full));
        // The tracker waits for the connection, so its handle is not needed.
        drop(served.spawn(async move {
            let (stream, place) = dealt.item;
            let door = if place.is_served() { &open } else { &full };
            match TcpStream::from_std(stream) {
                Ok(stream) => door.serve(stream).await,
                Err(error) => tracing::warn!(%error, "a connection was not taken over"),
            }
        }));
    }
    served.close();
    served.wait().await;
    Ok(())
}

pub use room::of_descriptors;
