//! The only source of the current time. Domain functions, SQL statements and scripts take the time as an argument.
//!
//! Times are whole milliseconds, as answers print them. A caller that sends a printed time back therefore names that very moment, in each
//! parameter that is a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::api::timestamp::unix_milliseconds;

/// A clock that can be moved. Clones share it.
///
/// A system clock is the machine's clock plus an offset; a fixed clock only moves when it is advanced.
#[derive(Clone, Debug)]
pub struct Clock {
    base: Base,
    offset: Arc<watch::Sender<time::Duration>>,
}

#[derive(Clone, Copy, Debug)]
enum Base {
    System,
    Fixed(OffsetDateTime),
}

/// How often the clock file is read.
const FILE_INTERVAL: Duration = Duration::from_millis(50);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self::new(Base::System)
    }

    /// A clock for tests: it stays at `at` until [`Clock::advance`] moves it.
    pub fn fixed(at: OffsetDateTime) -> Self {
        Self::new(Base::Fixed(at))
    }

    fn new(base: Base) -> Self {
        Self { base, offset: Arc::new(watch::Sender::new(time::Duration::ZERO)) }
    }

    /// The current time in whole milliseconds: a time that is stored or printed compares equal when it comes back.
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the time")]
    pub fn now(&self) -> OffsetDateTime {
        let base = match self.base {
            Base::System => OffsetDateTime::now_utc(),
            Base::Fixed(at) => at,
        };
        base.saturating_add(*self.offset.borrow()).truncate_to_millisecond()
    }

    /// The time of another clock, moved as this clock is; the time of a fixed clock.
    pub(crate) fn moved(&self, at: OffsetDateTime) -> OffsetDateTime {
        match self.base {
            Base::System => at.saturating_add(*self.offset.borrow()).truncate_to_millisecond(),
            Base::Fixed(_) => self.now(),
        }
    }

    /// How a script of Redis gets the time that all processes share: it multiplies Redis's own time, in milliseconds, by the first number and
    /// adds the second. With a fixed clock, the factor is 0.
    pub fn factor_and_offset(&self) -> [i64; 2] {
        let (factor, base) = match self.base {
            Base::System => (1, OffsetDateTime::UNIX_EPOCH),
            Base::Fixed(at) => (0, at),
        };
        let offset = base.saturating_add(*self.offset.borrow());
        [factor, unix_milliseconds(offset)]
    }

    /// Moves the clock, and wakes the sleepers whose time has come.
    pub fn advance(&self, by: time::Duration) {
        self.offset.send_modify(|offset| *offset = offset.saturating_add(by));
    }

    /// Waits until `duration` has passed. Moving this clock forward shortens the wait. Moving it back, or setting the machine's clock, does not
    /// prolong it.
    pub async fn sleep(&self, duration: Duration) {
        let mut offset = self.offset.subscribe();
        let (began, mut before) = (Instant::now(), *offset.borrow());
        let mut moved = time::Duration::ZERO;
        loop {
            let after = *offset.borrow_and_update();
            moved += (after - before).max(time::Duration::ZERO);
            before = after;
            let is_system = matches!(self.base, Base::System);
            let passed = if is_system { began.elapsed() } else { Duration::ZERO };
            let left = duration - (moved + passed);
            if !left.is_positive() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(left.unsigned_abs()), if is_system => {}
                changed = offset.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Sets the offset from a file whenever it changes, for ever. The file contains seconds such as `+3600`; without it, or when it is empty,
    /// the offset is 0.
    ///
    /// Only in the local profile: a test moves the time of a whole fleet with one file.
    pub async fn follow_file(self, path: PathBuf) {
        loop {
            self.read_file(&path);
            tokio::time::sleep(FILE_INTERVAL).await;
        }
    }

    /// Sets the offset from a file. It blocks: a few bytes of a local file cost less than a thread that reads them.
    pub(crate) fn read_file(&self, path: &Path) {
        match read_offset(path) {
            Ok(offset) => {
                self.offset.send_if_modified(|current| {
                    let moved = *current != offset;
                    *current = offset;
                    moved
                });
            }
            Err(problem) => {
                tracing::warn!(%problem, "cannot use the clock file; the clock keeps its offset");
            }
        }
    }
}

fn read_offset(path: &Path) -> Result<time::Duration, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.to_string()),
    };
    match text.trim() {
        "" => Ok(time::Duration::ZERO),
        text => text
            .parse::<i64>()
            .map(time::Duration::seconds)
            .ok()
            .ok_or_else(|| format!("`{text}` is not a number of seconds, such as +3600")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const START: OffsetDateTime = datetime!(2026-01-01 00:00 UTC);

    #[tokio::test]
    async fn a_sleeper_wakes_when_the_clock_is_moved_past_its_time() {
        let clock = Clock::fixed(START);
        let sleeper = clock.sleep(Duration::from_hours(1));
        tokio::pin!(sleeper);
        assert!(futures::poll!(sleeper.as_mut()).is_pending());
        clock.advance(time::Duration::minutes(59));
        assert!(futures::poll!(sleeper.as_mut()).is_pending());
        clock.advance(time::Duration::minutes(1));
        sleeper.await;
        assert_eq!(clock.now(), START + time::Duration::HOUR);
    }

    #[tokio::test]
    async fn a_clock_that_goes_back_prolongs_no_sleep() {
        let clock = Clock::fixed(START);
        clock.advance(time::Duration::DAY);
        let mut sleeper = std::pin::pin!(clock.sleep(Duration::from_hours(1)));
        for hours in [0, -24, 1] {
            assert!(futures::poll!(sleeper.as_mut()).is_pending());
            clock.advance(time::Duration::hours(hours));
        }
        sleeper.await;
    }

    #[test]
    fn the_time_is_in_whole_milliseconds() {
        let clock = Clock::fixed(START + time::Duration::microseconds(1_999));
        assert_eq!(clock.now(), START + time::Duration::MILLISECOND);
        clock.advance(time::Duration::microseconds(1));
        assert_eq!(clock.now(), START + time::Duration::milliseconds(2));
        let system = Clock::system();
        assert_eq!(system.now().microsecond() % 1_000, 0);
        let there = START + time::Duration::microseconds(1_001);
        assert_eq!(system.moved(there), START + time::Duration::MILLISECOND);
    }

    #[test]
    fn a_clock_file_moves_the_clock() {
        let folder = std::env::temp_dir().join(crate::ids::row_id().to_string());
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("clock");
        assert_eq!(read_offset(&file), Ok(time::Duration::ZERO));
        std::fs::write(&file, "+90\n").unwrap();
        assert_eq!(read_offset(&file), Ok(time::Duration::seconds(90)));
        std::fs::write(&file, "soon").unwrap();
        assert!(read_offset(&file).unwrap_err().contains("soon"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
