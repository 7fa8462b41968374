//! Every page of the site with sample contexts, in both languages, and their texts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use askama::Template;
use fluent_bundle::FluentResource;

use super::article::{Article, ArticlePage};
use super::card::{CreatorCard, EventCard, GameCard, Link, Picture};
use super::creator::CreatorPage;
use super::event::EventPage;
use super::frame::ErrorPage;
use super::game::{BoardRank, Credit, Currency, GamePage, Trailer};
use super::language::Language;
use super::list::{CreatorsPage, EventsPage, Filter, FilterOption, Filters, GamesPage, Pager};
use super::place::{CitiesPage, CountriesPage, Part, PlacePage, PlaceRow};
use super::search::{Found, Kind, Row, SearchPage};
use super::start::StartPage;
use super::texts::keys_of;
use super::{Frame, Head, Texts};

const ENGLISH: &str = include_str!("../../texts/en.ftl");
const FRENCH: &str = include_str!("../../texts/fr.ftl");
/// What a listing may try.
const HOSTILE: &str = "<script>alert('x')</script>\"&";

fn frame(language: Language) -> Frame {
    Frame {
        texts: Texts::of(language),
        prefix: "",
        site: "https://mchezo.example".to_owned(),
        path: "/games/kora?a=1&b=2".to_owned(),
        head: Head {
            title: HOSTILE.to_owned(),
            description: HOSTILE.to_owned(),
            is_indexed: true,
        },
        search: HOSTILE.to_owned(),
        api_call: Some("GET /v1/games".to_owned()),
    }
}

fn text() -> String {
    HOSTILE.to_owned()
}

fn link(href: &str) -> Link {
    Link {
        href: href.to_owned(),
        label: text(),
    }
}

fn picture() -> Picture {
    Picture {
        src: "/pictures/0a.jpg".to_owned(),
        width: 1_200,
        height: 675,
        alt: text(),
        srcset: "/pictures/0b.jpg 600w, /pictures/0a.jpg 1200w".to_owned(),
    }
}

fn game_card() -> GameCard {
    GameCard {
        href: "/games/kora".to_owned(),
        title: text(),
        tagline: text(),
        cover: Some(picture()),
        creator: link("/creators/studio"),
        facts: text(),
        place: text(),
        is_featured: true,
    }
}

fn creator_card() -> CreatorCard {
    CreatorCard {
        href: "/creators/studio".to_owned(),
        name: text(),
        tagline: text(),
        avatar: Some(picture()),
        facts: text(),
        is_verified: true,
    }
}

fn event_card() -> EventCard {
    EventCard {
        href: "/events/jam".to_owned(),
        title: text(),
        facts: text(),
        days: text(),
        starts_at: "2026-11-23".to_owned(),
    }
}

fn place_row() -> PlaceRow {
    PlaceRow {
        link: link("/cities/lagos"),
        country: text(),
        creators: 1,
        games: 12_000,
    }
}

fn pager() -> Pager {
    Pager {
        first: Some("/games".to_owned()),
        next: Some("/games?genre=rpg&cursor=abc".to_owned()),
    }
}

fn filters() -> Filters {
    let option = |value: &str, is_chosen| FilterOption {
        value: value.to_owned(),
        label: text(),
        is_chosen,
    };
    Filters {
        action: "/games".to_owned(),
        filters: vec![Filter {
            name: "genre",
            label: "Genre".to_owned(),
            options: vec![option("", false), option("rpg", true)],
        }],
        hidden: vec![("q", text())],
        is_filtered: true,
    }
}

fn game(frame: Frame) -> GamePage {
    GamePage {
        frame,
        title: text(),
        tagline: text(),
        is_featured: true,
        creator: link("/creators/studio"),
        cover: Some(picture()),
        genres: vec![link("/games?genre=rpg"), link("/games?genre=puzzle")],
        platforms: vec![link("/games?platform=web")],
        stage: link("/games?stage=released"),
        release_year: 2024,
        place: vec![link(""), link("/countries/NG")],
        currency: Some(Currency {
            name: text(),
            is_late: true,
        }),
        ranks: vec![BoardRank {
            board: text(),
            rank: text(),
            wins: text(),
            moved: text(),
        }],
        trailer: Some(Trailer {
            href: "https://video.example/1".to_owned(),
            host: text(),
        }),
        description: format!("{HOSTILE}\n\nNext"),
        screenshots: vec![picture()],
        links: vec![link("https://store.example/?a=1&b=\"")],
        credits: vec![
            Credit {
                name: text(),
                role: text(),
                href: Some("/creators/ada".to_owned()),
            },
            Credit {
                name: text(),
                role: text(),
                href: None,
            },
        ],
        listed: text(),
        updated: text(),
    }
}

fn place(frame: Frame) -> PlacePage {
    fn part<T>(row: T) -> Part<T> {
        Part {
            rows: vec![row],
            total: 7,
            all: "/games?country=NG".to_owned(),
        }
    }
    PlacePage {
        frame,
        name: text(),
        country: Some(link("/countries/NG")),
        cities: vec![place_row()],
        all_cities: Some("/cities?country=NG".to_owned()),
        games: part(game_card()),
        creators: part(creator_card()),
        events: part(event_card()),
    }
}

