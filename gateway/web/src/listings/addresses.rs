//! Links of a listing, whose kinds are found by their hosts.

use std::collections::BTreeMap;

use contracts::public::{CREATOR_LINKS, GAME_LINKS};
use kit::Fault;
use url::Url;

use super::fields::{Input, fields};
use super::typed::TypedListing;
use crate::domain::listing_kind::ListingKind;
use crate::page_language::PageLanguage;

/// The fields for addresses of any kind.
pub(super) const NEW_LINKS: [&str; 3] = ["link-1", "link-2", "link-3"];

/// Hosts with the kinds of their links. A host stands for its subdomains as well.
const HOSTS: [(&str, &str); 17] = [
    ("play.google.com", "playStore"),
    ("apps.apple.com", "appStore"),
    ("itunes.apple.com", "appStore"),
    ("store.steampowered.com", "steam"),
    ("steamcommunity.com", "steam"),
    ("itch.io", "itch"),
    ("epicgames.com", "epic"),
    ("xbox.com", "xbox"),
    ("playstation.com", "playstation"),
    ("nintendo.com", "nintendo"),
    ("facebook.com", "facebook"),
    ("fb.com", "facebook"),
    ("instagram.com", "instagram"),
    ("x.com", "x"),
    ("twitter.com", "x"),
    ("youtube.com", "youtube"),
    ("youtu.be", "youtube"),
];

/// The kinds of links that a listing may have.
fn kinds(kind: ListingKind) -> &'static [&'static str] {
    match kind {
        ListingKind::Page => &CREATOR_LINKS,
        ListingKind::Game => &GAME_LINKS,
        ListingKind::Event => &[],
    }
}

/// The kind of a link to this address, if its host tells.
fn kind_of(address: &str) -> Option<&'static str> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str()?;
    let is_of = |known: &str| {
        let before = host.strip_suffix(known);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let mut hosts = HOSTS.iter();
    hosts.find(|(known, _)| is_of(known)).map(|(_, kind)| *kind)
}

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

/// Whether this is an address of the web. listings-svc checks the rest.
fn is_web_address(text: &str) -> bool {
    let url = Url::parse(text).ok();
    url.is_some_and(|url| url.scheme() == "https" && url.has_host())
}

impl TypedListing {
    /// Gives every address `https://`, and every new link its kind.
    ///
    /// # Errors
    /// `invalid`, with the fields that are no addresses or whose kind is taken, and the reason in the language of the form. They keep what was
    /// typed.
    pub(super) fn sort_links(
        &mut self,
        language: PageLanguage,
        kind: ListingKind,
    ) -> Result<(), Fault> {
        let mut fields = fields(kind);
        fields.retain(|field| field.input == Input::Address);
        self.map_values(|name, value| {
            let is_address = name.starts_with("links.")
                || fields.iter().any(|field| field.name == name)
                || NEW_LINKS.contains(&name);
            is_address.then(|| with_https(value))
        });
        let mut refused = BTreeMap::new();
        for name in NEW_LINKS {
            let address = self.get(name).to_owned();
            if address.is_empty() {
                continue;
            }
            let field = if is_web_address(&address) {
                let field = self.free_field(kind, &address);
                field.ok_or("field-link-taken")
            } else {
                Err("field-link-address")
            };
            match field {
                Ok(field) => {
                    self.set(&field, &address);
                    self.set(name, "");
                }
                Err(key) => {
                    refused.insert(name.to_owned(), language.say(key).to_owned());
                }
            }
        }
        if refused.is_empty() {
            Ok(())
        } else {
            Err(Fault::invalid(refused))
        }
    }

