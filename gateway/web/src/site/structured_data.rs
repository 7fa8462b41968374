//! Structured data of pages for search engines: schema.org, as JSON-LD.

use contracts::public;
use pages::site::Frame;
use pages::site::share::JsonLd;
use serde_json::{Map, Value, json};
use time::format_description::well_known::Rfc3339;

use super::cards::{self, is_https};

const CONTEXT: &str = "https://schema.org";

/// The properties that have a value.
fn thing(kind: &str, properties: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let properties = properties.into_iter().filter(|(_, it)| !is_empty(it));
    let properties = properties.map(|(name, value)| (name.to_owned(), value));
    let kind = ("@type".to_owned(), kind.into());
    let all: Map<String, Value> = std::iter::once(kind).chain(properties).collect();
    all.into()
}

/// What a page is about, and the way to it from the start page over the page of a list.
fn document(frame: &Frame, about: &Value, list: &str, list_name: &'static str) -> JsonLd {
    let steps = [
        ("Mchezo", frame.absolute("/")),
        (frame.say(list_name), frame.absolute(list)),
        (frame.head.title.as_str(), frame.canonical()),
    ];
    let steps = (1..).zip(steps).map(|(position, (name, address))| {
        let position: u32 = position;
        thing(
            "ListItem",
            [
                ("position", position.into()),
                ("name", name.into()),
                ("item", address.into()),
            ],
        )
    });
    let steps: Vec<Value> = steps.collect();
    let way = thing("BreadcrumbList", [("itemListElement", steps.into())]);
    write(&json!({ "@context": CONTEXT, "@graph": [about, way] }))
}

fn write(value: &Value) -> JsonLd {
    JsonLd::new(&value.to_string())
}

/// The address of a picture that this site serves.
fn picture(frame: &Frame, url: Option<&str>) -> Value {
    // Only its address is used.
    let found = cards::picture(frame, url, cards::COVER, "");
    found.map_or(Value::Null, |it| format!("{}{}", frame.site, it.src).into())
}

/// The card of the page.
fn card(frame: &Frame) -> Value {
    let image = frame.share.image.as_ref();
    image.map_or(Value::Null, |image| image.href.as_str().into())
}

/// The picture of a listing, or else the card of its page.
fn picture_or_card(frame: &Frame, url: Option<&str>) -> Value {
    match picture(frame, url) {
        Value::Null => card(frame),
        picture => picture,
    }
}

/// The addresses of the same thing on other sites.
fn elsewhere<'a>(links: impl IntoIterator<Item = &'a String>) -> Value {
    let links = links.into_iter().filter(|link| is_https(link));
    links.map(String::as_str).collect()
}

fn time(at: &public::Timestamp) -> Value {
    let at = at.0.replace_nanosecond(0).unwrap_or(at.0);
    at.format(&Rfc3339).map_or(Value::Null, Into::into)
}

fn address(city: &str, country: &str) -> Value {
    thing(
        "PostalAddress",
        [
            ("addressLocality", city.into()),
            ("addressCountry", country.into()),
        ],
    )
}

/// The site itself, on the start page.
pub(super) fn site(frame: &Frame) -> JsonLd {
    let search = json!({
        "@type": "SearchAction",
        "target": {
            "@type": "EntryPoint",
            "urlTemplate": format!("{}?q={{search_term_string}}", frame.absolute("/search")),
        },
        "query-input": "required name=search_term_string",
    });
    let site = thing(
        "WebSite",
        [
            ("name", "Mchezo".into()),
            ("url", frame.canonical().into()),
            ("description", frame.head.description.as_str().into()),
            ("inLanguage", frame.lang().into()),
            ("potentialAction", search),
        ],
    );
    write(&json!({ "@context": CONTEXT, "@graph": [site] }))
}

/// The type of a creator of this kind.
fn creator_type(kind: &str) -> &'static str {
    match kind {
        "person" => "Person",
        _ => "Organization",
    }
}

fn creator_id(frame: &Frame, handle: &str) -> Value {
    format!("{}/creators/{handle}", frame.site).into()
}