fn found() -> Found {
    Found {
        kinds: vec![Kind {
            link: link("/search?q=x"),
            is_current: true,
        }],
        total: 1_234,
        rows: vec![Row {
            link: link("/games/kora"),
            kind: text(),
            tagline: text(),
            place: text(),
        }],
        is_similar: true,
        did_you_mean: Some(link("/search?q=kora")),
        pager: pager(),
    }
}

/// Every page with everything that it can show.
fn pages(language: Language) -> Vec<(&'static str, String)> {
    let frame = || frame(language);
    let article = Article::read("# Title\n\nText\n").unwrap();
    let of_lists = vec![
        (
            "start",
            StartPage {
                frame: frame(),
                notice: Some(text()),
                games: vec![game_card()],
                events: vec![event_card()],
                api_url: "https://mchezo.example/v1".to_owned(),
            }
            .render(),
        ),
        (
            "games",
            GamesPage {
                frame: frame(),
                filters: filters(),
                total: 2_000,
                games: vec![game_card()],
                pager: pager(),
            }
            .render(),
        ),
        (
            "creators",
            CreatorsPage {
                frame: frame(),
                filters: filters(),
                total: 1,
                creators: vec![creator_card()],
                pager: pager(),
            }
            .render(),
        ),
        (
            "events",
            EventsPage {
                frame: frame(),
                filters: filters(),
                total: 0,
                events: Vec::new(),
                pager: Pager::default(),
            }
            .render(),
        ),
        (
            "countries",
            CountriesPage {
                frame: frame(),
                countries: vec![place_row()],
            }
            .render(),
        ),
        (
            "cities",
            CitiesPage {
                frame: frame(),
                total: 1,
                cities: vec![place_row()],
                pager: pager(),
            }
            .render(),
        ),
        (
            "search",
            SearchPage {
                frame: frame(),
                found: Some(found()),
            }
            .render(),
        ),
        (
            "empty search",
            SearchPage {
                frame: frame(),
                found: None,
            }
            .render(),
        ),
    ];
    let of_listings = vec![
        ("game", game(frame()).render()),
        (
            "creator",
            CreatorPage {
                frame: frame(),
                name: text(),
                kind: text(),
                tagline: text(),
                is_verified: true,
                avatar: Some(picture()),
                roles: vec![text()],
                place: vec![link("/cities/lagos"), link("/countries/NG")],
                bio: text(),
                links: vec![link("https://studio.example")],
                games: vec![game_card()],
                games_total: 30,
                all_games: Some("/games?creator=studio".to_owned()),
            }
            .render(),
        ),
        (
            "event",
            EventPage {
                frame: frame(),
                title: text(),
                kind: link("/events?kind=jam"),
                days: text(),
                starts_at: "2026-11-23".to_owned(),
                is_over: true,
                place: vec![link("/countries/NG")],
                is_online: true,
                website: Some(link("https://jam.example")),
                description: text(),
            }
            .render(),
        ),
        ("place", place(frame()).render()),
        (
            "article",
            ArticlePage {
                frame: frame(),
                body: article.html,
            }
            .render(),
        ),
        (
            "error",
            ErrorPage {
                frame: frame(),
                text: text(),
                request_id: "req_1".to_owned(),
            }
            .render(),
        ),
    ];
    let all = of_lists.into_iter().chain(of_listings);
    all.map(|(name, page)| (name, page.unwrap())).collect()
}

#[test]
fn texts_of_listings_are_shown_as_text() {
    for language in Language::ALL {
        for (name, page) in pages(language) {
            assert!(!page.contains("<script>"), "{name}: {page}");
            assert!(!page.contains("alert('x')"), "{name}: {page}");
        }
    }
}

#[test]
fn pages_name_their_language_and_the_other_one() {
    for (name, page) in pages(Language::French) {
        assert!(page.contains("<html lang=\"fr\">"), "{name}");
        for part in [
            "<link rel=\"canonical\" href=\"https://mchezo.example/fr/games/kora?a=1&#38;b=2\">",
            "hreflang=\"en\" href=\"https://mchezo.example/games/kora?a=1&#38;b=2\"",
            "hreflang=\"x-default\" href=\"https://mchezo.example/games/kora?a=1&#38;b=2\"",
            "<a href=\"/en/games/kora?a=1&#38;b=2\" hreflang=\"en\"",
        ] {
            assert!(page.contains(part), "{name}: {part} is not in {page}");
        }
        // Nothing of the frame is left in English.
        assert!(!page.contains("Sign in"), "{name}: {page}");
    }
}

#[test]
fn links_of_studios_pass_nothing_on() {
    for (name, page) in pages(Language::English) {
        for link in page.split("<a ").skip(1) {
            let link = link.split('>').next().unwrap();
            let leads_out = link.contains("href=\"https://");
            let rel = "rel=\"ugc nofollow noopener\"";
            assert_eq!(leads_out, link.contains(rel), "{name}: {link}");
        }
    }
}

