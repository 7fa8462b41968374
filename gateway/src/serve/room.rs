//! How many connections there is room for.

use std::sync::Arc;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

/// Connections that are told there is no room.
const ANTEROOM: usize = 64;
/// Before another one is told in place of one that was: a few hundred a second learn it, and the processor is there for those who have
/// room.
const REST: Duration = Duration::from_millis(100);
/// File descriptors for all else: those who are told there is no room, the database, Redis, services, logs.
const RESERVED: u64 = 256;

/// A connection's place; it is free again when this is dropped.
pub(super) struct Place {
    served: bool,
    admitted: bool,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    fn new(permit: OwnedSemaphorePermit, served: bool) -> Self {
        Self {
            served,
            admitted: false,
            _permit: permit,
        }
    }

    /// Whether the connection is served, rather than told that there is no room.
    pub(super) fn is_served(&self) -> bool {
        self.served
    }

    /// Gives it back.
    pub(super) async fn leave(self) {
        if !self.served {
            sleep(REST).await;
        }
    }
}

/// Places for connections.
pub(super) struct Rooms {
    places: Arc<Semaphore>,
    anteroom: Arc<Semaphore>,
}

impl Rooms {
    pub(super) fn new(connections: u32) -> Self {
        let places = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            anteroom: Arc::new(Semaphore::new(ANTEROOM)),
        }
    }

    /// A place for the next connection: to be served, or else to be told that there is no room.
    pub(super) async fn place(self: Arc<Self>) -> Place {
        // Neither is ever closed.
        tokio::select! {
            biased;
            Ok(permit) = Arc::clone(&self.places).acquire_owned() => Place::new(permit, true),
            Ok(permit) = Arc::clone(&self.anteroom).acquire_owned() => Place::new(permit, false),
        }
    }

    /// Lets a connection in. It is served if there is room by now.
    pub(super) fn admit(&self, place: Place) -> Place {
        let mut place = if place.served {
            place
        } else {
            let better = Arc::clone(&self.places).try_acquire_owned();
            better.map_or(place, |permit| Place::new(permit, true))
        };
        place.admitted = true;
        metrics::gauge!("http_connections").increment(1);
        if !place.served {
            metrics::counter!("http_connections_refused_total").increment(1);
        }
        place
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.admitted {
            metrics::gauge!("http_connections").decrement(1);
        }
    }
}

/// How many connections the process can have open: `wanted`, or fewer where its file descriptors do not suffice. Raises the
/// process's own limit as far as it may.
pub fn of_descriptors(wanted: u32) -> u32 {
    let needed = u64::from(wanted) + RESERVED;
    let limit = raised(needed).unwrap_or_else(|error| {
        tracing::warn!(%error, "the limit of file descriptors is not known");
        needed
    });
    let room = u32::try_from(limit.saturating_sub(RESERVED)).unwrap_or(u32::MAX);
    if room >= wanted {
        return wanted;
    }
    let room = room.max(1);
    tracing::warn!(
        wanted,
        room,
        descriptors = limit,
        "too few file descriptors for http_connections; raise the limit (ulimit -n) or lower the setting"
    );
    room
}

/// The limit of file descriptors, after it was raised to `needed` or as near as may be.
fn raised(needed: u64) -> nix::Result<u64> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let better = needed.min(hard);
    if better <= soft {
        return Ok(soft);
    }
    setrlimit(Resource::RLIMIT_NOFILE, better, hard)?;
    Ok(better)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::join_all;
    use tokio::time::Instant;

    use super::*;

    #[test]
    fn there_are_as_many_places_as_were_asked_for() {
        let rooms = Arc::new(Rooms::new(2));
        let place = || Arc::clone(&rooms).place().now_or_never();
        let mut places: Vec<Place> = (0..2 + ANTEROOM).filter_map(|_| place()).collect();
        let served: Vec<bool> = places.iter().map(Place::is_served).collect();
        assert!(served[0] && served[1] && !served[2..].contains(&true));
        assert!(places.len() == 2 + ANTEROOM && place().is_none());
        // Whoever comes when there is room again is served, though there was none when it was waited for.
        let waiting = places.pop().unwrap();
        drop(places.remove(0));
        assert!(rooms.admit(waiting).is_served());
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_are_told_in_so_much_time() {
        let rooms = Arc::new(Rooms::new(0));
        let start = Instant::now();
        let mut told = Vec::new();
        for _ in 0..ANTEROOM {
            told.push(rooms.admit(Arc::clone(&rooms).place().await));
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
        let leaving = join_all(told.into_iter().map(Place::leave));
        let (next, _) = tokio::join!(Arc::clone(&rooms).place(), leaving);
        assert!(!next.is_served());
        assert_eq!(start.elapsed().as_millis(), REST.as_millis());
    }

    #[test]
    fn file_descriptors_bound_the_room() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(of_descriptors(10), 10);
        assert!(u64::from(of_descriptors(u32::MAX)) <= hard.saturating_sub(RESERVED).max(1));
    }
}
