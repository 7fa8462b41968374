//! The one source of `now`. Domain functions, SQL statements and scripts take the time as an argument; it comes from here.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::watch;

/// Hands out the time and wakes sleepers. Clones share one clock.
///
/// A system clock runs with the machine, plus an offset; a fixed clock stands still until it is advanced.
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

/// How often the clock file is looked at.
const FILE_PERIOD: Duration = Duration::from_millis(50);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self::new(Base::System)
    }

    /// A clock for tests: it shows `at` until [`Clock::advance`] moves it.
    pub fn fixed(at: OffsetDateTime) -> Self {
        Self::new(Base::Fixed(at))
    }

    fn new(base: Base) -> Self {
        Self {
            base,
            offset: Arc::new(watch::Sender::new(time::Duration::ZERO)),
        }
    }

    /// The time, to the microsecond: what PostgreSQL keeps, so that a stored time reads back equal.
    #[expect(clippy::disallowed_methods, reason = "the one place that asks")]
    pub fn now(&self) -> OffsetDateTime {
        let base = match self.base {
            Base::System => OffsetDateTime::now_utc(),
            Base::Fixed(at) => at,
        };
        let now = base.saturating_add(*self.offset.borrow());
        now.replace_nanosecond(now.nanosecond() / 1_000 * 1_000)
            .unwrap_or(now)
    }

    /// Moves the clock and wakes every sleeper whose time has come.
    pub fn advance(&self, by: time::Duration) {
        self.offset
            .send_modify(|offset| *offset = offset.saturating_add(by));
    }

    /// Returns once the clock shows `at` or later, however it got there.
    pub async fn sleep_until(&self, at: OffsetDateTime) {
        let mut moved = self.offset.subscribe();
        loop {
            moved.mark_unchanged();
            let left = at - self.now();
            if !left.is_positive() {
                return;
            }
            let running = matches!(self.base, Base::System);
            let left = left.unsigned_abs();
            tokio::select! {
                () = tokio::time::sleep(left), if running => {}
                changed = moved.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Returns once the clock has moved on by `duration`.
    pub async fn sleep(&self, duration: Duration) {
        self.sleep_until(self.now() + duration).await;
    }

    /// Keeps the offset as a file says it, for ever. The file holds seconds, such as `+3600`; absent or empty means none.
    ///
    /// Only the local profile does this: a test moves a whole fleet's time by writing one file.
    pub async fn follow_file(self, path: PathBuf) {
        loop {
            match read_offset(&path).await {
                Ok(offset) => {
                    self.offset.send_if_modified(|current| {
                        let moved = *current != offset;
                        *current = offset;
                        moved
                    });
                }
                Err(problem) => tracing::warn!(%problem, "the clock file is passed over"),
            }
            tokio::time::sleep(FILE_PERIOD).await;
        }
    }
}

async fn read_offset(path: &PathBuf) -> Result<time::Duration, String> {
    let text = match tokio::fs::read_to_string(path).await {
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
        let sleeper = clock.sleep_until(START + time::Duration::HOUR);
        tokio::pin!(sleeper);
        assert!(futures::poll!(sleeper.as_mut()).is_pending());
        clock.advance(time::Duration::minutes(59));
        assert!(futures::poll!(sleeper.as_mut()).is_pending());
        clock.advance(time::Duration::minutes(1));
        sleeper.await;
        assert_eq!(clock.now(), START + time::Duration::HOUR);
    }

    #[tokio::test]
    async fn a_clock_file_moves_the_clock() {
        let folder = std::env::temp_dir().join(crate::ids::row_id().to_string());
        tokio::fs::create_dir(&folder).await.unwrap();
        let file = folder.join("clock");
        assert_eq!(read_offset(&file).await, Ok(time::Duration::ZERO));
        tokio::fs::write(&file, "+90\n").await.unwrap();
        assert_eq!(read_offset(&file).await, Ok(time::Duration::seconds(90)));
        tokio::fs::write(&file, "soon").await.unwrap();
        assert!(read_offset(&file).await.unwrap_err().contains("soon"));
        tokio::fs::remove_dir_all(&folder).await.unwrap();
    }
}
