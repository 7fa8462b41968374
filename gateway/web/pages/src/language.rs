//! The languages of pages and mails.

/// A language of pages and mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    #[default]
    English,
    French,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::French];

    /// As in `lang` and `hreflang`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
        }
    }

    /// The language with this code. English stands for codes that this version does not know.
    pub fn from_code(code: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|language| language.code() == code).unwrap_or_default()
    }

    /// In the language itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::French => "Français",
        }
    }

    /// What the paths of its pages begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::English => "/en",
            Self::French => "/fr",
        }
    }

    /// The language whose prefix a path has, and the path without it.
    pub fn split(path: &str) -> (Option<Self>, &str) {
        for language in Self::ALL {
            match path.strip_prefix(language.prefix()) {
                Some("") => return (Some(language), "/"),
                Some(rest) if rest.starts_with('/') => return (Some(language), rest),
                Some(_) | None => {}
            }
        }
        (None, path)
    }

    /// The language that a reader prefers by the header `Accept-Language` (RFC 9110, 12.5.4): the one with the highest weight, of equals the first.
    pub fn accepted(header: &str) -> Self {
        let mut best: Option<(Self, f32)> = None;
        for range in header.split(',') {
            let mut parts = range.split(';');
            let tag = parts.next().unwrap_or_default().trim();
            let primary = tag.split('-').next().unwrap_or_default();
            let language = Self::ALL
                .into_iter()
                .find(|language| primary.eq_ignore_ascii_case(language.code()));
            let weight: f32 =
                parts.find_map(|part| part.trim().strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
            let Some(language) = language.filter(|_| weight > 0.0) else {
                continue;
            };
            if best.is_none_or(|(_, most)| weight > most) {
                best = Some((language, weight));
            }
        }
        best.map_or_else(Self::default, |(language, _)| language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_of_a_path_names_its_language() {
        for (path, language, rest) in [
            ("/games/kora", None, "/games/kora"),
            ("/fr/games/kora", Some(Language::French), "/games/kora"),
            ("/en", Some(Language::English), "/"),
            ("/fr/", Some(Language::French), "/"),
            ("/french", None, "/french"),
            ("/", None, "/"),
        ] {
            assert_eq!(Language::split(path), (language, rest), "{path}");
        }
    }

    #[test]
    fn accept_language_selects_the_preferred_language() {
        for (header, language) in [
            ("", Language::English),
            ("fr", Language::French),
            ("fr-CI, fr;q=0.9, en;q=0.8", Language::French),
            ("sw, en;q=0.5, fr;q=0.7", Language::French),
            ("en, fr", Language::English),
            ("fr;q=0, de", Language::English),
            ("*", Language::English),
            ("FR-sn;q=0.3", Language::French),
            ("fr;q=x", Language::French),
            (";;,,q=", Language::English),
        ] {
            assert_eq!(Language::accepted(header), language, "{header}");
        }
    }
}
