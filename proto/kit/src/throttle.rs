//! Limits a line of the log that any client can cause.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// How often the line is logged.
const INTERVAL: Duration = Duration::from_mins(1);

/// Admits one line a minute.
#[derive(Debug, Default)]
pub struct Throttle {
    /// When the last line was logged.
    logged: Mutex<Option<Instant>>,
}

impl Throttle {
    /// Admits the first line at once.
    pub const fn new() -> Self {
        Self { logged: Mutex::new(None) }
    }

    /// Whether the line is logged now.
    pub fn admits(&self) -> bool {
        let now = Instant::now();
        let mut logged = self.logged.lock();
        let is_due = logged.is_none_or(|logged| now.duration_since(logged) >= INTERVAL);
        if is_due {
            *logged = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_line_is_logged_once_a_minute() {
        let throttle = Throttle::new();
        assert_eq!([throttle.admits(), throttle.admits()], [true, false]);
        tokio::time::advance(INTERVAL).await;
        assert_eq!([throttle.admits(), throttle.admits()], [true, false]);
    }
}
