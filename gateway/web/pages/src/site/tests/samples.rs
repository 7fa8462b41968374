//! Sample contexts of every page of the site, with texts that a hostile studio might write.

use askama::Template as _;
use time::Duration;
use time::macros::datetime;

use super::part_samples::{
    HOSTILE, Rendered, amount, creator_card, event_card, filters, frame, game_card, link, pager,
    picture, place_row, rank, text,
};
use super::{economy_samples, vote_samples};
use crate::shell::TypedForm;
use crate::site::africa::Outline;
use crate::site::articles::{Article, ArticlePage};
use crate::site::cards::{Chip, Picture};
use crate::site::creators::CreatorPage;
use crate::site::events::EventPage;
use crate::site::frame::ErrorPage;
use crate::site::games::{
    Credit, Currency, CurrencyRate, GamePage, ListingRanks, ShareCode, Trailer,
};
use crate::site::list::{CreatorsPage, EventsPage, GamesPage, Pager, StartPage};
use crate::site::places::{CitiesPage, CountriesPage, MapCountry, Part, PlacePage};
use crate::site::rank_plot::RankPlot;
use crate::site::results::{Found, Kind, Row, SearchPage};
use crate::site::{Frame, Language, Texts};

fn game(frame: Frame) -> GamePage {
    GamePage {
        frame,
        title: text(),
        tagline: text(),
        is_featured: true,
        creator: link("/creators/studio"),
        cover: picture(),
        genres: vec![link("/games?genre=rpg"), link("/games?genre=puzzle")],
        platforms: vec![link("/games?platform=web")],
        stage: link("/games?stage=released"),
        release_year: 2024,
        place: vec![link(""), link("/countries/NG")],
        currency: Some(Currency {
            link: link("/economy/kora"),
            is_late: true,
            cost: amount(),
            rate: Some(CurrencyRate {
                amount: amount(),
                to: link("/economy/kora/okoto"),
            }),
        }),
        stores: vec![link("https://store.example/?a=1&b=\"")],
        listing_ranks: listing_ranks(),
        trailer: Some(Trailer {
            href: "https://video.example/1".to_owned(),
            host: text(),
        }),
        description: format!("{HOSTILE}\n\nNext"),
        screenshots: vec![picture()],
        has_creator_site: false,
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
        updated: Some(text()),
        others: vec![game_card()],
        all_others: Some("/games?creator=studio".to_owned()),
        similar: vec![game_card()],
        share: Some(ShareCode {
            address: text(),
            embed: format!("<iframe src=\"/embed/games/kora\" title=\"{HOSTILE}\"></iframe>"),
            feed: "/games/feed.xml".to_owned(),
            calendar: "/events/calendar.ics".to_owned(),
        }),
        actions: actions(),
    }
}

/// Rank 3, after rank 12 a week before.
fn listing_ranks() -> ListingRanks {
    let start = datetime!(2026-11-01 04:00 UTC);
    let ranks = [(start, 12), (start + Duration::WEEK, 3)];
    ListingRanks {
        boards: vec![rank()],
        plot: RankPlot::new(Texts::of(Language::English), &ranks),
    }
}

/// A game about which nothing is known that need not be.
fn bare_game(frame: Frame) -> GamePage {
    GamePage {
        tagline: String::new(),
        genres: Vec::new(),
        platforms: Vec::new(),
        currency: None,
        stores: Vec::new(),
        listing_ranks: ListingRanks::default(),
        trailer: None,
        description: String::new(),
        screenshots: Vec::new(),
        links: Vec::new(),
        credits: Vec::new(),
        updated: None,
        others: Vec::new(),
        similar: Vec::new(),
        ..game(frame)
    }
}

fn creator(frame: Frame) -> CreatorPage {
    CreatorPage {
        frame,
        name: text(),
        kind: text(),
        tagline: text(),
        is_verified: true,
        avatar: picture(),
        roles: vec![text()],
        place: vec![link("/cities/lagos"), link("/countries/NG")],
        bio: text(),
        links: vec![link("https://studio.example")],
        asks_for_links: false,
        games: vec![game_card()],
        games_total: 30,
        all_games: Some("/games?creator=studio".to_owned()),
        listing_ranks: listing_ranks(),
        share: Some(text()),
        actions: actions(),
    }
}

