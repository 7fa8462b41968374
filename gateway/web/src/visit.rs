//! The request of a public page: its path and its language.

use http::header::ACCEPT_LANGUAGE;
use http::{HeaderMap, Uri};
use pages::{Frame, Language};

use crate::query::{Query, address};

/// This page and those below it are in English only.
const IN_ENGLISH: &str = "/docs";

fn is_in_english(path: &str) -> bool {
    let below = path.strip_prefix(IN_ENGLISH);
    below.is_some_and(|it| it.is_empty() || it.starts_with(['/', '?']))
}

/// A parameter of the query on which a public page depends.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    /// Its only values; none: any value.
    pub values: &'static [&'static str],
}

impl Parameter {
    fn accepts(&self, value: &str) -> bool {
        self.values.is_empty() || self.values.contains(&value)
    }
}

/// A request of a public page.
#[derive(Debug, Clone)]
pub struct Visit {
    pub language: Language,
    /// The first part of the path if it names the language. Empty if the browser's preference decides.
    pub prefix: &'static str,
    /// Path and query without that prefix.
    pub path: String,
}

impl Visit {
    pub fn from_request(uri: &Uri, headers: &HeaderMap) -> Self {
        let (named, path) = Language::split(uri.path());
        let accepted = || {
            let header = headers.get(ACCEPT_LANGUAGE);
            Language::accepted(header.and_then(|it| it.to_str().ok()).unwrap_or_default())
        };
        Self {
            language: named.unwrap_or_else(accepted),
            prefix: named.map_or("", Language::prefix),
            path: match uri.query() {
                Some(query) => format!("{path}?{query}"),
                None => path.to_owned(),
            },
        }
    }

    /// The same with only these parameters that have a value, in this order: each page has one address.
    #[must_use]
    pub fn reading(self, parameters: &[Parameter]) -> Self {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let query = Query::parse(Some(query));
        let parameters: Vec<_> = parameters
            .iter()
            .map(|it| (it.name, query.get(it.name).filter(|value| it.accepts(value))))
            .collect();
        Self { path: address(path, &parameters), ..self }
    }

    /// The request of a page that exists in English only. Its errors have the language of the browser.
    #[must_use]
    pub fn in_english(self) -> Self {
        let language = Language::English;
        Self { language, ..self }
    }

    /// Whether the browser's preference decided the language.
    pub fn is_negotiated(&self) -> bool {
        self.prefix.is_empty() && !is_in_english(&self.path)
    }

    /// The frame of the page. `site` is the address of the site.
    pub fn frame(&self, site: &str) -> Frame {
        Frame {
            language: self.language,
            prefix: self.prefix,
            site: site.to_owned(),
            path: self.path.clone(),
            is_translated: !is_in_english(&self.path),
            ..Frame::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn visit(path: &str, headers: &[(http::HeaderName, &'static str)]) -> Visit {
        let headers =
            headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        Visit::from_request(&path.parse().unwrap(), &headers.collect())
    }

    #[test]
    fn parameters_that_a_page_does_not_read_are_removed() {
        let parameter = |name| Parameter { name, values: &[] };
        let parameters = ["genre", "country"].map(parameter);
        for (path, expected) in [
            ("/games?x=1&country=ng&genre=&y", "/games?country=NG"),
            ("/games?country=ng&genre=rpg&genre=2", "/games?genre=rpg&country=NG"),
            ("/games?x=genre=rpg", "/games"),
            ("/games", "/games"),
        ] {
            assert_eq!(visit(path, &[]).reading(&parameters).path, expected);
            assert_eq!(visit(path, &[]).reading(&[]).path, "/games");
        }
        let done = Parameter { name: "done", values: &["signed-out"] };
        for (path, expected) in [("/?done=signed-out", "/?done=signed-out"), ("/?done=x", "/")] {
            assert_eq!(visit(path, &[]).reading(&[done]).path, expected);
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
