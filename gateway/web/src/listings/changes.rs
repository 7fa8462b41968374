//! The changes that a person has made in the form of a listing.
//!
//! A form carries the listing as it was when the form was opened: a fingerprint of each field, in the hidden field [`BASE`]. Only what differs
//! from that was changed by the person. Everything else is taken from the newest listing, so that two people may change different fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::fields::{Input, fields};
use super::typed::{LINKS, TypedListing};
use crate::domain::listing_kind::ListingKind;

/// The hidden field with the fingerprints of the other fields, such as `title=81f0c3a95e0b7d42 links.play=…`.
pub(super) const BASE: &str = "base";

/// The fields of a change: those that differ from the stored listing. A browser sends choices in the order of the page: those that stay keep
/// their stored order, and new ones follow.
pub(super) fn changed_fields(
    stored: &Map<String, Value>,
    mut typed: Map<String, Value>,
) -> Map<String, Value> {
    for (name, value) in &mut typed {
        if let (Some(Value::Array(old)), Value::Array(new)) = (stored.get(name), value)
            // Credits are objects, whose order a person types.
            && new.iter().all(Value::is_string)
        {
            new.sort_by_cached_key(|choice| {
                let place = old.iter().position(|it| it == choice);
                place.unwrap_or(usize::MAX)
            });
        }
    }
    typed.retain(|name, value| stored.get(name) != Some(value));
    typed
}

impl TypedListing {
    /// Makes `stored` the listing from which the form was opened.
    pub(super) fn set_base(&mut self, stored: &Self, kind: ListingKind) {
        let names = names(kind).into_iter().map(ToOwned::to_owned).chain(stored.link_names());
        let marks: Vec<String> =
            names.map(|name| format!("{name}={}", stored.fingerprint(&name))).collect();
        self.set(BASE, &marks.join(" "));
    }

    /// Replaces each field that the person has not changed since the form was opened with that of `newest`, which is then the form's base.
    /// Returns the names of the fields that both the person and somebody else have changed; these keep what was typed.
    ///
    /// A field that the form does not have, because it was opened before an upgrade, was not changed.
    pub(super) fn merge(&mut self, newest: &Self, kind: ListingKind) -> Vec<String> {
        let base = self.get(BASE).to_owned();
        let marks: BTreeMap<&str, &str> =
            base.split(' ').filter_map(|mark| mark.split_once('=')).collect();
        let empty = Self::default().fingerprint("");
        let names: BTreeSet<String> = names(kind)
            .into_iter()
            .map(ToOwned::to_owned)
            .chain(self.link_names())
            .chain(newest.link_names())
            .collect();
        let mut changed_by_both = Vec::new();
        for name in names {
            let (typed, theirs) = (self.fingerprint(&name), newest.fingerprint(&name));
            let opened = match marks.get(&*name) {
                Some(mark) => (*mark).to_owned(),
                // The listing did not have this link.
                None if name.starts_with(LINKS) => empty.clone(),
                None => typed.clone(),
            };
            if typed == opened {
                self.replace(&name, newest);
            } else if theirs != opened && theirs != typed {
                changed_by_both.push(name);
            }
        }
        self.set_base(newest, kind);
        changed_by_both
    }

    /// Takes the values of a field from another listing.
    fn replace(&mut self, name: &str, other: &Self) {
        // Equal values stay as the browser has sent them.
        if self.fingerprint(name) == other.fingerprint(name) {
            return;
        }
        self.remove(name);
        for value in other.all(name) {
            self.push(name, value);
        }
    }

    fn link_names(&self) -> impl Iterator<Item = String> {
        self.links().map(|(key, _)| format!("{LINKS}{key}"))
    }

    /// Tells the values of a field apart, whatever their order. A missing field is like an empty one.
    fn fingerprint(&self, name: &str) -> String {
        let mut values: Vec<&str> =
            self.all(name).into_iter().map(str::trim).filter(|value| !value.is_empty()).collect();
        values.sort_unstable();
        hex::encode(&Sha256::digest(json!(values).to_string())[..8])
    }
}

