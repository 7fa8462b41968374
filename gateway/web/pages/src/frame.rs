//! What surrounds the content of every page: head, navigation, notices, and the links to other languages. And the page of an error, which
//! has little else.

use askama::Template;

use crate::asset;
use crate::language::Language;
use crate::link::{Link, Picture, Tab};
use crate::share::Share;
use crate::texts::Texts;

/// The frame of a page.
#[derive(Debug, Default, Clone)]
pub struct Frame {
    pub language: Language,
    /// The prefix of the page's links, if the page's own address names a language.
    pub prefix: &'static str,
    /// The address of the site, without a slash at its end. Only public pages need it.
    pub site: String,
    /// Path and query of the page, without the prefix of a language.
    pub path: String,
    /// Whether the page exists in each language. Other pages are in English at one address.
    pub is_translated: bool,
    pub head: Head,
    pub share: Share,
    /// The text in the search field.
    pub search: String,
    /// The address of the signed-in person, on a page of the dashboard.
    pub person: Option<String>,
    /// Without the links of people who are signed in or not: the person is half signed in.
    pub is_plain: bool,
    /// The account that the page is about.
    pub account: Option<AccountNav>,
    /// What was just done: the key of a sentence.
    pub notice: Option<&'static str>,
    /// Why the forms of the page are closed.
    pub closed: Option<&'static str>,
    /// The API call that returns the same as this page.
    pub api_call: Option<ApiCall>,
}

/// The title of a public page, and what search engines read.
#[derive(Debug, Default, Clone)]
pub struct Head {
    pub title: String,
    pub description: String,
    /// Whether search engines may list the page.
    pub is_indexed: bool,
}

impl Head {
    pub fn new(title: impl Into<String>, description: impl Into<String>) -> Self {
        Self { title: title.into(), description: description.into(), is_indexed: true }
    }

    #[must_use]
    pub fn indexed_if(self, is_indexed: bool) -> Self {
        Self { is_indexed, ..self }
    }

    #[must_use]
    pub fn unindexed(self) -> Self {
        self.indexed_if(false)
    }
}

/// The page in a language.
#[derive(Debug)]
pub struct Alternate {
    pub language: Language,
    /// For `hreflang`: English has the address that the API returns.
    pub canonical: String,
    /// For readers: it names the language, whatever their browser prefers.
    pub path: String,
    pub is_current: bool,
}

impl Frame {
    pub fn texts(&self) -> &'static Texts {
        Texts::of(self.language)
    }

    pub fn lang(&self) -> &'static str {
        self.language.code()
    }

    pub fn say<'a>(&self, key: &'a str) -> &'a str {
        self.texts().say(key)
    }

    pub fn say_of(&self, key: &str, value: &str) -> String {
        self.texts().say_of(key, value)
    }

    pub fn say_of_two(&self, key: &str, from: &str, to: &str) -> String {
        self.texts().say_of_two(key, from, to)
    }

    pub fn split_at_value(&self, key: &str) -> (String, String) {
        self.texts().split_at_value(key)
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
    pub fn count(&self, key: &str, count: &u64) -> String {
        self.texts().count(key, *count)
    }

    /// The picture with which networks show a link to the page.
    pub fn image(&self) -> Picture {
        let of_site = || Picture {
            src: asset::SHARE.path(),
            width: 1_200,
            height: 630,
            alt: "Mchezo".to_owned(),
            srcset: String::new(),
        };
        self.share.image.clone().unwrap_or_else(of_site)
    }

    /// A path of the site, in the language of the page's address.
    pub fn href(&self, path: &str) -> String {
        match (self.prefix, path) {
            ("", path) => path.to_owned(),
            (prefix, "/") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}{path}"),
        }
    }

    /// A link to a path of the site.
    pub fn link(&self, path: &str, label: impl Into<String>) -> Link {
        Link { href: self.href(path), label: label.into() }
    }

    /// The address under which search engines list the page.
    pub fn canonical(&self) -> String {
        self.canonical_in(self.language)
    }

    fn canonical_in(&self, language: Language) -> String {
        self.absolute_in(language, &self.path)
    }

    fn absolute_in(&self, language: Language, path: &str) -> String {
        match language {
            Language::English => format!("{}{path}", self.site),
            Language::French => format!("{}{}", self.site, in_language(language, path)),
        }
    }

    /// The address under which search engines list another page, in the language of this one.
    pub fn absolute(&self, path: &str) -> String {
        self.absolute_in(self.language, path)
    }

    /// The page without a language in its address.
    pub fn default_address(&self) -> String {
        self.canonical_in(Language::English)
    }

    /// The page in each of its languages.
    pub fn alternates(&self) -> Vec<Alternate> {
        let languages = Language::ALL.into_iter();
        let languages =
            languages.filter(|language| self.is_translated || *language == self.language);
        let alternates = languages.map(|language| Alternate {
            language,
            canonical: self.canonical_in(language),
            path: in_language(language, &self.path),
            is_current: language == self.language,
        });
        alternates.collect()
    }

    /// Whether the page belongs to a part of the navigation. Cities belong to `/countries`.
    pub fn is_in(&self, path: &str) -> bool {
        let is_below = |path: &str| {
            let rest = self.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        };
        is_below(path) || (path == "/countries" && is_below("/cities"))
    }
}

/// A path with the prefix of a language.
fn in_language(language: Language, path: &str) -> String {
    match path.strip_prefix('/') {
        Some("") => language.prefix().to_owned(),
        Some(rest) if rest.starts_with('?') => format!("{}{rest}", language.prefix()),
        _ => format!("{}{path}", language.prefix()),
    }
}

/// A call of the API under a page.
#[derive(Debug, Clone)]
pub struct ApiCall {
    /// The key of the sentence before it.
    pub text: &'static str,
    /// For example `GET /v1/me`.
    pub call: String,
}

impl ApiCall {
    pub fn new(text: &'static str, call: impl Into<String>) -> Self {
        Self { text, call: call.into() }
    }

    /// A call that returns the same as the page, or does the same as its form.
    pub fn same(call: impl Into<String>) -> Self {
        Self::new("api-call-same", call)
    }
}

/// The navigation of an account.
#[derive(Debug, Default, Clone)]
pub struct AccountNav {
    pub id: String,
    pub name: String,
    pub links: Vec<Tab>,
}

/// An error, with links that lead on. Its title is that of the frame.
#[derive(Debug, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    pub frame: Frame,
    pub text: String,
    pub links: Vec<Link>,
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
