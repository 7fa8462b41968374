//! Switches, which staff turn on and off for the whole fleet (§7.3).

use strum::{EnumString, IntoStaticStr, VariantArray};
use time::OffsetDateTime;

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    EnumString,
    IntoStaticStr,
    VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Switch {
    /// Every request with a working key.
    Api,
    /// `/economy/*` and `/play/tips`.
    Economy,
    /// Writing games and events through the API.
    ApiWrites,
    /// Submitting new games and events.
    Submissions,
    /// While it is on, nothing can be changed.
    ReadOnly,
}

/// A switch and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub switch: Switch,
    pub is_on: bool,
    /// `None` if it was never changed.
    pub changed_at: Option<OffsetDateTime>,
    /// May be empty.
    pub reason: String,
    /// Incremented by every change.
    pub revision: i64,
}

/// The state of all switches, one bit per switch that is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches(u8);

impl Setting {
    /// The switch in its new state; `None` if it already is in that state.
    pub fn updated(&self, on: bool, reason: &str, now: OffsetDateTime) -> Option<Self> {
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
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Default for Switches {
    /// Everything is on and writable.
    fn default() -> Self {
        let on = Switch::VARIANTS.iter().filter(|it| **it != Switch::ReadOnly);
        on.fold(Self(0), |switches, switch| switches.with(*switch, true))
    }
}

impl Switches {
    pub const fn is_on(self, switch: Switch) -> bool {
        self.0 & switch.bit() != 0
    }

    #[must_use]
    pub const fn with(self, switch: Switch, on: bool) -> Self {
        if on { Self(self.0 | switch.bit()) } else { Self(self.0 & !switch.bit()) }
    }

    /// For an atomic.
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
    fn setting_a_switch_to_its_state_changes_nothing() {
        let now = datetime!(2026-03-01 08:00 UTC);
        let on = Setting {
            switch: Switch::Api,
            is_on: true,
            changed_at: None,
            reason: String::new(),
            revision: 1,
        };
        let off = on.updated(false, "An attack", now).unwrap();
        assert_eq!((off.is_on, off.revision), (false, 2));
        assert_eq!((off.changed_at, off.reason.as_str()), (Some(now), "An attack"));
        assert_eq!(off.updated(false, "Another reason", now), None);
    }

    #[test]
    fn each_switch_has_its_own_bit_and_name() {
        for &switch in Switch::VARIANTS {
            assert_eq!(switch.as_str().parse(), Ok(switch));
            let other = !Switches::default().is_on(switch);
            let toggled = Switches::default().with(switch, other);
            for &each in Switch::VARIANTS {
                let changed = toggled.is_on(each) != Switches::default().is_on(each);
                assert_eq!(changed, each == switch, "{each:?} with {switch:?}");
            }
            assert_eq!(Switches::from_bits(toggled.bits()), toggled);
        }
    }
}
