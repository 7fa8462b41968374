//! The form in which a person calls an operation of the API.

use askama::Template;

use crate::field::Fields;
use crate::input::FormPart;
use crate::shell::Shell;

#[derive(Debug, Template)]
#[template(path = "account/try.html")]
pub struct TryPage {
    pub shell: Shell,
    pub errors: Fields,
    pub title: String,
    /// For example `GET /games`.
    pub call: String,
    pub summary: String,
    /// The path of its page in the documentation.
    pub reference: String,
    pub action: String,
    /// The path of the log of requests.
    pub requests: String,
    /// With which rights the call is made.
    pub caller: &'static str,
    pub parts: Vec<FormPart>,
    /// What was sent, and the answer.
    pub sent: Option<(Request, Answer)>,
}

/// The request in each language.
#[derive(Debug)]
pub struct Request {
    /// The environment variable with the key.
    pub variable: &'static str,
    pub curl: String,
    pub python: String,
    pub javascript: String,
}

impl Request {
    /// Label, id and text of each.
    pub fn snippets(&self) -> [(&'static str, &'static str, &str); 3] {
        [
            ("curl", "curl", &self.curl),
            ("Python", "python", &self.python),
            ("JavaScript", "javascript", &self.javascript),
        ]
    }
}

#[derive(Debug)]
pub struct Answer {
    /// With its reason, such as `404 Not Found`.
    pub status: String,
    pub is_success: bool,
    pub headers: Vec<(String, String)>,
    /// JSON, laid out.
    pub body: String,
    pub is_cut_off: bool,
}
