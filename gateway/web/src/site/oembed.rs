//! oEmbed (oembed.com): a site that knows the address of a game's page gets the HTML that shows the game in a frame.

use std::borrow::Cow;

use contracts::public;
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use http::{HeaderValue, StatusCode};
use kit::Code;
use pages::site::share::Document;
use pages::site::{Frame, Language};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use url::Url;

use super::cached::respond_file;
use super::cards::COVER;
use super::query::address;
use super::request::SiteRequest;
use super::xml;
use crate::app::Web;
use crate::domain::picture_name::is_file_name;
use crate::page_error::{PageError, PageResult};
use crate::visit::OEMBED;

/// In pixels.
#[derive(Debug, Clone, Copy)]
struct Size {
    width: u32,
    height: u32,
}

/// The size of the frame, unless the other site has less room.
const FRAME: Size = Size {
    width: 480,
    height: 420,
};
/// The size of a small cover (§10.9).
const SMALL_COVER: Size = Size {
    width: 600,
    height: 338,
};
/// What the frame may do: it has no script, and its links open new tabs, in which the pages are not confined.
const SANDBOX: &str = "allow-popups allow-popups-to-escape-sandbox";
/// Seconds for which an answer may be stored.
const CACHE_AGE: u32 = 3_600;

/// The embedded game, with the language of its address.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    slug: String,
    /// The language that the address names, as the beginning of its path.
    prefix: &'static str,
}

pub async fn show(SiteRequest { app, query, .. }: SiteRequest) -> PageResult {
    let format = query.get("format");
    if format.is_some_and(|format| !format.eq_ignore_ascii_case("json")) {
        let (status, text) = (StatusCode::NOT_IMPLEMENTED, "Use `json` as the format.");
        return Err(PageError::for_programs(status, text));
    }
    let limit = |name: &str| match query.get(name) {
        None => Ok(u32::MAX),
        Some(text) => pixels(text).ok_or_else(|| {
            let text = format!("`{name}` must be a number of pixels.");
            PageError::for_programs(StatusCode::BAD_REQUEST, text)
        }),
    };
    let room = Size {
        width: limit("maxwidth")?,
        height: limit("maxheight")?,
    };
    let url = query.get("url").unwrap_or_default();
    let target = target(&app.public_url, url).ok_or_else(no_game)?;
    let game = app.catalogue.game(&target.slug).await;
    let game = game.map_err(|fault| match fault.code {
        Code::NotFound => no_game(),
        _ => fault.into(),
    })?;
    let game: public::Game = game.parse()?;
    let fields = fields(&app, &target, &game.row, room);
    let mut response = respond_file("application/json", fields.to_string());
    // The response is public, so scripts of other sites may read it.
    let anyone = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, anyone);
    Ok(response)
}

fn no_game() -> PageError {
    let text = "`url` must be the address of a game on this site.";
    PageError::for_programs(StatusCode::NOT_FOUND, text)
}

/// A size that another site has room for. More pixels than any screen has limit nothing.
fn pixels(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let pixels = is_number.then(|| text.parse().unwrap_or(u32::MAX));
    pixels.filter(|pixels| *pixels > 0)
}

/// The game whose page, or frame, a browser opens at this address.
fn target(site: &str, url: &str) -> Option<Target> {
    let (site, url) = (Url::parse(site).ok()?, Url::parse(url).ok()?);
    // People paste `http` for `https`, which leads to the same page. A scheme's default port is dropped.
    let is_web = matches!(url.scheme(), "http" | "https");
    if !is_web || url.host() != site.host() || url.port() != site.port() {
        return None;
    }
    let path = url.path().strip_prefix(site.path().trim_end_matches('/'))?;
    // As the page of the game, which capitals lead to.
    let path = decoded(path.strip_suffix('/').unwrap_or(path))?.to_ascii_lowercase();
    let (language, path) = Language::split(&path);
    let slug = path
        .strip_prefix("/games/")
        .or_else(|| path.strip_prefix("/embed/games/"))?;
    let is_slug = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (!slug.is_empty() && slug.chars().all(is_slug)).then(|| Target {
        slug: slug.to_owned(),
        prefix: language.map_or("", Language::prefix),
    })
}

/// A path without percent-encoding, if that separates the same segments.
fn decoded(path: &str) -> Option<String> {
    let segments = path.split('/').map(|segment| {
        let segment = percent_decode_str(segment).decode_utf8().ok()?;
        (!segment.contains('/')).then_some(segment)
    });
    let segments: Option<Vec<Cow<'_, str>>> = segments.collect();
    Some(segments?.join("/"))
}

