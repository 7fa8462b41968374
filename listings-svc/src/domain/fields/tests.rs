//! Which fields accounts, staff and import files may set, and how they are read.

use proptest::prelude::*;
use serde_json::json;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use super::*;
use crate::domain::array_fields::Credit;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::links::Links;
use crate::domain::page::Page;

const LISTED: OffsetDateTime = datetime!(2024-05-01 0:00 UTC);

fn reference() -> ReferenceData {
    ReferenceData {
        year: 2026,
        creators: [("maliyo".to_owned(), Uuid::max())].into(),
        ..ReferenceData::default()
    }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { unreachable!() };
    object
}

/// The content, or the refused fields.
type Outcome = Result<Content, Vec<String>>;

fn names(problems: Problems) -> Vec<String> {
    problems.into_keys().collect()
}

fn create(entity: Entity, body: Value) -> Outcome {
    read_body(entity, &object(body), &reference(), None).map_err(names)
}

fn import(entity: Entity, row: Value) -> Outcome {
    let row = read_row(entity, &object(row), &reference()).map_err(names)?;
    Ok(row.content)
}

fn listing(content: Content) -> Listing {
    Listing::submitted(Uuid::nil(), Uuid::max(), content, LISTED)
}

fn edit(content: &Content, changes: Value) -> Outcome {
    let current = listing(content.clone());
    read_edit(&object(changes), &reference(), &current).map_err(names)
}

/// A change by the account, for which a read returns `representation`.
fn change_of(content: &Content, representation: &Value, body: Value) -> Result<Content, Problems> {
    let current = Some((&listing(content.clone()), object(representation.clone())));
    read_body(content.entity(), &object(body), &reference(), current)
}

fn game() -> Game {
    Game {
        slug: "bao".to_owned(),
        title: "Bao".to_owned(),
        tagline: "Sow".to_owned(),
        cover_url: Some("https://x.example/c.jpg".to_owned()),
        genres: vec!["puzzle".to_owned()],
        stage: "in_development".to_owned(),
        release_year: 2020,
        featured: true,
        links: Links::from([("play".to_owned(), "https://a.example".to_owned())]),
        credits: vec![Credit {
            handle: Some("gone".to_owned()),
            name: "Gone".to_owned(),
            role: String::new(),
            rest: serde_json::Map::new(),
        }],
        ..Game::default()
    }
}

fn game_as_read() -> Value {
    json!({
        "slug": "bao", "title": "Bao", "tagline": "Sow", "cover_url": "https://x.example/c.jpg", "genres": ["puzzle"],
        "platforms": [], "stage": "in_development", "release_year": 2020, "featured": true,
        "creator": {"handle": "maliyo", "name": "Maliyo"}, "country_code": "NG", "city": "Lagos", "url": "https://x.example/games/bao",
        "created_at": "2024-05-01T00:00:00.000Z", "updated_at": "2024-05-01T00:00:00.000Z", "description": "",
        "screenshots": [], "links": {"play": "https://a.example"}, "credits": [{"handle": "gone", "name": "Gone", "role": ""}],
        "trailer_url": null,
    })
}

fn change_game(body: Value) -> Result<Content, Problems> {
    change_of(&Content::Game(game()), &game_as_read(), body)
}

fn event() -> Event {
    let content = create(
        Entity::Event,
        json!({
            "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "ends_at": "2026-03-02", "country_code": "NG", "city": "lagos",
            "url": "https://jam.example",
        }),
    );
    match content {
        Ok(Content::Event(event)) => Event { slug: "jam".to_owned(), ..event },
        other => panic!("{other:?}"),
    }
}

fn event_as_read() -> Value {
    json!({
        "slug": "jam", "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "ends_at": "2026-03-02", "country_code": "NG",
        "city": "Lagos", "city_slug": "lagos", "online": false, "website": "https://jam.example", "description": "",
        "url": "https://x.example/events/jam", "created_at": "2026-01-01T00:00:00.000Z",
    })
}

fn change_event(body: Value) -> Result<Event, Vec<String>> {
    let changed = change_of(&Content::Event(event()), &event_as_read(), body);
    match changed.map_err(names)? {
        Content::Event(event) => Ok(event),
        other => panic!("{other:?}"),
    }
}

fn page() -> Page {
    Page {
        handle: "ada".to_owned(),
        name: "Ada".to_owned(),
        kind: "person".to_owned(),
        bio: "x".to_owned(),
        country_code: "NG".to_owned(),
        city: "Lagos".to_owned(),
        city_slug: "lagos".to_owned(),
        verified: true,
        ..Page::default()
    }
}