/// The fields of the form that changes a listing, except the links, which differ from listing to listing.
fn names(kind: ListingKind) -> Vec<&'static str> {
    let fields = fields(kind).into_iter();
    let fields =
        fields.filter(|field| !matches!(field.input, Input::Handle | Input::Shown | Input::Links));
    fields.map(|field| field.name).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use contracts::listings::v1 as proto;
    use contracts::listings::v1::get_own_listing_response::Listing;
    use proptest::collection::{btree_set, hash_map, vec};
    use proptest::option;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const KIND: ListingKind = ListingKind::Game;

    fn game() -> TypedListing {
        stored_game(proto::Game {
            title: "Okoto".to_owned(),
            tagline: "Run.".to_owned(),
            platforms: vec!["windows".to_owned(), "ios".to_owned()],
            genres: vec!["puzzle".to_owned()],
            release_year: 2026,
            ..proto::Game::default()
        })
    }

    fn stored_game(game: proto::Game) -> TypedListing {
        TypedListing::of(&Listing::Game(game), "studio")
    }

    /// A form in which these platforms are ticked.
    fn with_platforms(form: &TypedListing, platforms: &[&str]) -> TypedListing {
        let mut pairs: Vec<(String, String)> = form.pairs().cloned().collect();
        pairs.retain(|(name, _)| name != "platforms");
        let boxes = platforms.iter();
        pairs.extend(boxes.map(|name| ("platforms".to_owned(), (*name).to_owned())));
        TypedListing::new(pairs)
    }

    #[test]
    fn only_changed_fields_are_sent() {
        let game = game();
        assert_eq!(changed_fields(&game.body(KIND), game.body(KIND)), Map::new());
        let mut new = game.clone();
        new.set("title", "Okoto 2");
        new.set("links.play", "https://play.example");
        let change = changed_fields(&game.body(KIND), new.body(KIND));
        assert_eq!(change.keys().collect::<Vec<_>>(), ["links", "title"]);
    }

    #[test]
    fn choices_keep_their_order() {
        let game = game();
        let change = |platforms: &[&str]| {
            let form = with_platforms(&game, platforms);
            changed_fields(&game.body(KIND), form.body(KIND))
        };
        assert_eq!(change(&["ios", "windows"]), Map::new(), "nothing differs");
        let one_more = change(&["android", "ios", "windows"]);
        assert_eq!(one_more["platforms"], json!(["windows", "ios", "android"]));
        assert_eq!(change(&["ios"])["platforms"], json!(["ios"]));
        assert_eq!(change(&[])["platforms"], json!([]));
    }

    /// The form of a stored listing, in which this field was typed.
    fn opened(stored: &TypedListing, name: &str, value: &str) -> TypedListing {
        let mut form = stored.clone();
        form.set_base(stored, KIND);
        form.set(name, value);
        form
    }

    /// The listing after this form was saved.
    fn saved(stored: &TypedListing, mut form: TypedListing) -> TypedListing {
        assert_eq!(form.merge(stored, KIND), Vec::<String>::new());
        form
    }

    #[test]
    fn two_people_who_change_different_fields_keep_both_changes() {
        let game = game();
        let changes = [
            ("title", "Okoto 2"),
            ("tagline", "Jump."),
            ("links.play", "https://play.example"),
            ("links.itch", "https://itch.example"),
            ("platforms", "web"),
        ];
        for (mine, value) in changes {
            for (theirs, other) in changes.into_iter().filter(|(theirs, _)| *theirs != mine) {
                let newest = saved(&game, opened(&game, theirs, other));
                let after = saved(&newest, opened(&game, mine, value));
                let both = (after.get(mine), after.get(theirs));
                assert_eq!(both, (value, other), "{mine} {theirs}");
                let change = changed_fields(&newest.body(KIND), after.body(KIND));
                let field = mine.split('.').next();
                assert_eq!(
                    change.keys().map(String::as_str).collect::<Vec<_>>(),
                    Vec::from_iter(field)
                );
            }
        }
    }

    #[test]
    fn a_field_that_both_have_changed_is_named_once() {
        let game = game();
        let newest = saved(&game, opened(&game, "title", "Theirs"));
        let mut form = opened(&game, "title", "Mine");
        assert_eq!(form.merge(&newest, KIND), ["title"]);
        assert_eq!(form.get("title"), "Mine");
        assert_eq!(form.merge(&newest, KIND), Vec::<String>::new());
        let mut same = opened(&game, "title", "Theirs");
        assert_eq!(same.merge(&newest, KIND), Vec::<String>::new());
        let change = changed_fields(&newest.body(KIND), same.body(KIND));
        assert_eq!(change, Map::new(), "nothing differs");
    }

    #[test]
    fn a_field_that_the_form_lacks_is_not_cleared_and_an_empty_one_is() {
        let game = game();
        let mut form = opened(&game, "tagline", "");
        form.remove("platforms");
        let unticked = saved(&game, form.clone());
        assert_eq!(unticked.body(KIND)["platforms"], json!([]));
        assert_eq!(unticked.body(KIND)["tagline"], "");
        // A form of a version that did not know platforms.
        let base = form.get(BASE).to_owned();
        let marks: Vec<&str> = base.split(' ').filter(|it| !it.starts_with("platforms")).collect();
        form.set(BASE, &marks.join(" "));
        let kept = saved(&game, form);
        assert_eq!(kept.body(KIND)["platforms"], json!(["windows", "ios"]));
    }

    /// Values in the form in which listings-svc stores them.
    const LINE: &str = "[a-cé|]( ?[a-cé|]){0,3}";
    const OPTIONAL_LINE: &str = "([a-c|]( ?[a-c|]){0,3})?";
    const PARAGRAPHS: &str = "([a-c](\n{0,2} ?[a-c]){0,3})?";
    const KEY: &str = "[a-c]{1,2}";
    const ADDRESS: &str = "https://[a-c]{1,2}\\.example(/[a-c])?";
    const DAY: &str = "20[0-9]{2}-0[1-9]-[12][0-9]";

    /// A shuffled list without repeats.
    fn keys() -> impl Strategy<Value = Vec<String>> {
        let keys = btree_set(KEY, 0..4);
        keys.prop_map(|keys| keys.into_iter().collect::<Vec<_>>()).prop_shuffle()
    }

    fn links() -> impl Strategy<Value = HashMap<String, String>> {
        hash_map(KEY, ADDRESS, 0..4)
    }

    fn pages() -> impl Strategy<Value = Listing> {
        let texts = (LINE, OPTIONAL_LINE, PARAGRAPHS, OPTIONAL_LINE);
        let others = (KEY, keys(), KEY, links());
        (texts, others).prop_map(|(texts, others)| {
            let (name, tagline, bio, city) = texts;
            let (kind, roles, country_code, links) = others;
            Listing::Page(proto::Page {
                name,
                kind,
                roles,
                tagline,
                bio,
                country_code,
                city,
                links,
                ..proto::Page::default()
            })
        })
    }

    fn games() -> impl Strategy<Value = Listing> {
        let credit = (option::of(KEY), LINE, OPTIONAL_LINE);
        let credit = credit.prop_map(|(handle, name, role)| proto::Credit { handle, name, role });
        let texts = (LINE, OPTIONAL_LINE, PARAGRAPHS);
        let choices = (keys(), keys(), KEY, 1950..2050);
        let others = (option::of(ADDRESS), links(), vec(credit, 0..4));
        (texts, choices, others).prop_map(|(texts, choices, others)| {
            let (title, tagline, description) = texts;
            let (genres, platforms, stage, release_year) = choices;
            let (trailer_url, links, credits) = others;
            Listing::Game(proto::Game {
                title,
                tagline,
                description,
                genres,
                platforms,
                stage,
                release_year,
                trailer_url,
                links,
                credits,
                ..proto::Game::default()
            })
        })
    }

    fn events() -> impl Strategy<Value = Listing> {
        let texts = (LINE, LINE, PARAGRAPHS, option::of(ADDRESS));
        let others = (KEY, DAY, option::of(DAY), KEY, any::<bool>());
        (texts, others).prop_map(|(texts, others)| {
            let (title, city, description, website) = texts;
            let (kind, starts_at, ends_at, country_code, online) = others;
            Listing::Event(proto::Event {
                title,
                kind,
                starts_at,
                ends_at,
                country_code,
                city,
                online,
                website,
                description,
                ..proto::Event::default()
            })
        })
    }

    /// The fields of a listing as a client of the API sends them.
    fn api_json(listing: &Listing) -> Value {
        match listing {
            Listing::Page(page) => json!({
                "name": page.name,
                "kind": page.kind,
                "roles": page.roles,
                "tagline": page.tagline,
                "bio": page.bio,
                "country_code": page.country_code,
                "city": Some(&page.city).filter(|city| !city.is_empty()),
                "links": page.links,
            }),
            Listing::Game(game) => {
                let credit = |it: &proto::Credit| json!({ "handle": it.handle, "name": it.name, "role": it.role });
                json!({
                    "creator": "studio",
                    "title": game.title,
                    "tagline": game.tagline,
                    "description": game.description,
                    "genres": game.genres,
                    "platforms": game.platforms,
                    "stage": game.stage,
                    "release_year": game.release_year,
                    "trailer_url": game.trailer_url,
                    "links": game.links,
                    "credits": game.credits.iter().map(credit).collect::<Vec<Value>>(),
                })
            }
            Listing::Event(event) => json!({
                "title": event.title,
                "kind": event.kind,
                "starts_at": event.starts_at,
                "ends_at": event.ends_at,
                "country_code": event.country_code,
                "city": event.city,
                "online": event.online,
                "website": event.website,
                "description": event.description,
            }),
        }
    }

    const fn kind_of(listing: &Listing) -> ListingKind {
        match listing {
            Listing::Page(_) => ListingKind::Page,
            Listing::Game(_) => ListingKind::Game,
            Listing::Event(_) => ListingKind::Event,
        }
    }

    /// The form of a stored listing as a browser sends it back unchanged.
    fn sent_back(stored: &TypedListing, kind: ListingKind) -> TypedListing {
        let mut form = stored.clone();
        form.set_base(stored, kind);
        let pairs = form.pairs().map(|(name, value)| (name.clone(), value.replace('\n', "\r\n")));
        let mut sent = TypedListing::new(pairs.collect());
        assert_eq!(sent.merge(stored, kind), Vec::<String>::new());
        sent.take_credits_of(stored);
        sent.complete_addresses(kind);
        sent
    }

    proptest! {
        #[test]
        fn an_unchanged_form_has_the_json_of_the_api_and_no_changes(
            listing in prop_oneof![pages(), games(), events()],
        ) {
            let kind = kind_of(&listing);
            let stored = TypedListing::of(&listing, "studio");
            let body = sent_back(&stored, kind).body(kind);
            prop_assert_eq!(Value::Object(body.clone()), api_json(&listing));
            prop_assert_eq!(changed_fields(&stored.body(kind), body), Map::new());
        }
    }
}
