//! Links in mails: their purposes and lifetimes.

use time::Duration;

/// The effect of a link's button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Makes a person, who chooses a password.
    SignUp,
    /// Sets a new password.
    Reset,
    /// Changes the address of a person to the one that the mail went to.
    Email,
    /// Makes a person a member of an account.
    Invite,
    /// Ends the second factor of a person in a day.
    EndFactor,
    /// Stops that.
    KeepFactor,
}

impl Purpose {
    pub const ALL: [Self; 6] = [
        Self::SignUp,
        Self::Reset,
        Self::Email,
        Self::Invite,
        Self::EndFactor,
        Self::KeepFactor,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignUp => "sign_up",
            Self::Reset => "reset",
            Self::Email => "email",
            Self::Invite => "invite",
            Self::EndFactor => "end_factor",
            Self::KeepFactor => "keep_factor",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|purpose| purpose.as_str() == text)
    }

    pub const fn lifetime(self) -> Duration {
        match self {
            Self::SignUp | Self::KeepFactor => Duration::DAY,
            Self::Reset | Self::Email | Self::EndFactor => Duration::HOUR,
            Self::Invite => Duration::WEEK,
        }
    }

    /// The key of the text that says the lifetime.
    pub const fn lifetime_key(self) -> &'static str {
        match self {
            Self::SignUp | Self::KeepFactor => "lifetime-day",
            Self::Reset | Self::Email | Self::EndFactor => "lifetime-hour",
            Self::Invite => "lifetime-week",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_purpose_is_found_by_its_name() {
        for purpose in Purpose::ALL {
            assert_eq!(Purpose::parse(purpose.as_str()), Some(purpose));
        }
        assert_eq!(Purpose::parse("other"), None);
    }
}