#[test]
fn every_picture_has_its_size_and_comes_from_here() {
    for (name, page) in pages(Language::English) {
        for image in page.split("<img ").skip(1) {
            let image = image.split('>').next().unwrap();
            for part in ["src=\"/pictures/", "width=\"", "height=\"", "alt=\""] {
                assert!(image.contains(part), "{name}: {part} is not in {image}");
            }
        }
        assert!(
            !page.contains("<iframe") && !page.contains("<video"),
            "{name}"
        );
    }
}

#[test]
fn links_stay_in_the_language_of_the_address() {
    let page = Frame {
        prefix: "/fr",
        ..frame(Language::French)
    };
    assert_eq!(page.href("/games"), "/fr/games");
    assert_eq!(page.href("/"), "/fr");
    assert_eq!(frame(Language::French).href("/games"), "/games");
    let start = Frame {
        path: "/".to_owned(),
        ..frame(Language::French)
    };
    assert_eq!(start.canonical(), "https://mchezo.example/fr");
    assert_eq!(start.default_address(), "https://mchezo.example/");
}

/// Files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.file_name().is_none_or(|name| name != "tests.rs") {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// The keys that pages and handlers name in quotes.
fn named_keys(known: &BTreeSet<&str>) -> BTreeSet<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        here.join("templates/site"),
        here.join("src/site"),
        here.join("../src"),
    ];
    let sources = folders.iter().flat_map(|folder| files(folder));
    let mut named = BTreeSet::new();
    for source in sources {
        for quoted in source.split('"') {
            if known.contains(quoted) {
                named.insert(quoted.to_owned());
            }
        }
        for call in ["say(", "say_of(", "count(", "say_with("] {
            for rest in source.split(call).skip(1) {
                let rest = rest.trim_start();
                let literal = rest
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next());
                named.extend(
                    literal
                        .filter(|key| key.contains('-'))
                        .map(ToOwned::to_owned),
                );
            }
        }
    }
    named
}

/// Groups of texts whose keys end with a value of the API.
const GROUPS: [&str; 14] = [
    "stage",
    "platform",
    "creator-kind",
    "creators-kind",
    "event-kind",
    "when",
    "link",
    "month",
    "genre",
    "role",
    "country",
    "board",
    "search-type",
    "nav-kind",
];

#[test]
fn no_text_is_missing_unused_or_broken() {
    for (language, source) in [(Language::English, ENGLISH), (Language::French, FRENCH)] {
        FluentResource::try_new(source.to_owned()).unwrap();
        let keys: Vec<&str> = keys_of(source).collect();
        let known: BTreeSet<&str> = keys.iter().copied().collect();
        assert_eq!(known.len(), keys.len(), "a key twice in {language:?}");
        let other: BTreeSet<&str> = keys_of(ENGLISH).collect();
        assert_eq!(known, other, "{language:?}");
        let named = named_keys(&known);
        let missing: Vec<_> = named
            .iter()
            .filter(|key| !known.contains(key.as_str()))
            .collect();
        assert!(missing.is_empty(), "missing in {language:?}: {missing:?}");
        let is_value = |key: &str| {
            let mut groups = GROUPS.iter();
            groups.any(|group| {
                key.strip_prefix(group)
                    .is_some_and(|rest| rest.starts_with('-'))
            })
        };
        let unused: Vec<_> = known
            .iter()
            .filter(|key| !named.contains(**key) && !is_value(key))
            .collect();
        assert!(unused.is_empty(), "unused: {unused:?}");
        for key in known {
            let text = Texts::of(language).count(key, 2);
            assert!(!text.is_empty(), "{key}");
        }
    }
}

#[test]
fn both_languages_take_the_same_arguments() {
    let arguments = |source: &str, key: &str| {
        let (_, rest) = source.split_once(&format!("\n{key} =")).unwrap();
        let end = rest.find("\n\n").unwrap_or(rest.len());
        let text: Vec<&str> = rest[..end]
            .lines()
            .enumerate()
            .take_while(|(at, line)| *at == 0 || line.starts_with([' ', '}']))
            .map(|(_, line)| line)
            .collect();
        let text = text.join("\n");
        let found = text.split('$').skip(1);
        let found = found.map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
        });
        found
            .flatten()
            .map(ToOwned::to_owned)
            .collect::<BTreeSet<String>>()
    };
    for key in keys_of(ENGLISH) {
        assert_eq!(arguments(ENGLISH, key), arguments(FRENCH, key), "{key}");
    }
}

#[test]
fn names_are_sorted_without_accents() {
    let mut names = ["Zambie", "Égypte", "Eswatini", "Érythrée", "Algérie"];
    names.sort_by_cached_key(|name| super::sort_key(name));
    assert_eq!(
        names,
        ["Algérie", "Égypte", "Érythrée", "Eswatini", "Zambie"]
    );
}
