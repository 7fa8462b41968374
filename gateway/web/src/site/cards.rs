//! Converts rows of the API to entries of lists.

use std::collections::BTreeMap;

use contracts::public;
use pages::icon::Icon;
use pages::site::cards::{CreatorCard, EventCard, GameCard};
use pages::site::places::PlaceRow;
use pages::{Frame, Link, Picture, Texts, drawing};

use crate::domain::link_host;
use crate::domain::picture_name::is_file_name;

/// The sizes of a picture (§10.9).
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The width of the small size; 0 if there is none.
    small: u32,
}

pub(super) const COVER: Sizes = Sizes { width: 1_200, height: 675, small: 600 };
pub(super) const AVATAR: Sizes = Sizes { width: 512, height: 512, small: 128 };
/// The longer side of a small screenshot.
const SMALL_SCREENSHOT: u32 = 640;

/// The sizes of a screenshot of this width and height.
pub(super) fn screenshot(width: u32, height: u32) -> Sizes {
    let longer = u64::from(width.max(height));
    let small = if longer > u64::from(SMALL_SCREENSHOT) {
        let scaled = (u64::from(width) * u64::from(SMALL_SCREENSHOT) + longer / 2) / longer;
        u32::try_from(scaled.max(1)).unwrap_or_default()
    } else {
        0
    };
    Sizes { width, height, small }
}

/// A picture, if this site serves it. Pages load nothing from other sites.
pub(super) fn picture(
    frame: &Frame,
    url: Option<&str>,
    sizes: Sizes,
    alt: &str,
) -> Option<Picture> {
    let path = url?.strip_prefix(frame.site.as_str())?;
    let name = path.strip_prefix("/pictures/")?;
    let Sizes { width, height, small } = sizes;
    is_file_name(name).then(|| Picture {
        src: path.to_owned(),
        width,
        height,
        alt: alt.to_owned(),
        srcset: match path.strip_suffix(".jpg") {
            Some(base) if small > 0 && !base.ends_with("-small") => {
                format!("{base}-small.jpg {small}w, {path} {width}w")
            }
            _ => String::new(),
        },
    })
}

/// The picture that a listing has on this site, or a drawing. `list` is the list of the API with the listing, `name` its slug or handle.
pub(super) fn listing_picture(
    frame: &Frame,
    list: &str,
    url: Option<&str>,
    country: &str,
    name: &str,
) -> Picture {
    let sizes = if list == "creators" { AVATAR } else { COVER };
    picture(frame, url, sizes, "").unwrap_or_else(|| Picture {
        src: drawing::address(list, country, name),
        width: COVER.width,
        height: COVER.height,
        alt: String::new(),
        srcset: String::new(),
    })
}

/// The cover of a game, or a drawing.
pub(super) fn cover(frame: &Frame, row: &public::GameRow) -> Picture {
    let url = row.cover_url.as_deref();
    listing_picture(frame, "games", url, &row.country_code, &row.slug)
}

/// The picture of a creator, or a drawing.
pub(super) fn avatar(frame: &Frame, row: &public::CreatorRow) -> Picture {
    let url = row.avatar_url.as_deref();
    listing_picture(frame, "creators", url, &row.country_code, &row.handle)
}

pub(super) fn country(texts: &Texts, code: &str) -> String {
    texts.value("country", code, code).to_owned()
}

/// The name of a city in the language of the page. Most cities have only that of the directory.
pub(super) fn city_name(texts: &Texts, city: &str, country_code: &str) -> String {
    let key = format!("{country_code}-{}", city.replace(' ', "-")).to_lowercase();
    texts.value("city", &key, city).to_owned()
}

/// `Lagos, Nigeria`, or the country alone.
pub(super) fn place(texts: &Texts, city: &str, code: &str) -> String {
    let country = country(texts, code);
    if city.is_empty() {
        return country;
    }
    format!("{}, {country}", city_name(texts, city, code))
}

pub(super) fn country_link(frame: &Frame, code: &str) -> Link {
    frame.link(&format!("/countries/{code}"), country(frame.texts(), code))
}

/// The city, if it is known, and the country.
pub(super) fn place_links(
    frame: &Frame,
    city_slug: &str,
    city: &str,
    country_code: &str,
) -> Vec<Link> {
    let city = (!city.is_empty()).then(|| Link {
        // A game's row has no slug of its city.
        href: match city_slug {
            "" => String::new(),
            slug => frame.href(&format!("/cities/{slug}")),
        },
        label: city_name(frame.texts(), city, country_code),
    });
    let country = country_link(frame, country_code);
    city.into_iter().chain([country]).collect()
}

pub(super) fn creator_link(frame: &Frame, creator: public::GameCreator) -> Link {
    frame.link(&format!("/creators/{}", creator.handle), creator.name)
}

