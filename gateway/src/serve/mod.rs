//! The public port: HTTP/1.1 and HTTP/2 without TLS, on one listener.
//!
//! A caller may be slow, silent, greedy or hostile; none of that may cost another caller anything. So everything that waits for a
//! caller has a bound: the time of it in `pace.rs`, the length in `layers/bounds.rs` and, far above, in the library (here); and
//! there are only so many connections.

mod body;
mod burst;
mod connection;
mod io;
mod pace;
mod room;
mod turns;
mod version;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use http::{HeaderMap, Method};
use kit::Fault;
use kit::cores::{Cores, Hand};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use body::Cut;
pub use turns::Turns;

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
    /// Connections that are served at once. For a few more there is an answer (503); the rest wait with the kernel until they have room.
    pub connections: u32,
    /// Threads that serve them.
    pub threads: usize,
    /// Ends the serving: calls under way are finished, others not begun.
    pub draining: CancellationToken,
    /// Ends the threads' runtimes, to which connections of pools are bound that others use as well.
    pub ended: CancellationToken,
}

/// What the port serves.
#[derive(Clone)]
pub struct Public {
    /// Every path.
    pub router: Router,
    /// Answers calls for which there is no turn, before the router.
    pub turned_away: TurnedAway,
}

/// From the method and the headers of a call, and the fault that it is told.
pub type TurnedAway = Arc<dyn Fn(&Method, &HeaderMap, Fault) -> Response + Send + Sync>;

/// Serves until it is draining, then finishes the calls under way. Each thread has what `public` makes for it.
pub async fn serve(
    listener: TcpListener,
    serving: Serving,
    public: impl Fn() -> anyhow::Result<Public> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let draining = serving.draining.clone();
    let rooms = Arc::new(Rooms::new(serving.connections));
    let ended = serving.ended.clone();
    let cores = Cores::start("http", serving.threads, &ended, move |hand| {
        core(hand, public(), serving.clone())
    })?;
    let room = || Arc::clone(&rooms).place();
    let admit = |stream, place| (stream, rooms.admit(place));
    cores.accept(listener, draining, room, admit).await
}

/// What one thread does.
async fn core(
    mut hand: Hand<(std::net::TcpStream, Place)>,
    public: anyhow::Result<Public>,
    serving: Serving,
) -> anyhow::Result<()> {
    let public = public?;
    let open = Arc::new(Door::new(public.clone(), &serving));
    let full = Arc::new(Door::full(public, &serving));
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
            place.leave().await;
        }));
    }
    served.close();
    served.wait().await;
    Ok(())
}

pub use room::of_descriptors;
