//! oEmbed (oembed.com): a site that knows the address of a game's page gets the HTML that shows the game in a frame.

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use contracts::public;
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use http::{HeaderValue, StatusCode};
use pages::site::Language;
use pages::site::share::Document;
use serde_json::{Map, Value};

use super::cached::{Version, respond_file};
use super::cards::COVER;
use super::query::{Query, address};
use super::xml;
use crate::app::{App, Web};
use crate::domain::picture_name::is_file_name;
use crate::page_error::{PageError, PageResult};
use crate::visit::Visit;

const PATH: &str = "/oembed";
/// The size of the frame in pixels, unless the other site has less room.
const FRAME: (u32, u32) = (480, 420);
/// The size of a small cover (§10.9).
const SMALL_COVER: (u32, u32) = (600, 338);
/// Seconds for which an answer may be stored.
const CACHE_AGE: u32 = 3_600;

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Xml,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Xml => "xml",
        }
    }

    const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Xml => "text/xml; charset=utf-8",
        }
    }
}

/// The embedded game, with the language of its address.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    slug: String,
    /// The language that the address names, as the beginning of its path.
    prefix: &'static str,
}

pub async fn show(
    State(app): State<App>,
    Extension(mut visit): Extension<Visit>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = Query::parse(query.as_deref());
    let format = match query.get("format") {
        None | Some("json") => Format::Json,
        Some("xml") => Format::Xml,
        Some(_) => {
            let text = "Use `json` or `xml` as the format.";
            let status = StatusCode::NOT_IMPLEMENTED;
            return Err(PageError::new(status, "Unknown format", text));
        }
    };
    let room = |name: &str| {
        let most = query.get(name).map_or(Ok(u32::MAX), str::parse);
        most.ok().filter(|most| *most > 0).ok_or_else(|| {
            let text = format!("`{name}` must be a number of pixels.");
            PageError::new(StatusCode::BAD_REQUEST, "Not a size", text)
        })
    };
    let room = (room("maxwidth")?, room("maxheight")?);
    let url = query.get("url").unwrap_or_default();
    let target = target(&app.public_url, url).ok_or_else(PageError::not_found)?;
    let game = app.catalogue.game(&target.slug).await?;
    let (width, height) = (room.0.to_string(), room.1.to_string());
    let parameters = [
        ("url", Some(url)),
        ("format", Some(format.name())),
        ("maxwidth", Some(width.as_str())),
        ("maxheight", Some(height.as_str())),
    ];
    visit.path = address(PATH, &parameters);
    let version = Version::of_file(&app, &visit).one(&game);
    let mut response = respond_file(&visit, &version, format.media_type(), || {
        let game: public::Game = game.parse()?;
        let fields = fields(&app, &target, &game.row, room);
        Ok(Body::from(match format {
            Format::Json => Value::Object(fields).to_string(),
            Format::Xml => to_xml(&fields),
        }))
    })?;
    describe(&mut response);
    Ok(response)
}

/// The response is public, so scripts of other sites may read it.
fn describe(response: &mut Response) {
    let headers = response.headers_mut();
    let anyone = HeaderValue::from_static("*");
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, anyone);
}

/// The game whose page, or frame, has this address.
fn target(site: &str, url: &str) -> Option<Target> {
    let path = url.strip_prefix(site)?;
    let path = path.split(['?', '#']).next()?;
    let (language, path) = Language::split(path);
    let slug = path
        .strip_prefix("/games/")
        .or_else(|| path.strip_prefix("/embed/games/"))?;
    let is_slug = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (!slug.is_empty() && slug.chars().all(is_slug)).then(|| Target {
        slug: slug.to_owned(),
        prefix: language.map_or("", Language::prefix),
    })
}

