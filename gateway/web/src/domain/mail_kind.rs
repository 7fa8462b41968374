//! The kinds of mails that a person may switch off.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a mail is about. A person stores the names, in `snake_case`, of those that are not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum MailKind {
    /// Decisions about live keys.
    Keys,
    /// Decisions about listings.
    Listings,
    /// Decisions about claims of pages.
    Claims,
    /// Listings that are taken down.
    Takedowns,
    /// Reports that are held or voided, and the decisions about them.
    Reports,
    /// Webhooks that cannot be delivered, and addresses that are switched off.
    Webhooks,
    /// The removal from a team.
    Team,
    /// Sign-ins from a new network.
    SignIns,
}

impl MailKind {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a person who has switched `muted` off wants this kind.
    pub fn is_wanted(self, muted: &[String]) -> bool {
        !muted.iter().any(|name| name == self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_wanted_unless_it_is_switched_off() {
        let muted = ["sign_ins".to_owned(), "unknown".to_owned()];
        for kind in MailKind::VARIANTS {
            assert_eq!(kind.name().parse::<MailKind>(), Ok(*kind));
            assert_eq!(kind.is_wanted(&muted), *kind != MailKind::SignIns);
        }
    }
}
