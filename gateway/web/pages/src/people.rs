//! Pages of people: sign-up, sign-in, links in mails, and what a person has.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;

/// The form that mails a link to an address: to sign up, or to set a new password.
#[derive(Debug, Template)]
#[template(path = "people/mail_link.html")]
pub struct MailLinkPage {
    pub frame: Frame,
    pub errors: Fields,
    pub is_sign_up: bool,
    pub email: Field,
    /// The page to come back to; empty: the account.
    pub next: String,
    /// Where mails are on a local fleet.
    pub mail_folder: Option<String>,
}

/// A mail was sent, or would have been: the page is the same for every address.
#[derive(Debug, Template)]
#[template(path = "people/mail_sent.html")]
pub struct MailSentPage {
    pub frame: Frame,
    pub email: String,
    /// How long the link in the mail works: the key of a text, such as `lifetime-day`.
    pub lifetime: &'static str,
    /// The text for a network that has requested too many mails: only people get one.
    pub people_only: Option<String>,
    /// The page with the form that sends another mail.
    pub again: String,
    pub mail_folder: Option<String>,
}

/// The page of a link in a mail. Only its button changes something.
#[derive(Debug, Template)]
#[template(path = "people/password_link.html")]
pub struct PasswordLinkPage {
    pub frame: Frame,
    pub errors: Fields,
    pub heading: String,
    pub text: String,
    pub email: String,
    /// Another person who is signed in in this browser.
    pub signed_in: Option<String>,
    pub action: String,
    /// The name of the account that is made; absent when no account is.
    pub account_name: Option<Field>,
    pub password: Field,
    pub button: &'static str,
}

/// A link that needs nothing but a button.
#[derive(Debug, Template)]
#[template(path = "people/confirm_link.html")]
pub struct ConfirmLinkPage {
    pub frame: Frame,
    pub heading: String,
    pub text: String,
    pub action: String,
    pub button: &'static str,
}

#[derive(Debug, Template)]
#[template(path = "people/sign_in.html")]
pub struct SignInPage {
    pub frame: Frame,
    pub errors: Fields,
    /// The reason to sign in; may be empty.
    pub reason: String,
    pub email: Field,
    pub password: Field,
    /// The page that was asked for.
    pub next: String,
    /// The page for people who have no account.
    pub sign_up: String,
}

#[derive(Debug, Template)]
#[template(path = "people/second_factor.html")]
pub struct SecondFactorPage {
    pub frame: Frame,
    pub errors: Fields,
    pub code: Field,
    pub next: String,
    /// The address for people who have lost phone and recovery codes.
    pub contact: Option<String>,
}

/// A person's own page.
#[derive(Debug, Template)]
#[template(path = "people/you.html")]
pub struct YouPage {
    pub frame: Frame,
    pub email: String,
    pub sessions: Vec<SessionRow>,
    pub has_totp: bool,
    /// Recovery codes that are left.
    pub recovery_codes: u64,
    pub language: Field,
    /// One box: the mails that the person may switch off.
    pub notices: Field,
}

#[derive(Debug)]
pub struct SessionRow {
    pub id: String,
    pub agent: String,
    pub address: String,
    pub since: String,
    pub last_seen: String,
    pub is_current: bool,
}

/// A form of a person, with at most three fields.
#[derive(Debug, Template)]
#[template(path = "people/form.html")]
pub struct PersonFormPage {
    pub frame: Frame,
    pub errors: Fields,
    pub heading: &'static str,
    /// Paragraphs above the form.
    pub text: Vec<&'static str>,
    pub action: &'static str,
    /// The id of a form that takes effect once.
    pub form: Option<String>,
    pub inputs: Vec<Field>,
    pub button: &'static str,
    pub is_dangerous: bool,
}

/// The secret of an authenticator app, to be confirmed by a code.
#[derive(Debug, Template)]
#[template(path = "people/totp.html")]
pub struct TotpPage {
    pub frame: Frame,
    pub errors: Fields,
    /// An SVG image of [`qr`](crate::qr).
    pub qr: String,
    pub secret: String,
    /// The id of the form.
    pub form: String,
    pub code: Field,
    pub password: Field,
}

#[derive(Debug, Template)]
#[template(path = "people/recovery_codes.html")]
pub struct RecoveryCodesPage {
    pub frame: Frame,
    /// What else has changed: the key of a text.
    pub effect: &'static str,
    pub codes: Vec<String>,
}