fn event(frame: Frame) -> EventPage {
    EventPage {
        frame,
        title: text(),
        picture: picture(),
        kind: link("/events?kind=jam"),
        days: text(),
        starts_at: "2026-11-23".to_owned(),
        is_over: true,
        place: vec![link("/countries/NG")],
        is_online: true,
        outline: Outline::of("NG"),
        country: link("/countries/NG"),
        calendar: Some("/events/jam/calendar.ics".to_owned()),
        website: Some(link("https://jam.example")),
        description: text(),
        share: Some(text()),
        actions: actions(),
    }
}

fn map_country(code: &str) -> MapCountry {
    MapCountry {
        outline: Outline::of(code).unwrap(),
        href: (code == "NG").then(|| "/countries/NG".to_owned()),
        label: text(),
        shade: 4,
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
        outline: Outline::of("NG"),
        country: Some(link("/countries/NG")),
        cities: vec![place_row()],
        all_cities: Some("/cities?country=NG".to_owned()),
        games: part(game_card()),
        creators: part(creator_card()),
        events: part(event_card()),
    }
}

fn result(picture: Option<Picture>, outline: Option<&'static Outline>) -> Row {
    Row {
        picture,
        outline,
        link: link("/games/kora"),
        kind: text(),
        tagline: text(),
        days: text(),
        place: text(),
    }
}

fn found() -> Found {
    Found {
        kinds: vec![Kind {
            link: link("/search?q=x"),
            count: Some("1,234".to_owned()),
            is_current: true,
        }],
        total: 1_234,
        rows: vec![
            result(Some(picture()), None),
            result(None, Outline::of("NG")),
        ],
        is_similar: true,
        did_you_mean: Some(link("/search?q=kora")),
        pager: pager(),
    }
}

fn chip() -> Chip {
    Chip {
        icon: "genre-rpg",
        link: link("/games?genre=rpg"),
    }
}

/// Lists, with everything that they can show.
fn list_pages(language: Language) -> Vec<Rendered> {
    let frame = || frame(language);
    vec![
        (
            "start",
            StartPage {
                frame: frame(),
                notice: Some(text()),
                genres: vec![chip()],
                platforms: vec![chip()],
                counts: vec![link("/games")],
                new_games: vec![game_card()],
                games: vec![game_card()],
                pair: vec![game_card(), game_card()],
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
                map: ["NG", "SC"].map(map_country).into(),
                countries: vec![place_row()],
                total: 1,
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
    ]
}

/// Pages of listings and the others, with everything that they can show.
fn other_pages(language: Language) -> Vec<Rendered> {
    let frame = || frame(language);
    let article = Article::read("# Title\n\nText\n").unwrap();
    vec![
        ("game", game(frame()).render()),
        ("bare game", bare_game(frame()).render()),
        (
            "bare game of a studio with a site",
            GamePage {
                has_creator_site: true,
                ..bare_game(frame())
            }
            .render(),
        ),
        ("creator", creator(frame()).render()),
        (
            "bare creator",
            CreatorPage {
                links: Vec::new(),
                asks_for_links: true,
                ..creator(frame())
            }
            .render(),
        ),
        ("event", event(frame()).render()),
        (
            "bare event",
            EventPage {
                website: None,
                description: String::new(),
                ..event(frame())
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
                form: Some(TypedForm {
                    action: "/vote".to_owned(),
                    fields: vec![("text".to_owned(), text())],
                    lacks_secrets: false,
                }),
                request_id: "req_1".to_owned(),
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
    ]
}

/// Every page.
pub(super) fn pages(language: Language) -> Vec<(&'static str, String)> {
    let all = list_pages(language)
        .into_iter()
        .chain(other_pages(language))
        .chain(vote_samples::pages(language))
        .chain(economy_samples::pages(language));
    all.map(|(name, page)| (name, page.unwrap())).collect()
}

fn actions() -> VisitorActions {
    VisitorActions {
        claim: Some("/claim/studio".to_owned()),
        write: Some("mailto:staff@mchezo.example?subject=a".to_owned()),
    }
}
