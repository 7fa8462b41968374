//! How many connections there is room for.

use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections that are told there is no room.
const ANTEROOM: usize = 64;
/// File descriptors for all else: those who are told there is no room, the database, Redis, services, logs.
const RESERVED: u64 = 256;

/// A connection's place; it is free again when this is dropped.
pub(super) struct Place {
    served: bool,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    /// Whether the connection is served, rather than told that there is no room.
    pub(super) fn is_served(&self) -> bool {
        self.served
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

    /// A place to be served, or else to be told that there is none.
    pub(super) fn place(&self) -> Option<Place> {
        take(&self.places, true).or_else(|| {
            metrics::counter!("http_connections_refused_total").increment(1);
            take(&self.anteroom, false)
        })
    }
}

fn take(places: &Arc<Semaphore>, served: bool) -> Option<Place> {
    let permit = Arc::clone(places).try_acquire_owned().ok()?;
    metrics::gauge!("http_connections").increment(1);
    Some(Place {
        served,
        _permit: permit,
    })
}

impl Drop for Place {
    fn drop(&mut self) {
        metrics::gauge!("http_connections").decrement(1);
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
    use super::*;

    #[test]
    fn there_are_as_many_places_as_were_asked_for() {
        let rooms = Rooms::new(2);
        let mut places: Vec<Place> = (0..2 + ANTEROOM).filter_map(|_| rooms.place()).collect();
        let served: Vec<bool> = places.iter().map(Place::is_served).collect();
        assert!(served[0] && served[1] && !served[2..].contains(&true));
        assert!(places.len() == 2 + ANTEROOM && rooms.place().is_none());
        drop(places.remove(0));
        assert!(rooms.place().is_some_and(|place| place.is_served()));
    }

    #[test]
    fn file_descriptors_bound_the_room() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(of_descriptors(10), 10);
        assert!(u64::from(of_descriptors(u32::MAX)) <= hard.saturating_sub(RESERVED).max(1));
    }
}
