//! Waits that end early on a signal or when a child ends.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals as Source;
use signal_hook::low_level::signal_name;

use crate::say::say;

/// The poll interval.
const POLL: Duration = Duration::from_millis(50);

/// A signal to the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Ctrl-C, SIGTERM, or SIGHUP.
    Stop,
    /// A child has ended.
    Child,
}

/// The error of a wait that a stop signal has ended. The launcher stops without an error message.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted by a signal")
    }
}

impl std::error::Error for Interrupted {}

/// The signals of this process, as events in the order of arrival.
pub(crate) struct Signals {
    events: Receiver<Event>,
}

impl Signals {
    /// Installs handlers for SIGINT, SIGTERM, SIGHUP and SIGCHLD.
    pub(crate) fn install() -> Result<Self> {
        let mut source = Source::new([SIGINT, SIGTERM, SIGHUP, SIGCHLD])
            .context("cannot install signal handlers")?;
        let (sender, events) = mpsc::channel();
        thread::spawn(move || {
            for signal in source.forever() {
                let event = if signal == SIGCHLD {
                    Event::Child
                } else {
                    // Else nobody can tell from the log why a fleet has ended: the signal may come from a terminal or a job that ends.
                    let name = signal_name(signal).unwrap_or("a stop signal");
                    say(format!("{name} received"));
                    Event::Stop
                };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Ok(Self { events })
    }

    /// Waits for the next event, for at most `limit`.
    pub(crate) fn next(&self, limit: Duration) -> Option<Event> {
        self.events.recv_timeout(limit).ok()
    }

    /// Calls `probe` until it returns a value; `None` after `limit`, [`Interrupted`] on a stop signal.
    pub(crate) fn until<T>(
        &self,
        limit: Duration,
        mut probe: impl FnMut() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(value) = probe()? {
                return Ok(Some(value));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            if self.next(left.min(POLL)) == Some(Event::Stop) {
                return Err(Interrupted.into());
            }
        }
    }
}

/// Exponential back-off: 1, 2, 4 … seconds, at most 30.
pub(crate) fn back_off(failures: u32) -> Duration {
    Duration::from_secs(1 << failures.saturating_sub(1).min(5)).min(Duration::from_secs(30))
}

/// Formats a duration: `0.4 s`, `12 s`, `3 min 5 s`.
pub(crate) fn format_duration(duration: Duration) -> String {
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
    fn durations_are_formatted_for_people() {
        assert_eq!(format_duration(Duration::from_millis(420)), "0.4 s");
        assert_eq!(format_duration(Duration::from_secs(12)), "12 s");
        assert_eq!(format_duration(Duration::from_secs(185)), "3 min 5 s");
    }
}
