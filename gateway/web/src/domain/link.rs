//! Links in mails: their purposes and lifetimes.

use strum::{EnumString, IntoStaticStr};
use time::Duration;

/// The effect of a link's button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantArray))]
#[strum(serialize_all = "snake_case")]
pub enum Purpose {
    /// Makes a person, who chooses a password.
    SignUp,
    /// Sets a new password.
    Reset,
    /// Changes the address of a person to the one that the mail went to.
    Email,
    /// Makes a person a member of an account.
    Invite,
}

impl Purpose {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub const fn lifetime(self) -> Duration {
        match self {
            Self::SignUp => Duration::DAY,
            Self::Reset | Self::Email => Duration::HOUR,
            Self::Invite => Duration::WEEK,
        }
    }

    /// The key of the text that says the lifetime.
    pub const fn lifetime_key(self) -> &'static str {
        match self {
            Self::SignUp => "lifetime-day",
            Self::Reset | Self::Email => "lifetime-hour",
            Self::Invite => "lifetime-week",
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn every_purpose_is_found_by_its_name() {
        for &purpose in Purpose::VARIANTS {
            assert_eq!(purpose.as_str().parse(), Ok(purpose));
        }
        assert!("other".parse::<Purpose>().is_err());
    }
}
