//! People: sign-up, sign-in, links in mails, and what a person may change.

pub(crate) mod agent;
mod confirmation;
pub mod delete;
pub mod email;
pub mod link_mail;
pub mod links;
mod new_browser;
pub mod password;
pub mod recovery_codes;
pub mod reset;
pub mod second_factor;
pub mod sessions;
pub mod settings;
pub mod sign_in;
pub mod sign_up;
pub mod totp;
pub mod you;

use crate::domain::password as password_rule;
use crate::page_language::PageLanguage;

/// Why a new password is refused, in words.
fn password_problem(problem: password_rule::Problem, language: PageLanguage) -> String {
    let texts = language.texts();
    match problem {
        password_rule::Problem::Short(length) => {
            let (least, length) = (password_rule::MIN.to_string(), length.to_string());
            texts.say_of_two("password-short", &least, &length)
        }
        password_rule::Problem::Long => {
            texts.say_of("password-long", &password_rule::MAX.to_string())
        }
        password_rule::Problem::Guessable => texts.say("password-guessable").to_owned(),
    }
}
