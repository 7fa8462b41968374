//! The actions of people that are recorded.

use strum::IntoStaticStr;

/// An action in an account, or one that concerns a person only. It is stored by its name in `snake_case`.
///
/// The words of an action in an account are the text `did-` with that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    AccountCreated,
    AccountChanged,
    AccountClosed,
    KeyCreated,
    KeyAsked,
    KeyRequestWithdrawn,
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
    Invited,
    InviteWithdrawn,
    Joined,
    RoleChanged,
    MemberRemoved,
    Left,
    ListingSubmitted,
    ListingChanged,
    ListingWithdrawn,
    ListingTakenDown,
    PicturesChanged,
    PageClaimed,
    ClaimWithdrawn,
    // Of staff.
    KeyApproved,
    KeyRejected,
    ListingApproved,
    ListingRejected,
    ListingRemoved,
    ListingRestored,
    ClaimGranted,
    ClaimRejected,
    OwnerAdded,
    OwnerRemoved,
    GameMoved,
    EventMoved,
    CurrencyNamed,
    // Of a person only. No page shows them: operators look them up after an attack.
    SignedIn,
    PasswordChanged,
    PasswordReset,
    EmailChangeAsked,
    EmailChanged,
    TotpOn,
    TotpOff,
    RecoveryCodesMade,
    SessionsEnded,
    PersonDeleted,
}

impl Action {
    pub fn name(self) -> &'static str {
        self.into()
    }
}
