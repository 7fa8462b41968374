//! The page that shows every component of the site, made by the macros of the other pages.

use askama::Template;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use super::africa::Outline;
use super::cards::{Chip, CreatorCard, EventCard, GameCard, Link, Picture, Tab};
use super::frame::Frame;
use super::games::BoardRank;
use super::list::{Filter, FilterOption, Filters, Pager};
use super::places::{MapCountry, PlaceRow};
use super::rank_plot::RankPlot;
use super::rankings::{BoardRow, Direction};
use super::texts::Texts;
use crate::icon::{self, Icon};
use crate::pattern;

/// A country of each family of drawings, with what its family is called.
const FAMILIES: [(&str, &str); 12] = [
    ("GH", "Kente"),
    ("NG", "Adire"),
    ("ML", "Bogolan"),
    ("CV", "Pano d’obra"),
    ("ZA", "Ndebele murals"),
    ("LS", "Shweshwe"),
    ("KE", "Kanga"),
    ("ET", "Tibeb"),
    ("MA", "Zellige"),
    ("EG", "Khayamiya"),
    ("CD", "Kuba raffia"),
    ("MG", "Lamba"),
];

#[derive(Debug, Template)]
#[template(path = "site/design.html")]
pub struct ComponentsPage {
    pub frame: Frame,
    games: Vec<GameCard>,
    creators: Vec<CreatorCard>,
    events: Vec<EventCard>,
    families: Vec<Family>,
    stores: Vec<Link>,
    ranks: Vec<BoardRank>,
    rank_plot: Option<RankPlot>,
    board: Vec<BoardRow>,
    map: Vec<MapCountry>,
    places: Vec<PlaceRow>,
    chips: Vec<Chip>,
    symbols: Vec<&'static str>,
    tabs: Vec<Tab>,
    filters: Filters,
    pager: Pager,
}

/// A family of drawings.
#[derive(Debug)]
struct Family {
    name: &'static str,
    picture: Picture,
}

impl ComponentsPage {
    /// The page, with listings that are made up.
    pub fn new(frame: Frame) -> Self {
        let family = |(country, name)| Family {
            name,
            picture: drawn("games", country),
        };
        let chip = |(genre, label): (&str, &str)| Chip {
            icon: icon::name("genre", genre),
            link: link(&format!("/games?genre={genre}"), label),
        };
        let genres = [
            ("puzzle", "Puzzle"),
            ("racing", "Racing"),
            ("rpg", "Role-playing"),
        ];
        Self {
            games: vec![game("KE", "Karoo Drift"), game("GH", "Ananse’s Web")],
            creators: vec![creator()],
            events: vec![event()],
            families: FAMILIES.map(family).into(),
            stores: vec![link("#", "Play in the browser"), link("#", "Steam")],
            ranks: vec![rank()],
            rank_plot: rank_plot(frame.texts),
            board: vec![board_row()],
            map: map(frame.texts),
            places: vec![place()],
            chips: genres.map(chip).into(),
            symbols: icon::names().collect(),
            tabs: vec![tab("This week", true), tab("This month", false)],
            filters: filters(),
            pager: Pager {
                first: Some(String::from("#")),
                next: Some(String::from("#")),
            },
            frame,
        }
    }
}

fn link(href: &str, label: &str) -> Link {
    Link {
        href: href.to_owned(),
        label: label.to_owned(),
    }
}

fn drawn(kind: &str, country: &str) -> Picture {
    Picture {
        src: pattern::address(kind, country, "an-example"),
        width: 1_200,
        height: 675,
        alt: String::new(),
        srcset: String::new(),
    }
}

fn game(country: &str, title: &str) -> GameCard {
    GameCard {
        href: String::from("#"),
        title: title.to_owned(),
        tagline: String::from("Long roads, little water."),
        cover: drawn("games", country),
        creator: link("#", "A Studio"),
        facts: String::from("Racing · Released · 2024"),
        place: String::from("Lagos, Nigeria"),
        platforms: vec![
            Icon::new("platform", "android", "Android"),
            Icon::new("platform", "web", "Web"),
        ],
        is_featured: true,
    }
}

