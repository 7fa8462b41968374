//! The page that shows every component of the site, made by the macros of the other pages.

use askama::Template;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::bars::{Columns, PARTS};
use crate::docs::Guide;
use crate::field::{Field, Fields};
use crate::icon::{self, Icon};
use crate::input::{Area, Checks, Choice, FormPart, PictureFile, Select};
use crate::pattern::{self, Family};
use crate::plot::Plot;
use crate::shell::OtherAccount;
use crate::site::africa::Outline;
use crate::site::amount::Amount;
use crate::site::cards::{Chip, CreatorCard, EventCard, GameCard, Link, Picture, Tab};
use crate::site::frame::Frame;
use crate::site::games::{BoardRank, ListingRanks};
use crate::site::list::{Filter, FilterOption, Filters, Pager};
use crate::site::places::{MapCountry, PlaceRow};
use crate::site::rank_plot::RankPlot;
use crate::site::rankings::{BoardRow, Direction};
use crate::texts::Texts;

/// Code and an answer as guides have them, and tabs by language.
const CODE: &str = "# Code

```json answer
{\"success\": true}
```

### Shell

```sh
curl -H \"Authorization: Bearer $SERVICE_API_KEY\" https://mchezo.example/v1/games
```

### Python

```python
games = get(\"/games\")
```
";

/// Calls of three days by their answers.
const DAYS: [[u64; 4]; 3] = [[1_200, 40, 3, 1], [900, 20, 0, 0], [1_350, 10, 30, 4]];

#[derive(Debug, Template)]
#[template(path = "site/design.html")]
pub struct ComponentsPage {
    pub frame: Frame,
    games: Vec<GameCard>,
    creators: Vec<CreatorCard>,
    events: Vec<EventCard>,
    families: Vec<FamilySample>,
    stores: Vec<Link>,
    listing_ranks: ListingRanks,
    amount: Amount,
    board: Vec<BoardRow>,
    map: Vec<MapCountry>,
    places: Vec<PlaceRow>,
    chips: Vec<Chip>,
    symbols: Vec<&'static str>,
    tabs: Vec<Tab>,
    /// The menu of the name of an account.
    others: Vec<OtherAccount>,
    filters: Filters,
    pager: Pager,
    errors: Fields,
    form: Vec<FormPart>,
    /// HTML that was made from Markdown.
    code: String,
    plot: Option<Plot>,
    columns: Option<Columns>,
    /// Classes and names of the parts of a column.
    legend: [(&'static str, &'static str); 4],
}

/// A family of drawings.
#[derive(Debug)]
struct FamilySample {
    name: &'static str,
    picture: Picture,
}

impl ComponentsPage {
    /// The page, with listings that are made up.
    pub fn new(frame: Frame) -> Self {
        let family = |family: Family| FamilySample {
            name: family.name(),
            picture: drawn("games", family.country()),
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
            families: Family::ALL.map(family).into(),
            stores: vec![link("#", "Play in the browser"), link("#", "Steam")],
            listing_ranks: ListingRanks {
                boards: vec![rank()],
                plot: rank_plot(frame.texts),
            },
            amount: Amount::new(frame.texts, "63.5294117647059"),
            board: vec![board_row()],
            map: map(frame.texts),
            places: vec![place()],
            chips: genres.map(chip).into(),
            symbols: icon::names().collect(),
            tabs: vec![tab("This week", true), tab("This month", false)],
            others: vec![OtherAccount {
                href: String::from("#"),
                name: String::from("Karoo Games"),
            }],
            filters: filters(),
            pager: Pager {
                first: Some(String::from("#")),
                next: Some(String::from("#")),
            },
            form: form(&errors()),
            errors: errors(),
            code: Guide::read(CODE, "").map_or_else(String::new, |guide| guide.html),
            plot: rates(),
            columns: columns(),
            legend: PARTS.map(|(class, name)| (class, frame.texts.say(name))),
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

fn errors() -> Fields {
    let mut errors = Fields::one("name", "Give it a name.");
    errors.add("picture", "Use a JPEG, PNG or WebP file.");
    errors
}

/// A form that was refused.
fn form(errors: &Fields) -> Vec<FormPart> {
    let choice = |label: &str, is_chosen| Choice {
        value: label.to_lowercase(),
        label: label.to_owned(),
        is_chosen,
    };
    let name = Field::text("name", "Name").hint("As players know it.");
    let about = Area::new("about", "About the game").optional();
    let stages = vec![choice("Released", true), choice("In development", false)];
    let genres = ["Puzzle", "Racing", "Strategy"].map(|genre| choice(genre, genre == "Racing"));
    let genres = Checks::new("genres", "Genres (up to two)", genres.into());
    vec![
        FormPart::File(PictureFile {
            name: "picture",
            label: "Cover",
            hint: "1,200 × 675 pixels.",
            error: errors.error("picture"),
            language: errors.language,
        }),
        FormPart::Field(name.error_in(errors)),
        FormPart::Area(about.hint("Plain text.")),
        FormPart::Select(Select::new("stage", "Stage", stages)),
        FormPart::Checks(genres.most(2)),
    ]
}

/// The rates of some days.
fn rates() -> Option<Plot> {
    const FIRST: OffsetDateTime = datetime!(2026-05-01 00:00 UTC);
    let days = (0..).map(|day| FIRST + Duration::days(day));
    let rates: Vec<(OffsetDateTime, f64)> = days.zip([63.4, 64.1, 62.9, 65.2]).collect();
    Plot::new(String::from("Shells for one Cowrie"), &rates)
}

fn columns() -> Option<Columns> {
    let days = ["2026-05-01", "2026-05-03"];
    let [first, last] = days.map(ToOwned::to_owned);
    Columns::new(String::from("Calls by day"), &DAYS, first, last)
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
mod tests;