#[test]
fn missing_fields_of_a_new_listing_have_defaults() {
    let body = json!({"creator": "maliyo", "title": " Bao "});
    let expected = Game {
        title: "Bao".to_owned(),
        stage: "in_development".to_owned(),
        release_year: 2026,
        ..Game::default()
    };
    assert_eq!(create(Entity::Game, body), Ok(Content::Game(expected)));
    let body = json!({"name": "Ada", "kind": "person", "country_code": "ng"});
    let expected = Page {
        name: "Ada".to_owned(),
        kind: "person".to_owned(),
        country_code: "NG".to_owned(),
        ..Page::default()
    };
    assert_eq!(create(Entity::Page, body), Ok(Content::Page(expected)));
    let row = json!({"slug": "a", "title": "A", "release_year": 2020, "creator": {"handle": "maliyo", "name": "M"}});
    let expected = Game {
        slug: "a".to_owned(),
        title: "A".to_owned(),
        stage: "in_development".to_owned(),
        release_year: 2020,
        page_id: Uuid::max(),
        ..Game::default()
    };
    assert_eq!(import(Entity::Game, row), Ok(Content::Game(expected)));
}

#[test]
fn every_bad_field_is_named_at_once() {
    let bad = json!({
        "title": "", "genres": ["puzzel", "runner", "racing", "strategy"], "platforms": ["web", "web", "psp"], "stage": "done",
        "release_year": 1900, "trailer_url": "http://x.example", "links": {"play": "ftp://x", "Steam": "https://x.example"},
        "titel": "x", "tagline": 5,
    });
    let expected = [
        "creator",
        "genres.0",
        "genres.3",
        "links.Steam",
        "links.play",
        "platforms.1",
        "platforms.2",
        "release_year",
        "stage",
        "tagline",
        "titel",
        "title",
        "trailer_url",
    ];
    assert_eq!(create(Entity::Game, bad.clone()).unwrap_err(), expected);
    let mut of_file = vec!["slug"];
    of_file.extend(expected);
    of_file.sort_unstable();
    assert_eq!(import(Entity::Game, bad).unwrap_err(), of_file);
    let required = [
        (Entity::Event, &["city", "country_code", "kind", "starts_at", "title"][..]),
        (Entity::Page, &["country_code", "kind", "name"]),
    ];
    for (entity, required) in required {
        assert_eq!(create(entity, json!({})).unwrap_err(), required);
    }
}

#[test]
fn missing_fields_keep_their_values_and_null_clears_optional_ones() {
    assert_eq!(change_game(json!({})), Ok(Content::Game(game())));
    let cleared = json!({"tagline": null, "genres": null, "release_year": null, "stage": null});
    let expected = Game {
        tagline: String::new(),
        genres: Vec::new(),
        // Null resets it to the year of the submission.
        release_year: 2024,
        ..game()
    };
    assert_eq!(change_game(cleared), Ok(Content::Game(expected)));
    let required = change_game(json!({"title": null, "creator": null}));
    assert_eq!(names(required.unwrap_err()), ["creator", "title"]);
    let cleared = edit(&Content::Page(page()), json!({"bio": null, "city": null}));
    let expected =
        Page { bio: String::new(), city: String::new(), city_slug: String::new(), ..page() };
    assert_eq!(cleared, Ok(Content::Page(expected)));
}

#[test]
fn a_row_as_read_is_accepted_with_changes() {
    let mut row = game_as_read();
    row["tagline"] = json!("Reap");
    let expected = Game { tagline: "Reap".to_owned(), ..game() };
    assert_eq!(change_game(row.clone()), Ok(Content::Game(expected)));
    for (name, reason) in game::READ_ONLY {
        let mut changed = row.clone();
        changed[name] = json!("another");
        let problems: Vec<(String, String)> =
            change_game(changed).unwrap_err().into_iter().collect();
        assert_eq!(problems, [(name.to_owned(), reason.to_owned())]);
    }
    let mut row = event_as_read();
    assert_eq!(change_event(row.clone()), Ok(event()));
    row["slug"] = json!("other");
    assert_eq!(change_event(row).unwrap_err(), ["slug"]);
    let read = json!({"handle": "ada", "verified": true});
    let page = Content::Page(page());
    assert_eq!(change_of(&page, &read, read.clone()), Ok(page.clone()));
    let refused = change_of(&page, &read, json!({"handle": "eve", "verified": false}));
    assert_eq!(names(refused.unwrap_err()), ["handle", "verified"]);
}

