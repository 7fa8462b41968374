//! Pages of people: sign-up, sign-in, links in mails, and what a person has.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::input::{Checks, Select};

#[derive(Debug, Template)]
#[template(path = "people/sign_up.html")]
pub struct SignUpPage {
    pub frame: Frame,
    pub errors: Fields,
    pub email: Field,
    /// The page to come back to; empty: the new account.
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
    /// The page with the form that sends another mail.
    pub again: String,
    pub mail_folder: Option<String>,
}

/// What a link in a mail leads to. Opening it changes nothing: only its button does.
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
    /// What the person signs in for; empty: nothing special.
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

#[derive(Debug, Template)]
#[template(path = "people/reset.html")]
pub struct ResetPage {
    pub frame: Frame,
    pub errors: Fields,
    pub email: Field,
    pub mail_folder: Option<String>,
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
    pub language: Select,
    /// One box: the mails that the person may switch off.
    pub notices: Checks,
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
    pub text: Vec<String>,
    pub action: &'static str,
    /// The id of a form that takes effect once.
    pub form: Option<String>,
    pub inputs: Vec<Field>,
    pub button: &'static str,
    pub is_dangerous: bool,
    /// Where the page came from.
    pub back: &'static str,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn a_refused_form_keeps_what_was_typed_except_the_password() {
        let errors = Fields::general("The address or the password is wrong.");
        let page = SignInPage {
            frame: Frame::default(),
            email: Field::email("email", "E-mail").value("ada@studio.example"),
            password: Field::password("password", "Password").value("hunter2"),
            errors,
            reason: String::new(),
            next: "/accounts".to_owned(),
            sign_up: "/sign-up".to_owned(),
        };
        let html = page.render().unwrap();
        assert!(
            html.contains("ada@studio.example") && !html.contains("hunter2"),
            "{html}"
        );
        assert!(
            html.contains("role=\"alert\"") && html.contains("value=\"/accounts\""),
            "{html}"
        );
    }

    #[test]
    fn texts_of_people_are_escaped() {
        let evil = "<script>alert(1)</script>";
        let row = SessionRow {
            id: evil.to_owned(),
            agent: evil.to_owned(),
            address: evil.to_owned(),
            since: String::new(),
            last_seen: String::new(),
            is_current: false,
        };
        let page = YouPage {
            frame: Frame {
                person: Some(evil.to_owned()),
                ..Frame::default()
            },
            email: evil.to_owned(),
            sessions: vec![row],
            has_totp: false,
            recovery_codes: 0,
            language: Select::new("language", "Language", Vec::new()),
            notices: Checks::new("notices", "Mails", Vec::new()),
        };
        assert!(!page.render().unwrap().contains("<script>alert"));
    }

    #[test]
    fn a_page_of_people_is_in_their_language() {
        let frame = Frame {
            language: Language::French,
            prefix: "/fr",
            path: "/sign-up".to_owned(),
            is_translated: true,
            ..Frame::default()
        };
        let page = SignUpPage {
            email: Field::email("email", frame.say("email-label")),
            frame,
            errors: Fields::default(),
            next: String::new(),
            mail_folder: None,
        };
        let html = page.render().unwrap();
        for part in [
            "<html lang=\"fr\">",
            "<svg class=\"mark\"",
            "<h1>Créer un compte</h1>",
            "action=\"/fr/sign-up\"",
            "href=\"/fr/sign-in\"",
            "href=\"/en/sign-up\" hreflang=\"en\"",
            "Développeurs (en anglais)",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn the_links_of_mails_change_nothing_until_their_button_is_pressed() {
        let page = ConfirmLinkPage {
            frame: Frame::default(),
            heading: "Join Savanna".to_owned(),
            text: String::new(),
            action: "/link/abc".to_owned(),
            button: "Join",
        };
        let html = page.render().unwrap();
        assert!(
            html.contains("method=\"post\" action=\"/link/abc\""),
            "{html}"
        );
    }
}
