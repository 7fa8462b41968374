//! The page of an error.

use askama::Template;

use crate::frame::Frame;
use crate::link::Link;

/// An error, with ways out. Its title is that of the frame.
#[derive(Debug, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    pub frame: Frame,
    pub text: String,
    pub ways_out: Vec<Link>,
    /// The person must sign in before the form is sent again.
    pub is_signed_out: bool,
    /// The form whose answer is the error.
    pub form: Option<TypedForm>,
    /// The id of the request in the log.
    pub request_id: String,
}

/// A form as it was sent.
#[derive(Debug, Clone)]
pub struct TypedForm {
    /// The path that it was sent to.
    pub action: String,
    /// Names and values, without passwords and codes.
    pub fields: Vec<(String, String)>,
    /// It had a password or a code, which must be typed again.
    pub lacks_secrets: bool,
}
