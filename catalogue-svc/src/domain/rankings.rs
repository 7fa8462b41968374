//! The kinds and windows of boards (§4.2), and the hours of which windows consist.

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};

/// The kind of listings that a board ranks and a vote compares.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, Deserialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum BoardKind {
    Games,
    Creators,
}

impl BoardKind {
    pub const ALL: [Self; 2] = [Self::Games, Self::Creators];

    /// Its name in paths, messages and the schema.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub const fn index(self) -> usize {
        self as usize
    }

    /// The entity type of its listings on the feed of listings-svc.
    pub const fn entity(self) -> &'static str {
        match self {
            Self::Games => "game",
            Self::Creators => "page",
        }
    }
}

/// The votes that a board counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Window {
    /// Votes of the last 168 hours, including the current one.
    Week,
    /// Votes of the last 720 hours, including the current one.
    Month,
    /// Every vote.
    All,
}

impl Window {
    pub const ALL: [Self; 3] = [Self::Week, Self::Month, Self::All];

    /// Its name in paths and the schema.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub const fn index(self) -> usize {
        self as usize
    }

    /// The first hour that counts when `now` is the current hour, or `None` if all hours count.
    pub const fn first(self, now: Hour) -> Option<Hour> {
        let hours = match self {
            Self::Week => 168,
            Self::Month => 720,
            Self::All => return None,
        };
        Some(Hour(now.0.saturating_sub(hours - 1)))
    }

    /// Whether votes of `hour` count when `now` is the current hour.
    pub fn counts(self, hour: Hour, now: Hour) -> bool {
        self.first(now).is_none_or(|first| hour >= first)
    }
}

/// An hour of UTC, by its number since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour(pub u32);

/// Hours that the schema keeps: those of the longest window and two more days, for a snapshot or a replica that is late.
pub const HOURS_KEPT: u32 = 768;

impl Hour {
    pub fn of(at: OffsetDateTime) -> Self {
        Self(u32::try_from(at.unix_timestamp() / 3_600).unwrap_or_default())
    }

    pub fn start(self) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + Duration::hours(self.0.into())
    }

    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The oldest hour that tallies keep when this is the current one.
    #[must_use]
    pub const fn oldest_kept(self) -> Self {
        Self(self.0.saturating_sub(HOURS_KEPT))
    }

    /// The hour that is `hours` hours earlier.
    #[must_use]
    pub const fn before(self, hours: u32) -> Self {
        Self(self.0.saturating_sub(hours))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn only_the_names_of_kinds_and_windows_are_parsed() {
        for kind in BoardKind::ALL {
            assert_eq!(BoardKind::parse(kind.as_str()), Some(kind));
        }
        for window in Window::ALL {
            assert_eq!(Window::parse(window.as_str()), Some(window));
            assert_eq!(Window::ALL[window.index()], window);
        }
        assert_eq!(BoardKind::parse("events"), None);
        assert_eq!(Window::parse("Week"), None);
    }

    #[test]
    fn an_hour_begins_at_its_start() {
        let hour = Hour::of(datetime!(2026-03-01 04:59:59.999 UTC));
        assert_eq!(hour.start(), datetime!(2026-03-01 04:00 UTC));
        assert_eq!(hour.next().start(), datetime!(2026-03-01 05:00 UTC));
        assert_eq!(Hour::of(datetime!(2026-03-01 06:30 +2)), hour);
    }

    #[test]
    fn a_week_is_168_hours_with_the_current_one() {
        let now = Hour(10_000);
        assert_eq!(Window::Week.first(now), Some(Hour(10_000 - 167)));
        assert_eq!(Window::Month.first(now), Some(Hour(10_000 - 719)));
        assert_eq!(Window::All.first(now), None);
    }
}