#[test]
fn accounts_staff_and_files_may_set_different_fields() {
    let staff_only = json!({
        "source": "S", "featured": false, "verified": false, "cover_url": null, "avatar_url": null, "screenshots": [], "note": "N",
        "website": "https://b.example", "account": "x",
    });
    let accepted_by = |refused: Vec<String>| {
        let mut fields: Vec<String> =
            object(staff_only.clone()).into_iter().map(|it| it.0).collect();
        fields.retain(|name| !refused.contains(name));
        fields.sort_unstable();
        fields
    };
    for (content, account, staff) in [
        (Content::Event(event()), &["website"][..], &["account", "note", "source", "website"][..]),
        (Content::Game(game()), &[], &["cover_url", "featured", "note", "screenshots", "source"]),
        (Content::Page(page()), &[], &["avatar_url", "note", "source", "verified", "website"]),
    ] {
        let entity = content.entity();
        let by_account = change_of(&content, &json!({}), staff_only.clone());
        assert_eq!(accepted_by(names(by_account.unwrap_err())), account, "{entity:?}");
        let by_staff = edit(&content, staff_only.clone()).unwrap_err();
        assert_eq!(accepted_by(by_staff), staff, "{entity:?}");
        // A file cannot set the account of an event.
        let mut file = staff.to_vec();
        file.retain(|name| *name != "account");
        let by_file = import(entity, staff_only.clone()).unwrap_err();
        assert_eq!(accepted_by(by_file), file, "{entity:?}");
    }
}

#[test]
fn staff_cannot_change_slugs_or_times() {
    let content = Content::Game(game());
    let changes =
        json!({"slug": "b", "creator": "other", "created_at": null, "titel": "x", "genres": ["x"]});
    assert_eq!(
        edit(&content, changes).unwrap_err(),
        ["created_at", "creator", "genres.0", "slug", "titel"]
    );
    // An unchanged value is accepted.
    assert_eq!(edit(&content, json!({"slug": "bao", "featured": true})), Ok(content));
}

#[test]
fn a_release_year_outside_the_range_is_refused() {
    for (year, good) in [
        (json!(null), false),
        (json!(1949), false),
        (json!(1950), true),
        (json!(2031), true),
        (json!(2032), false),
        (json!("2020"), false),
    ] {
        let row = json!({"slug": "a", "title": "A", "release_year": year, "creator": "maliyo"});
        assert_eq!(import(Entity::Game, row).is_ok(), good, "{year}");
    }
}

#[test]
fn a_page_that_its_account_renames_is_no_longer_verified() {
    let page = Content::Page(page());
    let renamed = change_of(&page, &json!({}), json!({"name": "Eve"})).unwrap();
    assert!(!renamed.page().unwrap().verified);
    let by_staff = edit(&page, json!({"name": "Eve"})).unwrap();
    assert!(by_staff.page().unwrap().verified);
}

#[test]
fn a_changed_city_gets_a_new_slug() {
    let moved = change_event(json!({"city": "Nairobi", "country_code": "KE"})).unwrap();
    assert_eq!((moved.city.as_str(), moved.city_slug.as_str()), ("Nairobi", "nairobi"));
    let moved = edit(&Content::Page(page()), json!({"city": "Ìlú Tuntun"})).unwrap();
    assert_eq!(moved.page().unwrap().city_slug, "ilu-tuntun-ng");
}

#[test]
fn an_event_that_ends_before_it_starts_is_refused() {
    for (body, refused) in [
        (json!({"ends_at": "2026-03-01"}), None),
        (json!({"ends_at": "2026-02-28"}), Some("ends_at")),
        (json!({"starts_at": "2026-03-03"}), Some("starts_at")),
        (json!({"starts_at": "2026-03-03", "ends_at": null}), None),
        (json!({"starts_at": null}), Some("starts_at")),
        (json!({"starts_at": "2026-02-30"}), Some("starts_at")),
    ] {
        let found = change_event(body.clone()).err().unwrap_or_default();
        assert_eq!(found.first().map(String::as_str), refused, "{body}");
    }
}

#[test]
fn the_website_of_an_event_may_be_set_as_url() {
    let [new, ours] = ["https://new.example", "https://x.example/events/jam"];
    for (body, site) in [
        (json!({"url": new}), Ok(Some(new))),
        (json!({"website": new}), Ok(Some(new))),
        (json!({"url": new, "website": new}), Ok(Some(new))),
        (json!({"url": ours, "website": new}), Ok(Some(new))),
        (json!({"url": ours}), Ok(Some("https://jam.example"))),
        (json!({"url": null}), Ok(None)),
        (json!({"website": null}), Ok(None)),
        (
            json!({"url": "https://a.example", "website": "https://b.example"}),
            Err(vec!["website".to_owned()]),
        ),
    ] {
        let changed = change_event(body.clone()).map(|event| event.website);
        let site = site.map(|site| site.map(ToOwned::to_owned));
        assert_eq!(changed, site, "{body}");
    }
    let content = Content::Event(event());
    for name in ["url", "website"] {
        let edited = edit(&content, json!({name: new})).unwrap();
        assert_eq!(edited.event().unwrap().website.as_deref(), Some(new));
    }
}

proptest! {
    #[test]
    fn any_title_is_read_or_refused_under_its_name(title in "\\PC{0,140}") {
        match create(Entity::Game, json!({"creator": "a", "title": title})) {
            Ok(content) => prop_assert!((1..=120).contains(&content.title().chars().count())),
            Err(refused) => prop_assert_eq!(refused, ["title"]),
        }
    }
}