/// `room` is the width and the height that the other site has.
fn fields(
    web: &Web,
    target: &Target,
    row: &public::GameRow,
    room: (u32, u32),
) -> Map<String, Value> {
    let (width, height) = (room.0.min(FRAME.0), room.1.min(FRAME.1));
    let site = &web.public_url;
    let source = format!("{site}{}/embed/games/{}", target.prefix, row.slug);
    let mut html = String::from("<iframe src=\"");
    xml::push_text(&mut html, &source);
    html.push_str("\" title=\"");
    xml::push_text(&mut html, &row.title);
    let size = format!("width=\"{width}\" height=\"{height}\"");
    html.extend([
        "\" ",
        &size,
        " loading=\"lazy\" style=\"border:0\"></iframe>",
    ]);
    let mut fields: Vec<(&str, Value)> = vec![
        ("version", "1.0".into()),
        ("type", "rich".into()),
        ("title", row.title.as_str().into()),
        ("author_name", row.creator.name.as_str().into()),
        (
            "author_url",
            format!("{site}{}/creators/{}", target.prefix, row.creator.handle).into(),
        ),
        ("provider_name", "Mchezo".into()),
        ("provider_url", format!("{site}/").into()),
        ("cache_age", CACHE_AGE.into()),
        ("html", html.into()),
        ("width", width.into()),
        ("height", height.into()),
    ];
    let cover = row.cover_url.as_deref().filter(|url| is_own(site, url));
    if let Some((url, (width, height))) = cover.and_then(|cover| thumbnail(cover, room)) {
        fields.push(("thumbnail_url", url.into()));
        fields.push(("thumbnail_width", width.into()));
        fields.push(("thumbnail_height", height.into()));
    }
    let fields = fields.into_iter();
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The largest size of a cover for which there is room.
fn thumbnail(cover: &str, room: (u32, u32)) -> Option<(String, (u32, u32))> {
    let small = (format!("{cover}?width={}", SMALL_COVER.0), SMALL_COVER);
    let large = (cover.to_owned(), (COVER.width, COVER.height));
    let mut sizes = [large, small].into_iter();
    sizes.find(|(_, size)| size.0 <= room.0 && size.1 <= room.1)
}

/// Whether this site serves the picture.
fn is_own(site: &str, url: &str) -> bool {
    let path = url.strip_prefix(site);
    path.and_then(|path| path.strip_prefix("/pictures/"))
        .is_some_and(is_file_name)
}

fn to_xml(fields: &Map<String, Value>) -> String {
    let mut text =
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\"?>\n<oembed>\n".to_owned();
    for (name, value) in fields {
        text.extend(["<", name, ">"]);
        match value {
            Value::String(value) => xml::push_text(&mut text, value),
            other => text.push_str(&other.to_string()),
        }
        text.extend(["</", name, ">\n"]);
    }
    text.push_str("</oembed>\n");
    text
}

/// The links on the page of a game by which other sites discover the embed.
pub(super) fn of_game(site: &str, page: &str, title: &str) -> Vec<Document> {
    let link = |format: Format, media_type| {
        let parameters = [("url", Some(page)), ("format", Some(format.name()))];
        Document {
            media_type,
            title: title.to_owned(),
            href: format!("{site}{}", address(PATH, &parameters)),
        }
    };
    vec![
        link(Format::Json, "application/json+oembed"),
        link(Format::Xml, "text/xml+oembed"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_games_can_be_embedded() {
        let site = "https://mchezo.example";
        for (path, expected) in [
            ("/games/kora", Some(("kora", ""))),
            ("/fr/games/kora-2?utm=x#top", Some(("kora-2", "/fr"))),
            ("/en/embed/games/kora", Some(("kora", "/en"))),
            ("/games/", None),
            ("/games/kora/card.jpg", None),
            ("/games/../accounts", None),
            ("/creators/savanna", None),
            (".evil.example/games/kora", None),
        ] {
            let found = target(site, &format!("{site}{path}"));
            let found = found.as_ref().map(|it| (it.slug.as_str(), it.prefix));
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(target(site, "http://mchezo.example/games/kora"), None);
        assert_eq!(target(site, ""), None);
    }

    #[test]
    fn the_answer_in_xml_has_the_same_fields() {
        let fields = [("html", Value::from("<b>\"&")), ("width", Value::from(480))];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        let fields: Map<String, Value> = fields.into_iter().collect();
        let text = to_xml(&fields);
        assert!(
            text.contains("<html>&lt;b&gt;&quot;&amp;</html>\n<width>480</width>"),
            "{text}"
        );
    }
}
