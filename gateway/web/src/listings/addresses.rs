//! The addresses of a listing's form get `https://`.

use super::fields::{Input, fields};
use super::typed::TypedListing;
use crate::domain::listing_kind::ListingKind;

/// A typed address with `https://`, also if it was typed without a scheme or with `http://`. Another text stays as it is, and listings-svc
/// says what is wrong with it.
fn with_https(typed: &str) -> String {
    let typed = typed.trim();
    let rest = match typed.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
        Some(_) => return typed.to_owned(),
        None => typed,
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    if host.contains('.') && host.chars().all(is_host) {
        format!("https://{rest}")
    } else {
        typed.to_owned()
    }
}

impl TypedListing {
    /// Gives every address `https://`.
    pub(super) fn complete_addresses(&mut self, kind: ListingKind) {
        let mut fields = fields(kind);
        fields.retain(|field| field.input == Input::Address);
        self.map_values(|name, value| {
            let is_address =
                name.starts_with("links.") || fields.iter().any(|field| field.name == name);
            is_address.then(|| with_https(value))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_and_bare_addresses_are_completed_to_https() {
        for (typed, stored) in [
            ("http://play.google.com/a", "https://play.google.com/a"),
            ("HTTP://studio.example", "https://studio.example"),
            (" studio.example/game ", "https://studio.example/game"),
            ("https://studio.example", "https://studio.example"),
            ("htps://typo", "htps://typo"),
            ("http://studio.example:8080/", "http://studio.example:8080/"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("", ""),
        ] {
            assert_eq!(with_https(typed), stored);
        }
    }

    #[test]
    fn the_trailer_and_the_links_are_addresses() {
        let typed = ["trailer_url", "links.steam", "title"];
        let typed = typed.map(|name| (name.to_owned(), "a.example".to_owned()));
        let mut game = TypedListing::new(typed.into());
        game.complete_addresses(ListingKind::Game);
        assert_eq!(game.get("trailer_url"), "https://a.example");
        assert_eq!(game.get("links.steam"), "https://a.example");
        assert_eq!(game.get("title"), "a.example");
    }
}
