//! Switches: what staff can turn on and off for the whole fleet (§7.3).

use time::OffsetDateTime;

/// What staff can turn on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// Every call with a good key.
    Api,
    /// `/economy/*` and `/play/tips`.
    Economy,
    /// Writing games and events by API.
    ApiWrites,
    /// Sending in new games and events.
    Submissions,
    /// While it is on, nothing can be changed.
    ReadOnly,
}

/// A switch as staff see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Which one.
    pub switch: Switch,
    /// How it stands.
    pub is_on: bool,
    /// When it was last thrown.
    pub changed_at: Option<OffsetDateTime>,
    /// Why, as staff put it; may be empty.
    pub reason: String,
    /// Counts its changes.
    pub revision: i64,
}

/// How all switches stand: a bit for each that is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches(u8);

impl Setting {
    /// The switch as staff throw it; `None` when it stands so already.
    pub fn thrown(&self, on: bool, reason: &str, now: OffsetDateTime) -> Option<Self> {
        (on != self.is_on).then(|| Self {
            switch: self.switch,
            is_on: on,
            changed_at: Some(now),
            reason: reason.to_owned(),
            revision: self.revision + 1,
        })
    }
}

impl Switch {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Api,
        Self::Economy,
        Self::ApiWrites,
        Self::Submissions,
        Self::ReadOnly,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Economy => "economy",
            Self::ApiWrites => "api_writes",
            Self::Submissions => "submissions",
            Self::ReadOnly => "read_only",
        }
    }

    /// The switch of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|switch| switch.as_str() == name)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Default for Switches {
    /// As a fleet begins: everything on, and writable.
    fn default() -> Self {
        let on = Switch::ALL
            .into_iter()
            .filter(|switch| *switch != Switch::ReadOnly);
        on.fold(Self(0), |switches, switch| switches.with(switch, true))
    }
}

impl Switches {
    /// Whether a switch is on.
    pub const fn is_on(self, switch: Switch) -> bool {
        self.0 & switch.bit() != 0
    }

    /// The same with one switch thrown.
    #[must_use]
    pub const fn with(self, switch: Switch, on: bool) -> Self {
        if on {
            Self(self.0 | switch.bit())
        } else {
            Self(self.0 & !switch.bit())
        }
    }

    /// As a number, for an atomic.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From [`Switches::bits`].
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_switch_is_thrown_once() {
        let now = datetime!(2026-03-01 08:00 UTC);
        let on = Setting {
            switch: Switch::Api,
            is_on: true,
            changed_at: None,
            reason: String::new(),
            revision: 1,
        };
        let off = on.thrown(false, "An attack", now).unwrap();
        assert_eq!((off.is_on, off.revision), (false, 2));
        assert_eq!(
            (off.changed_at, off.reason.as_str()),
            (Some(now), "An attack")
        );
        assert_eq!(off.thrown(false, "Another reason", now), None);
    }

    #[test]
    fn each_switch_has_its_own_bit_and_name() {
        for switch in Switch::ALL {
            assert_eq!(Switch::parse(switch.as_str()), Some(switch));
            let other = !Switches::default().is_on(switch);
            let thrown = Switches::default().with(switch, other);
            for each in Switch::ALL {
                let changed = thrown.is_on(each) != Switches::default().is_on(each);
                assert_eq!(changed, each == switch, "{each:?} with {switch:?}");
            }
            assert_eq!(Switches::from_bits(thrown.bits()), thrown);
        }
    }
}
