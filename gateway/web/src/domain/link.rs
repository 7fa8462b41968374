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
}

impl Purpose {
    pub const ALL: [Self; 4] = [Self::SignUp, Self::Reset, Self::Email, Self::Invite];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignUp => "sign_up",
            Self::Reset => "reset",
            Self::Email => "email",
            Self::Invite => "invite",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|purpose| purpose.as_str() == text)
    }

    pub const fn lifetime(self) -> Duration {
        match self {
            Self::SignUp => Duration::DAY,
            Self::Reset | Self::Email => Duration::HOUR,
            Self::Invite => Duration::WEEK,
        }
    }

    /// The lifetime in words.
    pub const fn lifetime_text(self) -> &'static str {
        match self {
            Self::SignUp => "a day",
            Self::Reset | Self::Email => "an hour",
            Self::Invite => "a week",
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