    /// The field that a new link goes into; `None` if there is a link of its kind already.
    fn free_field(&self, kind: ListingKind, address: &str) -> Option<String> {
        let kinds = kinds(kind);
        let is_free = |field: &str| [address, ""].contains(&self.get(field));
        let found = kind_of(address);
        if found == Some("youtube") && kind == ListingKind::Game && is_free("trailer_url") {
            return Some("trailer_url".to_owned());
        }
        let by_host = found.filter(|kind| kinds.contains(kind));
        let candidates = by_host.map_or_else(|| vec!["website", "other"], |kind| vec![kind]);
        let mut fields = candidates
            .into_iter()
            .filter(|kind| kinds.contains(kind))
            .map(|kind| format!("links.{kind}"));
        fields.find(|field| is_free(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(pairs: &[(&str, &str)]) -> TypedListing {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        TypedListing::new(pairs.collect())
    }

    fn sort(typed: &mut TypedListing, kind: ListingKind) -> Result<(), Fault> {
        typed.sort_links(PageLanguage::default(), kind)
    }

    #[test]
    fn every_kind_of_a_host_is_in_the_contract() {
        for (host, kind) in HOSTS {
            assert!(CREATOR_LINKS.contains(&kind), "{host}");
        }
    }

    #[test]
    fn a_host_tells_the_kind() {
        for (address, kind) in [
            (
                "https://play.google.com/store/apps/details?id=a",
                Some("playStore"),
            ),
            ("https://Apps.Apple.com/ng/app/a/id1", Some("appStore")),
            ("https://store.steampowered.com/app/1", Some("steam")),
            ("https://studio.itch.io/game", Some("itch")),
            ("https://www.youtube.com/watch?v=a", Some("youtube")),
            ("https://notitch.io/game", None),
            ("https://studio.example/x.com", None),
            ("odd", None),
        ] {
            assert_eq!(kind_of(address), kind, "{address}");
        }
    }

    #[test]
    fn an_address_gets_https() {
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
    fn new_links_get_their_kinds() {
        let mut game = typed(&[
            ("link-1", "http://play.google.com/a"),
            ("link-2", "studio.example"),
            ("link-3", "https://youtu.be/a"),
            ("links.steam", "http://store.steampowered.com/app/1"),
        ]);
        sort(&mut game, ListingKind::Game).unwrap();
        assert_eq!(game.get("links.playStore"), "https://play.google.com/a");
        assert_eq!(game.get("links.website"), "https://studio.example");
        assert_eq!(game.get("trailer_url"), "https://youtu.be/a");
        assert_eq!(
            game.get("links.steam"),
            "https://store.steampowered.com/app/1"
        );
        assert!(NEW_LINKS.iter().all(|name| game.get(name).is_empty()));
    }

    #[test]
    fn every_new_link_that_is_no_address_is_refused_at_once() {
        let mut page = typed(&[
            ("link-1", "not a link"),
            ("link-2", "javascript:alert(1)"),
            ("link-3", "ftp://files.example/a"),
        ]);
        let fault = sort(&mut page, ListingKind::Page).unwrap_err();
        assert!(fault.fields.keys().eq(&NEW_LINKS), "{:?}", fault.fields);
        assert!(
            fault
                .fields
                .values()
                .all(|reason| reason.contains("https://"))
        );
        assert_eq!(page.get("link-1"), "not a link");
        assert_eq!(
            (page.get("links.website"), page.get("links.other")),
            ("", "")
        );
    }

    #[test]
    fn a_second_link_of_a_kind_is_refused_and_stays() {
        let mut game = typed(&[
            ("link-1", "https://a.example"),
            ("link-2", "https://b.example"),
        ]);
        let fault = sort(&mut game, ListingKind::Game).unwrap_err();
        assert_eq!(fault.fields.keys().collect::<Vec<_>>(), ["link-2"]);
        assert_eq!(game.get("link-2"), "https://b.example");
        // A page has a second place for an address of any kind.
        let mut page = typed(&[
            ("link-1", "https://a.example"),
            ("link-2", "https://b.example"),
        ]);
        sort(&mut page, ListingKind::Page).unwrap();
        assert_eq!(page.get("links.website"), "https://a.example");
        assert_eq!(page.get("links.other"), "https://b.example");
    }
}
