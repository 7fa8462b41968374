//! The sitemap (sitemaps.org): an index, and files of at most 50,000 addresses.
//!
//! A file is written while it is sent, one part at a time, so that it takes the memory of one part. Each part is a read of its own, which
//! needs a permit like those of all pages.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::Path;
use contracts::catalogue::v1::{ReadSitemapFileResponse, SitemapFile};
use contracts::public::CountryRow;
use futures::stream;
use http::HeaderValue;
use http::header::ETAG;
use kit::timestamp;
use prost_types::Timestamp;
use time::format_description::well_known::Rfc3339;
use xxhash_rust::xxh3::xxh3_128;

use super::cached::respond_file;
use super::request::SiteRequest;
use super::{boards, robots, xml};
use crate::app::App;
use crate::page_error::{PageError, PageResult};

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
/// The file of the pages that are not listings.
const PAGES: &str = "pages";

/// The kinds of files that catalogue-svc has; their listings have pages below the same names.
const KINDS: [&str; 4] = ["games", "creators", "events", "cities"];

/// The public pages without a parameter, except those that crawlers are kept from.
#[derive(Debug, Clone)]
pub struct FixedPages(Arc<[&'static str]>);

impl FixedPages {
    /// Selects the pages among these public paths.
    pub fn of(paths: impl Iterator<Item = &'static str>) -> Self {
        let paths = paths.filter(|path| !path.contains(['{', '.']) && robots::is_allowed(path));
        Self(paths.collect())
    }
}

pub async fn index(SiteRequest { app, .. }: SiteRequest) -> PageResult {
    let files = app.catalogue.sitemap_files().await?;
    Ok(respond_file(
        MEDIA_TYPE,
        index_text(&app.public_url, &files),
    ))
}

fn index_text(site: &str, files: &[SitemapFile]) -> String {
    let mut text = format!("{DECLARATION}<sitemapindex xmlns=\"{NAMESPACE}\">\n");
    let mut push = |kind: &str, number: u32, updated_at: Option<Timestamp>| {
        let path = format!("/sitemap/{kind}-{number}.xml");
        push_entry(&mut text, "sitemap", [site, &path], updated_at);
    };
    push(PAGES, 1, None);
    for file in files {
        push(&file.kind, file.number, file.updated_at);
    }
    text.push_str("</sitemapindex>\n");
    text
}

pub async fn file(
    SiteRequest { app, .. }: SiteRequest,
    Extension(fixed): Extension<FixedPages>,
    Path(name): Path<String>,
) -> PageResult {
    let (kind, number) = read_name(&name).ok_or_else(PageError::not_found)?;
    if kind == PAGES {
        return pages(&app, number, &fixed).await;
    }
    let first = app.catalogue.sitemap_part(kind, number, "").await?;
    // The file is written while it is sent, so its tag is the version of the listings, and the site that their addresses have.
    let tag = (first.version, &app.public_url, kind, number);
    let tag = format!("W/\"{:032x}\"", xxh3_128(format!("{tag:?}").as_bytes()));
    let rest = Rest {
        app: App::clone(&app),
        kind,
        number,
        text: format!("{DECLARATION}<urlset xmlns=\"{NAMESPACE}\">\n"),
        part: Some(first),
    };
    let body = Body::from_stream(stream::try_unfold(rest, Rest::next));
    let mut response = respond_file(MEDIA_TYPE, body);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    Ok(response)
}

/// `games-1.xml`.
fn read_name(name: &str) -> Option<(&'static str, u32)> {
    let (kind, number) = name.strip_suffix(".xml")?.rsplit_once('-')?;
    let mut kinds = KINDS.into_iter().chain([PAGES]);
    let kind = kinds.find(|known| *known == kind)?;
    // Each file has one name.
    let is_plain = number.starts_with(|c: char| ('1'..='9').contains(&c));
    Some((kind, number.parse().ok().filter(|_| is_plain)?))
}

/// The state of a file that is being sent.
struct Rest {
    app: App,
    kind: &'static str,
    number: u32,
    /// The text to send before the next part.
    text: String,
    /// `None` after the last.
    part: Option<ReadSitemapFileResponse>,
}

impl Rest {
    async fn next(mut self) -> std::io::Result<Option<(Bytes, Self)>> {
        let Some(part) = self.part.take() else {
            return Ok(None);
        };
        let mut text = std::mem::take(&mut self.text);
        for entry in &part.entries {
            let address = [
                self.app.public_url.as_str(),
                "/",
                self.kind,
                "/",
                &entry.address,
            ];
            push_entry(&mut text, "url", address, entry.updated_at);
        }
        match &part.next_cursor {
            Some(cursor) => {
                let next = self
                    .app
                    .catalogue
                    .sitemap_part(self.kind, self.number, cursor);
                // The response has begun, so an error can only break it off.
                let next = next.await.map_err(|fault| {
                    let (kind, number) = (self.kind, self.number);
                    let reason = fault.message;
                    tracing::warn!(kind, number, %reason, "a file of the sitemap is broken off");
                    std::io::Error::other("the catalogue does not answer")
                })?;
                self.part = Some(next);
            }
            None => text.push_str("</urlset>\n"),
        }
        Ok(Some((text.into(), self)))
    }
}

/// The pages that are not listings: those of the router's table, those of the reference, the countries, the boards and the currencies.
async fn pages(app: &App, number: u32, fixed: &FixedPages) -> PageResult {
    if number != 1 {
        return Err(PageError::not_found());
    }
    let countries = app.catalogue.countries_with_events().await?;
    // A crawler asks again later, rather than forget the pages that a file without them has lost.
    let reference = app.docs.reference()?;
    let currencies = app.currencies.all(app.clock.now()).await?;
    let countries: Vec<CountryRow> = countries.parse()?;
    let site = app.public_url.as_str();
    let mut text = format!("{DECLARATION}<urlset xmlns=\"{NAMESPACE}\">\n");
    for path in fixed.0.iter() {
        push_entry(&mut text, "url", [site, path], None);
    }
    for page in &reference.pages {
        push_entry(&mut text, "url", [site, &page.path()], None);
    }
    for country in &countries {
        push_entry(&mut text, "url", [site, "/countries/", &country.code], None);
    }
    for board in boards::paths() {
        push_entry(&mut text, "url", [site, &board], None);
    }
    for currency in currencies.iter() {
        push_entry(&mut text, "url", [site, "/economy/", &currency.slug], None);
    }
    text.push_str("</urlset>\n");
    Ok(respond_file(MEDIA_TYPE, text))
}

/// Appends an address, given in pieces, with the time of its last change.
fn push_entry<const N: usize>(
    text: &mut String,
    element: &str,
    address: [&str; N],
    updated_at: Option<Timestamp>,
) {
    text.extend(["<", element, "><loc>"]);
    for piece in address {
        xml::push_text(text, piece);
    }
    text.push_str("</loc>");
    let updated_at = updated_at.and_then(timestamp::decode);
    let updated_at = updated_at.and_then(|at| at.replace_nanosecond(0).ok());
    if let Some(at) = updated_at.and_then(|at| at.format(&Rfc3339).ok()) {
        text.extend(["<lastmod>", &at, "</lastmod>"]);
    }
    text.extend(["</", element, ">\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name() {
        assert_eq!(read_name("games-1.xml"), Some(("games", 1)));
        assert_eq!(read_name("pages-12.xml"), Some(("pages", 12)));
        for name in [
            "games-1",
            "games.xml",
            "games-0.xml",
            "games-01.xml",
            "games-+1.xml",
            "plans-1.xml",
            "games-99999999999.xml",
        ] {
            assert_eq!(read_name(name), None, "{name}");
        }
    }

    #[test]
    fn an_entry_has_its_time_if_there_is_one() {
        let mut text = String::new();
        let at = Timestamp {
            seconds: 1_764_000_000,
            nanos: 999_000_000,
        };
        push_entry(
            &mut text,
            "url",
            ["https://a.example", "/games/", "x&y"],
            Some(at),
        );
        push_entry(&mut text, "sitemap", ["b"], None);
        assert_eq!(
            text,
            "<url><loc>https://a.example/games/x&amp;y</loc><lastmod>2025-11-24T16:00:00Z</lastmod></url>\n\
             <sitemap><loc>b</loc></sitemap>\n"
        );
    }

    #[test]
    fn pages_without_a_parameter_are_fixed() {
        let paths = ["/", "/games", "/games/{slug}", "/games/feed.xml", "/vote"];
        let fixed = FixedPages::of(paths.into_iter());
        assert_eq!(*fixed.0, ["/", "/games"]);
    }
}