/// A creator who is not public has no kind, and stays unnamed.
pub(super) fn game(frame: &Frame, game: &public::Game, creator_kind: &str) -> JsonLd {
    let (row, texts) = (&game.row, frame.texts);
    let names = |group: &str, keys: &[String]| -> Value {
        let names = keys.iter().map(|key| texts.value(group, key, key));
        names.collect()
    };
    let creator = &row.creator;
    let path = format!("/creators/{}", creator.handle);
    let author = (!creator_kind.is_empty()).then(|| {
        thing(
            creator_type(creator_kind),
            [
                ("@id", creator_id(frame, &creator.handle)),
                ("name", creator.name.as_str().into()),
                ("url", frame.absolute(&path).into()),
            ],
        )
    });
    let screenshots = game.screenshots.iter().filter_map(|shot| {
        let address = picture(frame, Some(&shot.url));
        (!address.is_null()).then(|| {
            thing(
                "ImageObject",
                [
                    ("contentUrl", address),
                    ("width", shot.width.into()),
                    ("height", shot.height.into()),
                    ("caption", shot.alt.as_str().into()),
                ],
            )
        })
    });
    let screenshots: Vec<Value> = screenshots.collect();
    let country = cards::country(texts, &row.country_code);
    // While a game is in development the year is a plan.
    let year = (row.stage != "in_development").then(|| format!("{:04}", row.release_year));
    let about = thing(
        "VideoGame",
        [
            ("@id", format!("{}/games/{}", frame.site, row.slug).into()),
            ("url", frame.canonical().into()),
            ("name", row.title.as_str().into()),
            ("description", frame.head.description.as_str().into()),
            ("image", picture_or_card(frame, row.cover_url.as_deref())),
            ("author", author.into()),
            ("genre", names("genre", &row.genres)),
            ("gamePlatform", names("platform", &row.platforms)),
            ("applicationCategory", "Game".into()),
            (
                "creativeWorkStatus",
                texts.value("stage", &row.stage, &row.stage).into(),
            ),
            (
                "countryOfOrigin",
                thing("Country", [("name", country.into())]),
            ),
            ("datePublished", year.into()),
            ("dateModified", time(&game.updated_at)),
            ("screenshot", screenshots.into()),
            ("sameAs", elsewhere(game.links.values())),
        ],
    );
    document(frame, &about, "/games", "nav-games")
}

pub(super) fn creator(frame: &Frame, creator: &public::Creator) -> JsonLd {
    let row = &creator.row;
    let about = thing(
        creator_type(&row.kind),
        [
            ("@id", creator_id(frame, &row.handle)),
            ("url", frame.canonical().into()),
            ("name", row.name.as_str().into()),
            ("description", frame.head.description.as_str().into()),
            ("image", picture_or_card(frame, row.avatar_url.as_deref())),
            ("address", address(&row.city, &row.country_code)),
            ("sameAs", elsewhere(creator.links.values())),
        ],
    );
    document(frame, &about, "/creators", "nav-creators")
}

pub(super) fn event(frame: &Frame, event: &public::Event) -> JsonLd {
    let place = thing(
        "Place",
        [
            (
                "name",
                cards::place(frame.texts, &event.city, &event.country_code).into(),
            ),
            ("address", address(&event.city, &event.country_code)),
        ],
    );
    let website = event.website.as_deref().filter(|url| is_https(url));
    let (mode, location) = if event.online {
        let url = website.map_or_else(|| frame.canonical(), ToOwned::to_owned);
        let online = thing("VirtualLocation", [("url", url.into())]);
        ("MixedEventAttendanceMode", json!([place, online]))
    } else {
        ("OfflineEventAttendanceMode", place)
    };
    let about = thing(
        "Event",
        [
            (
                "@id",
                format!("{}/events/{}", frame.site, event.slug).into(),
            ),
            ("url", frame.canonical().into()),
            ("name", event.title.as_str().into()),
            ("description", event.description.as_str().into()),
            ("image", card(frame)),
            ("startDate", event.starts_at.as_str().into()),
            (
                "endDate",
                event.ends_at.as_deref().unwrap_or(&event.starts_at).into(),
            ),
            ("eventStatus", format!("{CONTEXT}/EventScheduled").into()),
            ("eventAttendanceMode", format!("{CONTEXT}/{mode}").into()),
            ("location", location),
            ("sameAs", website.into()),
        ],
    );
    document(frame, &about, "/events", "nav-events")
}
