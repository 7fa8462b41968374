//! What all pages share: the head, the navigation and the notice.

use askama::Template;

use crate::language::Language;
use crate::texts::Texts;

/// The frame of a page.
#[derive(Debug, Default, Clone)]
pub struct Frame {
    pub language: Language,
    /// What paths of the page begin with, if its own address names the language.
    pub prefix: &'static str,
    /// Path and query of the page without a language, if it links to itself in the other ones.
    pub translated_path: Option<String>,
    /// The address of the signed-in person.
    pub person: Option<String>,
    /// The account that the page is about.
    pub account: Option<AccountNav>,
    /// What was just done: the key of a sentence.
    pub notice: Option<&'static str>,
    /// Why the forms of the page are closed.
    pub closed: Option<&'static str>,
    /// Without the links that depend on whether somebody is signed in.
    pub is_plain: bool,
    /// The API call that gives the same as this page.
    pub api_call: Option<ApiCall>,
}

impl Frame {
    pub fn lang(&self) -> &'static str {
        self.language.code()
    }

    pub fn say<'a>(&self, key: &'a str) -> &'a str {
        Texts::of(self.language).say(key)
    }

    pub fn say_of(&self, key: &str, value: &str) -> String {
        Texts::of(self.language).say_of(key, value)
    }

    pub fn say_of_two(&self, key: &str, from: &str, to: &str) -> String {
        Texts::of(self.language).say_of_two(key, from, to)
    }

    pub fn around(&self, key: &str) -> (String, String) {
        Texts::of(self.language).around(key)
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates pass references"
    )]
    pub fn count(&self, key: &str, count: &u64) -> String {
        Texts::of(self.language).count(key, *count)
    }

    /// A path of a page that is there in each language.
    pub fn href(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// The page in each language.
    pub fn translations(&self) -> Vec<Translation> {
        let Some(path) = &self.translated_path else {
            return Vec::new();
        };
        let translation = |language: Language| Translation {
            href: format!("{}{path}", language.prefix()),
            language,
            is_current: language == self.language,
        };
        Language::ALL.into_iter().map(translation).collect()
    }
}

/// The page in a language.
#[derive(Debug)]
pub struct Translation {
    pub language: Language,
    pub href: String,
    pub is_current: bool,
}

/// A call of the API under a page.
#[derive(Debug, Clone)]
pub struct ApiCall {
    /// What it gives: the key of a text.
    pub text: &'static str,
    /// For example `GET /v1/me`.
    pub call: String,
}

impl ApiCall {
    pub fn new(text: &'static str, call: impl Into<String>) -> Self {
        Self {
            text,
            call: call.into(),
        }
    }

    /// It gives the same as the page, or does the same as its form.
    pub fn same(call: impl Into<String>) -> Self {
        Self::new("api-call-same", call)
    }
}

/// The navigation of an account.
#[derive(Debug, Default, Clone)]
pub struct AccountNav {
    pub id: String,
    pub name: String,
    pub links: Vec<NavLink>,
}

/// A link of the navigation.
#[derive(Debug, Clone)]
pub struct NavLink {
    pub href: String,
    /// The key of its text.
    pub label: &'static str,
    pub is_current: bool,
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

/// The page of an error, with ways out.
#[derive(Debug, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    pub frame: Frame,
    pub title: String,
    pub text: String,
    /// Address and label of links that lead on.
    pub ways_out: Vec<(String, String)>,
    /// The person must sign in before the form is sent again.
    pub is_signed_out: bool,
    /// The form that the error is the answer to.
    pub form: Option<TypedForm>,
    /// The id under which the error is in the log.
    pub request_id: String,
}
