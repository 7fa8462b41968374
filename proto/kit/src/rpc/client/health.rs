//! Whether a replica answers. One that fails again and again is put aside for a while, then tried with one call; a replica that hangs
//! would otherwise take its share of calls and keep them waiting.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row that put a replica aside.
const FAILURES: u32 = 3;
/// How long it is left alone the first time; twice as long each further time in a row, up to the longest.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(super) struct Health {
    failures: AtomicU32,
    aside: Mutex<Aside>,
}

#[derive(Debug, Default)]
struct Aside {
    /// Until when it is left alone, once it was put aside.
    until: Option<Instant>,
    times: u32,
    /// Whether a call is finding out.
    tried: bool,
}

/// What a replica is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Calls.
    Calls,
    /// One call, to find out whether it answers again.
    Trial,
    /// Nothing, unless there is no other; since when it has been put aside.
    Nothing(Instant),
}

impl Health {
    pub(super) fn usable(&self, now: Instant) -> Use {
        if self.failures.load(Ordering::Relaxed) < FAILURES {
            return Use::Calls;
        }
        let aside = self.aside();
        match aside.until {
            None => Use::Calls,
            Some(until) if until <= now && !aside.tried => Use::Trial,
            Some(until) => Use::Nothing(until),
        }
    }

    /// A trial begins; no other until it has ended.
    pub(super) fn begin_trial(&self) {
        self.aside().tried = true;
    }

    /// A trial was broken off: nothing was found out.
    pub(super) fn end_trial(&self) {
        self.aside().tried = false;
    }

    pub(super) fn answered(&self) {
        if self.failures.load(Ordering::Relaxed) > 0 {
            self.failures.store(0, Ordering::Relaxed);
            *self.aside() = Aside::default();
        }
    }

    /// A call failed at `now`. True when that puts the replica aside.
    pub(super) fn failed(&self, now: Instant) -> bool {
        if self.failures.fetch_add(1, Ordering::Relaxed) + 1 < FAILURES {
            return false;
        }
        let mut aside = self.aside();
        // Calls that were already under way tell nothing new.
        if aside.until.is_some_and(|until| until > now) {
            return false;
        }
        let time = SHORTEST.saturating_mul(1 << aside.times.min(5));
        *aside = Aside {
            until: Some(now + time.min(LONGEST)),
            times: aside.times + 1,
            tried: false,
        };
        true
    }

    fn aside(&self) -> MutexGuard<'_, Aside> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_aside(health: &Health, now: Instant) {
        while !health.failed(now) {}
    }

    #[test]
    fn failures_in_a_row_put_it_aside_and_an_answer_forgives_them() {
        let (health, now) = (Health::default(), Instant::now());
        for _ in 0..10 {
            assert!(!health.failed(now) && !health.failed(now));
            health.answered();
        }
        assert_eq!(health.usable(now), Use::Calls);
        put_aside(&health, now);
        assert_eq!(health.usable(now), Use::Nothing(now + SHORTEST));
    }

    #[test]
    fn one_call_at_a_time_finds_out_whether_it_is_back() {
        let (health, now) = (Health::default(), Instant::now());
        put_aside(&health, now);
        let later = now + SHORTEST;
        assert_eq!(health.usable(later), Use::Trial);
        health.begin_trial();
        assert!(matches!(health.usable(later), Use::Nothing(_)));
        health.end_trial();
        assert_eq!(health.usable(later), Use::Trial);
        health.begin_trial();
        health.answered();
        assert_eq!(health.usable(later), Use::Calls);
    }

    #[test]
    fn whoever_keeps_failing_is_left_alone_longer() {
        let (health, mut now) = (Health::default(), Instant::now());
        put_aside(&health, now);
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            let until = now + Duration::from_secs(seconds);
            assert_eq!(health.usable(now), Use::Nothing(until));
            // What was under way fails late and changes nothing.
            assert!(!health.failed(now));
            now = until;
            assert!(health.failed(now));
        }
    }
}
