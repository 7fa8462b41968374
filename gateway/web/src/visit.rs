//! The request of a public page: its path and its language.

use http::header::ACCEPT_LANGUAGE;
use http::{HeaderMap, Uri};
use pages::{Frame, Language};

use crate::query::{Query, address};

/// This page and those below it are in English only.
const IN_ENGLISH: &str = "/docs";

/// A request of a public page.
#[derive(Debug, Clone)]
pub struct Visit {
    pub language: Language,
    /// The first part of the path if it names the language. Empty if the browser's preference decides.
    pub prefix: &'static str,
    /// Path and query without that prefix.
    pub path: String,
    /// Whether the page is in English only.
    is_english: bool,
}

impl Visit {
    pub fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let (named, path) = Language::split(uri.path());
        let accepted = || {
            let header = headers.get(ACCEPT_LANGUAGE);
            Language::accepted(header.and_then(|it| it.to_str().ok()).unwrap_or_default())
        };
        Self {
            language: named.unwrap_or_else(accepted),
            prefix: named.map_or("", Language::prefix),
            is_english: false,
            path: match uri.query() {
                Some(query) => format!("{path}?{query}"),
                None => path.to_owned(),
            },
        }
    }

    /// The same with only these parameters that have a value, in this order: each page has one address.
    #[must_use]
    pub fn reading(self, parameters: &[&str]) -> Self {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let query = Query::parse(Some(query));
        let parameters: Vec<_> = parameters
            .iter()
            .map(|name| (*name, query.get(name)))
            .collect();
        Self {
            path: address(path, &parameters),
            ..self
        }
    }

    /// The request of a page that exists in English only.
    #[must_use]
    pub fn in_english(self) -> Self {
        Self {
            language: Language::English,
            is_english: true,
            ..self
        }
    }

    /// Whether the browser's preference decided the language.
    pub fn is_negotiated(&self) -> bool {
        self.prefix.is_empty() && !self.is_english
    }

    /// Whether the page exists in each language. The path counts too, for an error before the handler calls [`in_english`](Self::in_english).
    fn is_translated(&self) -> bool {
        let below = self.path.strip_prefix(IN_ENGLISH);
        let is_below = below.is_some_and(|it| it.is_empty() || it.starts_with(['/', '?']));
        !self.is_english && !is_below
    }

    /// The frame of the page. `site` is the address of the site.
    pub fn frame(&self, site: &str) -> Frame {
        Frame {
            language: self.language,
            prefix: self.prefix,
            site: site.to_owned(),
            path: self.path.clone(),
            is_translated: self.is_translated(),
            ..Frame::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn visit(path: &str, headers: &[(http::HeaderName, &'static str)]) -> Visit {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        Visit::of(&path.parse().unwrap(), &headers.collect())
    }

    #[test]
    fn parameters_that_a_page_does_not_read_are_removed() {
        let parameters = ["genre", "country"];
        for (path, expected) in [
            ("/games?x=1&country=ng&genre=&y", "/games?country=NG"),
            (
                "/games?country=ng&genre=rpg&genre=2",
                "/games?genre=rpg&country=NG",
            ),
            ("/games?x=genre=rpg", "/games"),
            ("/games", "/games"),
        ] {
            assert_eq!(visit(path, &[]).reading(&parameters).path, expected);
            assert_eq!(visit(path, &[]).reading(&[]).path, "/games");
        }
    }

    #[test]
    fn the_path_selects_the_language_before_the_browser() {
        let french = [(ACCEPT_LANGUAGE, "fr")];
        let default = visit("/games?genre=rpg", &french);
        assert_eq!(default.language, Language::French);
        assert!(default.is_negotiated());
        assert_eq!(default.path, "/games?genre=rpg");
        let english = visit("/en/games?genre=rpg", &french);
        assert_eq!(english.language, Language::English);
        assert!(!english.is_negotiated());
        assert_eq!(english.path, "/games?genre=rpg");
    }
}
