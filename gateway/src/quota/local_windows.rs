//! Counts minutes in this process while Redis is unavailable.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::quota::Window;

/// The most keys that are counted. Further keys are not limited: one call too many is better than a wrong rejection.
const CAPACITY: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct LocalWindows {
    windows: Mutex<HashMap<Uuid, Window>>,
}

impl LocalWindows {
    /// Counts a call, unless the minute is exceeded.
    pub(super) fn consume(
        &self,
        key: Uuid,
        limit: Option<u32>,
        now: OffsetDateTime,
    ) -> (Window, bool) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut window = Window::current(windows.get(&key).copied(), now);
        let free = window.consume(limit);
        if windows.len() >= CAPACITY && !windows.contains_key(&key) {
            windows.retain(|_, window| Window::current(Some(*window), now) == *window);
        }
        if windows.len() < CAPACITY || windows.contains_key(&key) {
            windows.insert(key, window);
        }
        (window, free)
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn calls_are_limited_per_key_and_minute() {
        let (local, key) = (LocalWindows::default(), Uuid::from_u128(1));
        let start = datetime!(2026-03-01 08:00:30 UTC);
        let at = |seconds| start + Duration::seconds(seconds);
        assert!(local.consume(key, Some(2), at(0)).1);
        assert!(local.consume(key, Some(2), at(59)).1);
        assert!(!local.consume(key, Some(2), at(59)).1);
        assert!(local.consume(key, Some(2), at(60)).1);
        assert!(local.consume(Uuid::from_u128(2), Some(2), at(59)).1);
    }
}
