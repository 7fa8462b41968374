//! Samples of what pages have in common, with texts that a hostile studio might write.

use crate::icon::Icon;
use crate::site::amount::Amount;
use crate::site::cards::{CreatorCard, EventCard, GameCard, Link, Picture};
use crate::site::games::BoardRank;
use crate::site::list::{Filter, FilterOption, Filters, Pager};
use crate::site::places::PlaceRow;
use crate::site::share::{Document, JsonLd, LinkImage};
use crate::site::{Frame, Head, Language, Share, Texts};

/// A page: its name, and its text.
pub(super) type Rendered = (&'static str, askama::Result<String>);

/// What a listing may try.
pub(super) const HOSTILE: &str = "<script>alert('x')</script>\"&";

pub(crate) fn frame(language: Language) -> Frame {
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
        share: Share {
            image: Some(LinkImage {
                href: "https://mchezo.example/games/kora/card.jpg?v=0a&b".to_owned(),
                width: 1_200,
                height: 630,
                media_type: "image/jpeg",
                alt: HOSTILE.to_owned(),
            }),
            is_profile: true,
            structured_data: Some(JsonLd::new(
                "{\"name\":\"</script><script>alert('x')</script>\"}",
            )),
            documents: vec![Document {
                media_type: "application/atom+xml",
                title: HOSTILE.to_owned(),
                href: "/games/feed.xml?a=1&b=2".to_owned(),
            }],
        },
        search: HOSTILE.to_owned(),
        api_call: Some("GET /v1/games".to_owned()),
        is_translated: true,
        is_sample: false,
    }
}

pub(super) fn text() -> String {
    HOSTILE.to_owned()
}

pub(super) fn link(href: &str) -> Link {
    Link {
        href: href.to_owned(),
        label: text(),
    }
}

pub(super) fn amount() -> Amount {
    Amount {
        raw: text(),
        full: text(),
        short: "1.5".to_owned(),
    }
}

pub(super) fn rank() -> BoardRank {
    BoardRank {
        board: text(),
        rank: text(),
        wins: text(),
        share: text(),
        moved: text(),
    }
}

pub(super) fn picture() -> Picture {
    Picture {
        src: "/pictures/0a.jpg".to_owned(),
        width: 1_200,
        height: 675,
        alt: text(),
        srcset: "/pictures/0b.jpg 600w, /pictures/0a.jpg 1200w".to_owned(),
    }
}

fn icon() -> Icon {
    Icon::new("genre", "rpg", text())
}

pub(super) fn game_card() -> GameCard {
    GameCard {
        href: "/games/kora".to_owned(),
        title: text(),
        tagline: text(),
        cover: picture(),
        creator: link("/creators/studio"),
        facts: text(),
        place: text(),
        platforms: vec![icon()],
        is_featured: true,
    }
}

pub(super) fn creator_card() -> CreatorCard {
    CreatorCard {
        href: "/creators/studio".to_owned(),
        name: text(),
        tagline: text(),
        avatar: picture(),
        kind: icon(),
        place: text(),
        is_verified: true,
    }
}

pub(super) fn event_card() -> EventCard {
    EventCard {
        href: "/events/jam".to_owned(),
        title: text(),
        picture: picture(),
        kind: icon(),
        place: text(),
        days: text(),
        starts_at: "2026-11-23".to_owned(),
    }
}

pub(super) fn place_row() -> PlaceRow {
    PlaceRow {
        link: link("/cities/lagos"),
        country: text(),
        creators: 1,
        games: 12_000,
    }
}

pub(super) fn pager() -> Pager {
    Pager {
        first: Some("/games".to_owned()),
        next: Some("/games?genre=rpg&cursor=abc".to_owned()),
    }
}

pub(super) fn filters() -> Filters {
    let option = |value: &str, is_chosen| FilterOption {
        value: value.to_owned(),
        label: text(),
        is_chosen,
    };
    Filters {
        action: "/games".to_owned(),
        choices: vec![Filter {
            name: "genre",
            label: "Genre".to_owned(),
            options: vec![option("", false), option("rpg", true)],
        }],
        hidden: vec![("q", text())],
        is_filtered: true,
        removals: vec![link("/games?q=x")],
    }
}