/// `room` is what the other site has.
fn fields(app: &Web, target: &Target, row: &public::GameRow, room: Size) -> Value {
    let size = Size {
        width: room.width.min(FRAME.width),
        height: room.height.min(FRAME.height),
    };
    let site = &app.public_url;
    let pages = format!("{site}{}", target.prefix);
    let mut fields = json!({
        "version": "1.0",
        "type": "rich",
        "title": row.title,
        "author_name": row.creator.name,
        "author_url": format!("{pages}/creators/{}", row.creator.handle),
        "provider_name": "Mchezo",
        "provider_url": format!("{site}/"),
        "cache_age": CACHE_AGE,
        "html": frame(&pages, row, size),
        "width": size.width,
        "height": size.height,
    });
    let cover = row.cover_url.as_deref().filter(|url| is_own(site, url));
    if let Some((url, size)) = cover.and_then(|cover| thumbnail(cover, room)) {
        fields["thumbnail_url"] = url.into();
        fields["thumbnail_width"] = size.width.into();
        fields["thumbnail_height"] = size.height.into();
    }
    fields
}

/// The largest size of a cover for which there is room.
fn thumbnail(cover: &str, room: Size) -> Option<(String, Size)> {
    let large = Size {
        width: COVER.width,
        height: COVER.height,
    };
    let small = format!("{cover}?width={}", SMALL_COVER.width);
    let mut sizes = [(cover.to_owned(), large), (small, SMALL_COVER)].into_iter();
    sizes.find(|(_, size)| size.width <= room.width && size.height <= room.height)
}

/// Whether this site serves the picture.
fn is_own(site: &str, url: &str) -> bool {
    let path = url.strip_prefix(site);
    path.and_then(|path| path.strip_prefix("/pictures/"))
        .is_some_and(is_file_name)
}

/// The HTML of a frame with a game. `site` is the address of the site in a language.
fn frame(site: &str, row: &public::GameRow, size: Size) -> String {
    let mut html = String::from("<iframe src=\"");
    xml::push_text(&mut html, &format!("{site}/embed/games/{}", row.slug));
    html.push_str("\" title=\"");
    xml::push_text(&mut html, &row.title);
    let Size { width, height } = size;
    let size = format!("width=\"{width}\" height=\"{height}\"");
    html.extend([
        "\" ",
        &size,
        " loading=\"lazy\" style=\"border:0;max-width:100%\" sandbox=\"",
        SANDBOX,
        "\"></iframe>",
    ]);
    html
}

/// The same for people who copy it from the page of the game.
pub(super) fn frame_code(page: &Frame, row: &public::GameRow) -> String {
    frame(&format!("{}{}", page.site, page.prefix), row, FRAME)
}

/// The link on the page of a game by which other sites discover the embed.
pub(super) fn of_game(site: &str, page: &str, title: &str) -> Vec<Document> {
    // Without a format, which would need a `&`: some readers do not decode how HTML writes it.
    let parameters = [("url", Some(page))];
    vec![Document {
        media_type: "application/json+oembed",
        title: title.to_owned(),
        href: format!("{site}{}", address(OEMBED, &parameters)),
    }]
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
        assert_eq!(target(site, "ftp://mchezo.example/games/kora"), None);
        assert_eq!(target(site, ""), None);
    }

    #[test]
    fn an_address_is_read_as_a_browser_reads_it() {
        for (url, expected) in [
            ("HTTPS://MCHEZO.EXAMPLE/games/kora", Some("")),
            ("https://mchezo.example:443/games/kora", Some("")),
            ("http://mchezo.example/games/kora", Some("")),
            ("http://mchezo.example:80/games/kora", Some("")),
            ("http://mchezo.example:8080/games/kora", None),
            ("https://mchezo.example/games/kora/", Some("")),
            ("https://mchezo.example/Games/Kora", Some("")),
            ("https://mchezo.example/FR/Games/KORA/", Some("/fr")),
            ("https://mchezo.example/g%61mes/k%6Fr%61?a#top", Some("")),
            (
                "https://mchezo.example/x/../fr/games/kora/#top",
                Some("/fr"),
            ),
            ("https://mchezo.example/f%72/embed/games/kora", Some("/fr")),
            ("https://mchezo.example:8443/games/kora", None),
            ("https://mchezo.example@evil.example/games/kora", None),
            ("https://mchezo.example/games/kora//", None),
            ("https://mchezo.example/games%2Fkora", None),
            ("https://mchezo.example/games/k%2Fora", None),
            ("https://mchezo.example/games/k%256Fra", None),
            ("https://mchezo.example/games/k%ffra", None),
            ("/games/kora", None),
        ] {
            let found = target("https://mchezo.example", url);
            assert!(found.iter().all(|it| it.slug == "kora"), "{url}: {found:?}");
            assert_eq!(found.map(|it| it.prefix), expected, "{url}");
        }
        // A site below a path of its host.
        let found = target(
            "https://a.example/site",
            "https://a.example/site/games/kora",
        );
        assert_eq!(found.map(|it| it.slug).as_deref(), Some("kora"));
        let other = target("https://a.example/site", "https://a.example/games/kora");
        assert_eq!(other, None);
    }

    #[test]
    fn a_size_beyond_every_screen_limits_nothing() {
        for (text, size) in [
            ("480", Some(480)),
            ("4294967295", Some(u32::MAX)),
            ("4294967296", Some(u32::MAX)),
            ("99999999999999999999999999", Some(u32::MAX)),
            ("0", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("wide", None),
        ] {
            assert_eq!(pixels(text), size, "{text}");
        }
    }
}
