//! The actions of people that are recorded.

use std::borrow::Cow;

use pages::site::Texts;
use strum::IntoStaticStr;

use super::role::Role;

/// An action in an account, or one that concerns a person only. It is stored by its name in `snake_case`.
///
/// Its words are the text `did-` with that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    AccountCreated,
    AccountChanged,
    KeyCreated,
    KeyAsked,
    KeyRevealed,
    KeyRotated,
    KeyRevoked,
    WebhookAdded,
    WebhookChanged,
    WebhookPaused,
    WebhookResumed,
    WebhookSecretRotated,
    WebhookSecretSwitched,
    WebhookRemoved,
    WebhookTested,
    WebhookSentAgain,
    WebhookRecovered,
    WebhookChecked,
    Invited,
    InviteWithdrawn,
    Joined,
    RoleChanged,
    MemberRemoved,
    Left,
    ListingSubmitted,
    ListingChanged,
    ListingWithdrawn,
    PicturesChanged,
    TakedownAsked,
    CorrectionDone,
    CorrectionDismissed,
    PageClaimed,
    // Of staff.
    ListingApproved,
    ListingRejected,
    ListingRemoved,
    TakedownDeclined,
    ClaimGranted,
    ClaimRejected,
    CurrencyNamed,
    SignedIn,
    PasswordChanged,
    PasswordReset,
    EmailChangeAsked,
    EmailChanged,
    TotpOn,
    TotpOff,
    RecoveryCodesMade,
    TotpEndAsked,
    TotpEndAskedByStaff,
    TotpEndStopped,
    TotpEnded,
    SessionsEnded,
    PersonDeleted,
}

impl Action {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The author of a recorded action: the address of a person, or staff, who are not named.
pub fn author<'a>(texts: &'a Texts, email: &'a str) -> &'a str {
    if email.is_empty() {
        texts.say("activity-staff")
    } else {
        email
    }
}

/// A recorded action in words. During a rolling update, a replica with more actions may have recorded it.
pub fn text(texts: &Texts, name: &str, subject: &str) -> String {
    let shown = shown_subject(texts, name, subject);
    let text = texts.find_of(&format!("did-{name}"), &shown);
    text.unwrap_or_else(|| {
        if subject.is_empty() {
            name.to_owned()
        } else {
            format!("{name}: {subject}")
        }
    })
}

/// The object of an action, with a role in words.
fn shown_subject<'a>(texts: &Texts, name: &str, subject: &'a str) -> Cow<'a, str> {
    let role = |name: &str| Some(texts.say(name.parse::<Role>().ok()?.key()).to_owned());
    let shown = match name {
        "joined" => role(subject),
        "role_changed" => subject
            .rsplit_once(", ")
            .and_then(|(person, name)| Some(format!("{person}, {}", role(name)?))),
        _ => None,
    };
    shown.map_or(Cow::Borrowed(subject), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use pages::site::Language;
    use strum::VariantNames as _;

    use super::*;

    #[test]
    fn an_action_is_told_in_words_by_its_stored_name() {
        let text = |name, subject| text(Texts::of(Language::English), name, subject);
        assert_eq!(Action::WebhookSentAgain.name(), "webhook_sent_again");
        assert_eq!(text("key_asked", "server"), "requested the live key server");
        assert_eq!(text("totp_on", ""), "turned the second factor on");
        assert_eq!(text("key_lent", "server"), "key_lent: server");
        assert_eq!(text("key_lent", ""), "key_lent");
    }

    #[test]
    fn an_action_has_words_in_every_language() {
        for language in Language::ALL {
            let texts = Texts::of(language);
            for name in Action::VARIANTS {
                let found = texts.find_of(&format!("did-{name}"), "x");
                assert!(found.is_some(), "{name} in {language:?}");
            }
        }
    }

    #[test]
    fn a_role_is_in_the_language_of_its_reader() {
        let text = |name, subject| text(Texts::of(Language::French), name, subject);
        let joined = text("joined", "editor");
        assert_eq!(joined, "a rejoint l’équipe (rôle\u{a0}: éditeur)");
        let changed = text("role_changed", "ada@studio.example, owner");
        assert!(
            changed.ends_with(" ada@studio.example, propriétaire"),
            "{changed}"
        );
        // A role of another version stays as it is.
        assert!(text("joined", "auditor").ends_with("auditor)"));
    }
}
