//! Minutes counted by this process alone, while Redis is away.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::quota::Window;

/// Keys that are remembered at most. Beyond that a key is let through: better one call too many than one refused unread.
const MOST: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Local {
    windows: Mutex<HashMap<Uuid, Window>>,
}

impl Local {
    /// Counts a call by `key`, unless its minute is used up.
    pub(super) fn take(
        &self,
        key: Uuid,
        limit: Option<u32>,
        now: OffsetDateTime,
    ) -> (Window, bool) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut window = Window::current(windows.get(&key).copied(), now);
        let free = window.take(limit);
        if windows.len() >= MOST && !windows.contains_key(&key) {
            windows.retain(|_, known| Window::current(Some(*known), now) == *known);
        }
        if windows.len() < MOST || windows.contains_key(&key) {
            windows.insert(key, window);
        }
        (window, free)
    }

    /// Takes a call back that was counted in `window`.
    pub(super) fn give_back(&self, key: Uuid, window: Window) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = windows.get_mut(&key)
            && known.start == window.start
        {
            known.used = known.used.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_minute_is_held_and_ends() {
        let (local, key) = (Local::default(), Uuid::from_u128(1));
        let start = datetime!(2026-03-01 08:00:30 UTC);
        let at = |seconds| start + Duration::seconds(seconds);
        assert!(local.take(key, Some(2), at(0)).1);
        let (window, free) = local.take(key, Some(2), at(59));
        assert!(free);
        assert!(!local.take(key, Some(2), at(59)).1);
        local.give_back(key, window);
        assert!(local.take(key, Some(2), at(59)).1);
        assert!(local.take(key, Some(2), at(60)).1);
        assert!(local.take(Uuid::from_u128(2), Some(2), at(59)).1);
    }
}