fn creator() -> CreatorCard {
    CreatorCard {
        href: String::from("#"),
        name: String::from("A Studio"),
        tagline: String::from("Small games about large places."),
        avatar: drawn("creators", "NG"),
        kind: Icon::new("kind", "studio", "Studio"),
        place: String::from("Lagos, Nigeria"),
        is_verified: true,
    }
}

fn event() -> EventCard {
    EventCard {
        href: String::from("#"),
        title: String::from("A Game Jam"),
        picture: drawn("events", "ET"),
        kind: Icon::new("kind", "jam", "Game jam"),
        place: String::from("Addis Ababa, Ethiopia"),
        days: String::from("1–3 May 2026"),
        starts_at: String::from("2026-05-01"),
    }
}

fn rank() -> BoardRank {
    BoardRank {
        board: String::from("This week"),
        rank: String::from("rank 2"),
        wins: String::from("36 wins"),
        share: String::from("won 64 % of its votes"),
        moved: String::from("up from 7"),
    }
}

fn rank_plot(texts: &Texts) -> Option<RankPlot> {
    const FIRST: OffsetDateTime = datetime!(2026-03-02 04:00 UTC);
    let weeks = (0..).map(|week| FIRST + Duration::weeks(week));
    let ranks: Vec<(OffsetDateTime, u32)> = weeks.zip([14, 11, 12, 7, 2]).collect();
    RankPlot::new(texts, &ranks)
}

fn board_row() -> BoardRow {
    let BoardRank {
        wins, share, moved, ..
    } = rank();
    BoardRow {
        rank: String::from("2"),
        link: link("#", "Karoo Drift"),
        picture: drawn("games", "KE"),
        tagline: String::from("Long roads, little water."),
        facts: String::from("Racing · Kenya"),
        direction: Direction::Up,
        wins,
        share,
        moved,
    }
}

/// Every country, in shades that follow one another.
fn map(texts: &Texts) -> Vec<MapCountry> {
    let shades = (0..=4).cycle();
    let countries = Outline::all().iter().zip(shades);
    let country = |(outline, shade): (&'static Outline, u8)| MapCountry {
        outline,
        href: Some(String::from("#")),
        label: texts.value("country", outline.code, "").to_owned(),
        shade,
    };
    countries.map(country).collect()
}

fn place() -> PlaceRow {
    PlaceRow {
        link: link("#", "Lagos"),
        country: String::from("Nigeria"),
        creators: 12,
        games: 31,
    }
}

fn tab(label: &str, is_current: bool) -> Tab {
    let link = link("#", label);
    Tab { link, is_current }
}

fn filters() -> Filters {
    let option = |label: &str, is_chosen| FilterOption {
        value: String::new(),
        label: label.to_owned(),
        is_chosen,
    };
    Filters {
        action: String::from("/games"),
        choices: vec![Filter {
            name: "genre",
            label: String::from("Genre"),
            options: vec![option("Any", false), option("Racing", true)],
        }],
        hidden: Vec::new(),
        is_filtered: true,
        removals: vec![link("#", "Racing")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_and_family_is_shown() {
        let frame = crate::site::tests::part_samples::frame(crate::site::Language::English);
        let page = ComponentsPage::new(frame).render().unwrap();
        for symbol in icon::names() {
            assert!(page.contains(&format!("#{symbol}\"")), "{symbol}");
        }
        for (country, name) in FAMILIES {
            assert!(page.contains(name), "{name}");
            assert!(page.contains(&drawn("games", country).src), "{country}");
        }
        for part in [
            "<ul class=\"stores\"",
            "<svg class=\"ranks\"",
            "<ol class=\"board\">",
            "class=\"shade-4\"",
            "<ul class=\"places\">",
            "class=\"chip removal\"",
        ] {
            assert!(page.contains(part), "{part}");
        }
    }
}
