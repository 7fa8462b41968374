//! What all pages of the public site share: the head, the search, the navigation and the links to the other language.

use askama::Template;

use super::cards::{Link, Picture};
use super::share::Share;
use crate::asset;
use crate::frame::TypedForm;
use crate::language::Language;
use crate::texts::Texts;

/// The frame of a page.
#[derive(Debug, Clone)]
pub struct Frame {
    pub texts: &'static Texts,
    /// What links of the page begin with: that of the page's own address, if it names a language.
    pub prefix: &'static str,
    /// The address of the site, without a slash at its end.
    pub site: String,
    /// Path and query of the page, without the prefix of a language.
    pub path: String,
    pub head: Head,
    pub share: Share,
    /// Whether the page is there in each language; else it is in English at one address.
    pub is_translated: bool,
    /// What stands in the search field.
    pub search: String,
    /// The API call that gives the same as this page, for example `GET /v1/games`.
    pub api_call: Option<String>,
}

/// What the head of a page says about it.
#[derive(Debug, Default, Clone)]
pub struct Head {
    pub title: String,
    pub description: String,
    /// Whether search engines may list the page.
    pub is_indexed: bool,
}

impl Head {
    pub fn new(title: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            description: description.into(),
            is_indexed: true,
        }
    }

    /// Of a page that search engines list under a condition.
    #[must_use]
    pub fn indexed_if(self, is_indexed: bool) -> Self {
        Self { is_indexed, ..self }
    }

    /// Of a page that search engines do not list.
    #[must_use]
    pub fn unindexed(self) -> Self {
        self.indexed_if(false)
    }
}

/// The page in a language.
#[derive(Debug)]
pub struct Alternate {
    pub language: Language,
    /// For `hreflang`: the address that the API gives out stands for English.
    pub canonical: String,
    /// For readers: it has the language, whatever their browser prefers.
    pub path: String,
    pub is_current: bool,
}

impl Frame {
    pub fn say<'a>(&'a self, key: &'a str) -> &'a str {
        self.texts.say(key)
    }

    pub fn say_of(&self, key: &str, value: &str) -> String {
        self.texts.say_of(key, value)
    }

    pub fn around(&self, key: &str) -> (String, String) {
        self.texts.around(key)
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "templates pass references"
    )]
    pub fn count(&self, key: &str, count: &u64) -> String {
        self.texts.count(key, *count)
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
        Link {
            href: self.href(path),
            label: label.into(),
        }
    }

    pub fn lang(&self) -> &'static str {
        self.texts.language().code()
    }

    /// The address under which search engines list the page.
    pub fn canonical(&self) -> String {
        self.canonical_in(self.texts.language())
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
        self.absolute_in(self.texts.language(), path)
    }

    /// The page without a language in its address.
    pub fn default_address(&self) -> String {
        self.canonical_in(Language::English)
    }

    /// The page in each language that it is there in.
    pub fn alternates(&self) -> Vec<Alternate> {
        let current = self.texts.language();
        let languages = Language::ALL.into_iter();
        let languages = languages.filter(|language| self.is_translated || *language == current);
        let alternates = languages.map(|language| Alternate {
            language,
            canonical: self.canonical_in(language),
            path: in_language(language, &self.path),
            is_current: language == current,
        });
        alternates.collect()
    }

    /// Whether a part of the navigation holds this page. The part of the places, at `/countries`, holds the cities as well.
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

/// An error, with ways out.
#[derive(Debug, Template)]
#[template(path = "site/error.html")]
pub struct ErrorPage {
    pub frame: Frame,
    pub text: String,
    /// The form that the error is the answer to.
    pub form: Option<TypedForm>,
    /// The id under which the error is in the log.
    pub request_id: String,
}
