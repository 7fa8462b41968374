//! Waiting for something to become true, without going deaf: a signal or the end of a child cuts every wait short.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals as Source;

/// How long a wait looks away before it asks again.
const PAUSE: Duration = Duration::from_millis(50);

/// What the kernel told the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Ctrl-C, SIGTERM, or the terminal went away.
    Stop,
    /// Some child ended.
    Child,
}

/// The error of a wait that a stop signal cut short; the launcher leaves quietly on it.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped before it was done")
    }
}

impl std::error::Error for Interrupted {}

/// The signals of this process, as events in the order in which they came.
pub(crate) struct Signals {
    events: Receiver<Event>,
}

impl Signals {
    /// Takes over Ctrl-C, SIGTERM, SIGHUP and SIGCHLD.
    pub(crate) fn install() -> Result<Self> {
        let mut source =
            Source::new([SIGINT, SIGTERM, SIGHUP, SIGCHLD]).context("signals cannot be caught")?;
        let (sender, events) = mpsc::channel();
        thread::spawn(move || {
            for signal in source.forever() {
                let event = if signal == SIGCHLD {
                    Event::Child
                } else {
                    Event::Stop
                };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Ok(Self { events })
    }

    /// Waits for the next event, at most `limit`.
    pub(crate) fn next(&self, limit: Duration) -> Option<Event> {
        self.events.recv_timeout(limit).ok()
    }

    /// Asks `probe` until it has an answer; `None` when `limit` passed without one, [`Interrupted`] on a stop signal.
    pub(crate) fn until<T>(
        &self,
        limit: Duration,
        mut probe: impl FnMut() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(answer) = probe()? {
                return Ok(Some(answer));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            if self.next(left.min(PAUSE)) == Some(Event::Stop) {
                return Err(Interrupted.into());
            }
        }
    }
}

/// Waits that delay grows by: 1, 2, 4 … seconds, at most 30.
pub(crate) fn back_off(failures: u32) -> Duration {
    Duration::from_secs(1 << failures.saturating_sub(1).min(5)).min(Duration::from_secs(30))
}

/// Says a duration as a person would: `0.4 s`, `12 s`, `3 min 5 s`.
pub(crate) fn spoken(duration: Duration) -> String {
    match duration.as_secs() {
        0..10 => format!("{:.1} s", duration.as_secs_f32()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_half_a_minute() {
        let seconds: Vec<u64> = (1..=8).map(|n| back_off(n).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30, 30]);
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(spoken(Duration::from_millis(420)), "0.4 s");
        assert_eq!(spoken(Duration::from_secs(12)), "12 s");
        assert_eq!(spoken(Duration::from_secs(185)), "3 min 5 s");
    }
}