pub(super) fn game(frame: &Frame, row: public::GameRow) -> GameCard {
    let texts = frame.texts();
    let genres = row.genres.iter().map(|key| texts.value("genre", key, key));
    let year = row.release_year.to_string();
    let stage = texts.value("stage", &row.stage, &row.stage);
    let facts: Vec<&str> = genres.chain([stage, year.as_str()]).collect();
    let platforms = row.platforms.iter();
    let platforms =
        platforms.map(|key| Icon::new("platform", key, texts.value("platform", key, key)));
    GameCard {
        href: frame.href(&format!("/games/{}", row.slug)),
        cover: cover(frame, &row),
        platforms: platforms.collect(),
        facts: facts.join(" · "),
        place: place(texts, &row.city, &row.country_code),
        creator: creator_link(frame, row.creator),
        title: row.title,
        tagline: row.tagline,
        is_featured: row.featured,
    }
}

pub(super) fn games(frame: &Frame, rows: Vec<public::GameRow>) -> Vec<GameCard> {
    rows.into_iter().map(|row| game(frame, row)).collect()
}

pub(super) fn creator(frame: &Frame, row: public::CreatorRow) -> CreatorCard {
    let texts = frame.texts();
    let kind = texts.value("creator-kind", &row.kind, &row.kind);
    let place = place(texts, &row.city, &row.country_code);
    CreatorCard {
        href: frame.href(&format!("/creators/{}", row.handle)),
        avatar: avatar(frame, &row),
        kind: Icon::new("kind", &row.kind, kind),
        place,
        name: row.name,
        tagline: row.tagline,
        is_verified: row.verified,
    }
}

pub(super) fn event(frame: &Frame, row: public::Event) -> EventCard {
    let texts = frame.texts();
    let kind = texts.value("event-kind", &row.kind, &row.kind);
    let mut place = place(texts, &row.city, &row.country_code);
    if row.online {
        place = texts.say_of("event-online-too", &place);
    }
    EventCard {
        href: frame.href(&format!("/events/{}", row.slug)),
        picture: listing_picture(frame, "events", None, &row.country_code, &row.slug),
        kind: Icon::new("kind", &row.kind, kind),
        place,
        days: texts.days(&row.starts_at, row.ends_at.as_deref()),
        title: row.title,
        starts_at: row.starts_at,
    }
}

pub(super) fn events(frame: &Frame, rows: Vec<public::Event>) -> Vec<EventCard> {
    rows.into_iter().map(|row| event(frame, row)).collect()
}

pub(super) fn city(frame: &Frame, row: &public::CityRow) -> PlaceRow {
    let name = city_name(frame.texts(), &row.name, &row.country_code);
    PlaceRow {
        link: frame.link(&format!("/cities/{}", row.slug), name),
        country: country(frame.texts(), &row.country_code),
        creators: row.creators,
        games: row.games,
    }
}

/// The keys of links to where a game can be played or bought.
const STORES: [&str; 9] =
    ["play", "itch", "playStore", "appStore", "steam", "epic", "nintendo", "playstation", "xbox"];

/// The links of a game: to where it can be played or bought, in the order of [`STORES`], and the others.
pub(super) fn stores_and_links(
    frame: &Frame,
    links: &BTreeMap<String, String>,
) -> (Vec<Link>, Vec<Link>) {
    let stores = STORES.iter().filter_map(|key| links.get_key_value(*key));
    let others = links.iter().filter(|(key, _)| !STORES.contains(&key.as_str()));
    (outside(frame, stores), outside(frame, others))
}

/// Links to other sites. Only https is shown.
///
/// A link is named by its key, such as *Steam*, and by its host if anybody may have chosen that.
/// One without a text for its key is named by its host alone.
pub(super) fn outside<'a>(
    frame: &Frame,
    links: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Vec<Link> {
    let links = links.into_iter().filter(|(_, href)| is_https(href));
    let named = links.map(|(key, href)| {
        let host = link_host::of(href);
        let label = frame.texts().find(&format!("link-{key}"));
        Link {
            href: href.clone(),
            label: match label {
                Some(label) if link_host::is_of(key, href) => label.to_owned(),
                Some(label) => format!("{label} ({host})"),
                None => host,
            },
        }
    });
    named.collect()
}

pub(super) fn is_https(address: &str) -> bool {
    address.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use pages::Language;

    use super::*;

    #[test]
    fn a_city_has_its_name_in_the_language_of_the_page() {
        let in_french = |city: &str, country: &str| {
            let texts = Texts::of(Language::French);
            place(texts, city, country)
        };
        assert_eq!(in_french("Cape Town", "ZA"), "Le Cap, Afrique du Sud");
        assert_eq!(in_french("Giza", "EG"), "Gizeh, Égypte");
        // A city of the same name in another country keeps its name.
        assert_eq!(in_french("Alexandria", "ZA"), "Alexandria, Afrique du Sud");
        let texts = Texts::of(Language::English);
        assert_eq!(place(texts, "Giza", "EG"), "Giza, Egypt");
    }

    #[test]
    fn a_small_screenshot_is_640_pixels_on_its_longer_side() {
        for (width, height, small) in [
            (1_600, 900, 640),
            (900, 1_600, 360),
            (641, 641, 640),
            (640, 480, 0),
            (320, 180, 0),
            (1_600, 1, 640),
            (1, 1_600, 1),
        ] {
            let sizes = screenshot(width, height);
            assert_eq!(sizes.small, small, "{width} x {height}");
        }
    }
}
