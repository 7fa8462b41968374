//! People: sign-up, sign-in, links in mails, and what a person may change.

pub mod activity;
mod confirmation;
pub mod delete;
pub mod email;
pub mod link;
mod link_actions;
pub mod link_mail;
pub mod password;
pub mod reset;
pub mod second_factor;
pub mod sessions;
pub mod sign_in;
pub mod sign_up;
pub mod totp;

use http::StatusCode;

use crate::page_error::PageError;

/// The error if a person's credentials have changed after the access layer has checked the session. The session has ended, and the request
/// has done nothing.
fn sign_in_again() -> PageError {
    let text = "Your password, address or second factor was changed meanwhile, or your sessions were ended, so nothing was done. Sign in again.";
    PageError::new(StatusCode::UNAUTHORIZED, "Sign in again", text).way_out("/sign-in", "Sign in")
}
