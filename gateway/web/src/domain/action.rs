//! The actions of people that are recorded.

use strum::{EnumString, IntoStaticStr};

/// An action in an account, or one that concerns a person only. It is stored by its name in `snake_case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    AccountCreated,
    AccountChanged,
    KeyCreated,
    KeyAsked,
    KeyRevealed,
    KeyRotated,
    KeyRevoked,
    TokenCreated,
    TokenRevoked,
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

    /// The action in words, with the object of the action.
    pub fn text(self, subject: &str) -> String {
        match self {
            Self::AccountCreated => "created the account".to_owned(),
            Self::AccountChanged => {
                format!("changed the name or address of the account: {subject}")
            }
            Self::KeyCreated => format!("created the key {subject}"),
            Self::KeyAsked => format!("requested the live key {subject}"),
            Self::KeyRevealed => format!("revealed the key {subject}"),
            Self::KeyRotated => format!("rotated the key {subject}"),
            Self::KeyRevoked => format!("revoked the key {subject}"),
            Self::TokenCreated => format!("created the account token {subject}"),
            Self::TokenRevoked => format!("revoked the account token {subject}"),
            Self::WebhookAdded => format!("added a webhook at {subject}"),
            Self::WebhookChanged => format!("changed the webhook at {subject}"),
            Self::WebhookPaused => format!("paused the webhook at {subject}"),
            Self::WebhookResumed => format!("resumed the webhook at {subject}"),
            Self::WebhookSecretRotated => format!("created a new signing secret for {subject}"),
            Self::WebhookSecretSwitched => {
                format!("switched to the new signing secret of {subject}")
            }
            Self::WebhookRemoved => format!("removed the webhook at {subject}"),
            Self::WebhookTested => format!("sent the test event {subject}"),
            Self::WebhookSentAgain => format!("sent a delivery again to {subject}"),
            Self::WebhookRecovered => format!("sent failed deliveries again to {subject}"),
            Self::WebhookChecked => format!("checked the receiver at {subject}"),
            Self::Invited => format!("invited {subject}"),
            Self::InviteWithdrawn => format!("withdrew the invitation of {subject}"),
            Self::Joined => format!("joined as {subject}"),
            Self::RoleChanged => format!("changed a role: {subject}"),
            Self::MemberRemoved => format!("removed {subject}"),
            Self::Left => "left the team".to_owned(),
            Self::ListingSubmitted => format!("submitted {subject}"),
            Self::ListingChanged => format!("changed {subject}"),
            Self::ListingWithdrawn => format!("withdrew {subject}"),
            Self::PicturesChanged => format!("changed the pictures of {subject}"),
            Self::TakedownAsked => format!("requested the takedown of {subject}"),
            Self::CorrectionDone => format!("marked a correction of {subject} as done"),
            Self::CorrectionDismissed => format!("dismissed a correction of {subject}"),
            Self::PageClaimed => format!("claimed the page {subject}"),
            Self::CurrencyNamed => format!("named the currency of {subject}"),
            Self::SignedIn => "signed in".to_owned(),
            Self::PasswordChanged => "changed the password".to_owned(),
            Self::PasswordReset => "set a new password with a link".to_owned(),
            Self::EmailChangeAsked => "asked for another address".to_owned(),
            Self::EmailChanged => "changed the address".to_owned(),
            Self::TotpOn => "turned the second factor on".to_owned(),
            Self::TotpOff => "turned the second factor off".to_owned(),
            Self::RecoveryCodesMade => "created new recovery codes".to_owned(),
            Self::TotpEndAsked => {
                "asked to end the second factor, without phone and codes".to_owned()
            }
            Self::TotpEndAskedByStaff => {
                "staff were asked to end the second factor, without phone and codes".to_owned()
            }
            Self::TotpEndStopped => "the end of the second factor was stopped".to_owned(),
            Self::TotpEnded => "the second factor ended a day after it was asked for".to_owned(),
            Self::SessionsEnded => "ended all other sessions".to_owned(),
            Self::PersonDeleted => "deleted the profile".to_owned(),
        }
    }
}

/// A recorded action in words. During a rolling update, a replica with more actions may have recorded it.
pub fn text(name: &str, subject: &str) -> String {
    match name.parse() {
        Ok(action) => Action::text(action, subject),
        Err(_unknown) if subject.is_empty() => name.to_owned(),
        Err(_unknown) => format!("{name}: {subject}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_told_in_words_by_its_stored_name() {
        assert_eq!(Action::WebhookSentAgain.name(), "webhook_sent_again");
        assert_eq!(text("key_asked", "server"), "requested the live key server");
        assert_eq!(text("totp_on", ""), "turned the second factor on");
        assert_eq!(text("key_lent", "server"), "key_lent: server");
    }
}
