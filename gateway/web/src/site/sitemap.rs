//! The sitemap (sitemaps.org): an index, and files of at most 50,000 addresses, cut from the listings of a kind.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::Extension;
use axum::extract::Path;
use contracts::public::CountryRow;
use kit::api::timestamp;
use prost_types::Timestamp;
use time::format_description::well_known::Rfc3339;

use super::response::respond_file;
use super::{boards, robots, xml};
use crate::app::App;
use crate::page_error::{PageError, PageResult};
use crate::site::public_request::PublicRequest;
use crate::upstream::{Catalogue, PageEconomy};

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
/// The file of the pages that are not listings.
const PAGES: &str = "pages";

/// The most addresses that search engines read from a file.
const FILE_ROWS: u32 = 50_000;

/// The kinds of listings; they have pages below the same names.
const KINDS: [&str; 4] = ["games", "creators", "events", "cities"];

/// The public pages without a parameter that crawlers may read.
#[derive(Debug, Clone)]
pub struct FixedPages(Arc<[&'static str]>);

impl FixedPages {
    /// Selects the pages among these public paths.
    pub fn new(paths: impl Iterator<Item = &'static str>) -> Self {
        let paths = paths.filter(|path| !path.contains(['{', '.']) && robots::is_allowed(path));
        Self(paths.collect())
    }
}

pub async fn index(PublicRequest { app, .. }: PublicRequest, catalogue: Catalogue) -> PageResult {
    let mut text = format!("{DECLARATION}<sitemapindex xmlns=\"{NAMESPACE}\">\n");
    let mut push = |kind: &str, number: u32, updated_at: Option<Timestamp>| {
        let path = format!("/sitemap/{kind}-{number}.xml");
        push_entry(&mut text, "sitemap", [&app.public_url, &path], updated_at);
    };
    push(PAGES, 1, None);
    for kind in KINDS {
        // The number of each file, and the last change of its listings.
        let mut files: Vec<(u32, Option<Timestamp>)> = Vec::new();
        let mut place = 0;
        let each = catalogue.sitemap(kind, |entry| {
            let number = file_of(&mut place);
            match files.last_mut().filter(|(last, _)| *last == number) {
                Some((_, latest)) => *latest = later(*latest, entry.updated_at),
                None => files.push((number, entry.updated_at)),
            }
            ControlFlow::Continue(())
        });
        each.await?;
        for (number, updated_at) in files {
            push(kind, number, updated_at);
        }
    }
    text.push_str("</sitemapindex>\n");
    Ok(respond_file(MEDIA_TYPE, text))
}

/// The number of the file that has the listing at this place among those of its kind. Moves to the next place.
fn file_of(place: &mut u32) -> u32 {
    let number = *place / FILE_ROWS + 1;
    *place += 1;
    number
}

fn later(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    [one, other].into_iter().flatten().max_by_key(|at| (at.seconds, at.nanos))
}

pub async fn file(
    PublicRequest { app, .. }: PublicRequest,
    catalogue: Catalogue,
    currencies: PageEconomy,
    Extension(fixed): Extension<FixedPages>,
    Path(name): Path<String>,
) -> PageResult {
    let (kind, number) = read_name(&name).ok_or_else(PageError::not_found)?;
    if kind == PAGES {
        return pages(&app, (&catalogue, &currencies), number, &fixed).await;
    }
    let mut text = format!("{DECLARATION}<urlset xmlns=\"{NAMESPACE}\">\n");
    let (start, mut place) = (text.len(), 0);
    let each = catalogue.sitemap(kind, |entry| {
        let file = file_of(&mut place);
        if file > number {
            return ControlFlow::Break(());
        }
        if file == number {
            let address = [app.public_url.as_str(), "/", kind, "/", &entry.address];
            push_entry(&mut text, "url", address, entry.updated_at);
        }
        ControlFlow::Continue(())
    });
    each.await?;
    if text.len() == start {
        return Err(PageError::not_found());
    }
    text.push_str("</urlset>\n");
    Ok(respond_file(MEDIA_TYPE, text))
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

/// The pages that are not listings: those of the router's table, those of the reference, the countries, the boards and the currencies.
async fn pages(
    app: &App,
    (catalogue, currencies): (&Catalogue, &PageEconomy),
    number: u32,
    fixed: &FixedPages,
) -> PageResult {
    if number != 1 {
        return Err(PageError::not_found());
    }
    let countries = catalogue.countries(true).await?;
    // Answer 503 rather than a file without these pages, which a crawler would forget.
    let reference = app.docs.reference()?;
    let currencies = currencies.all().await?;
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
    let updated_at =
        updated_at.and_then(timestamp::decode).and_then(|at| at.replace_nanosecond(0).ok());
    if let Some(at) = updated_at.and_then(|at| at.format(&Rfc3339).ok()) {
        text.extend(["<lastmod>", &at, "</lastmod>"]);
    }
    text.extend(["</", element, ">\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_file_names_are_parsed() {
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
    fn a_sitemap_file_has_at_most_fifty_thousand_listings() {
        for (mut place, number) in [(0, 1), (49_999, 1), (50_000, 2), (100_000, 3)] {
            assert_eq!(file_of(&mut place), number);
        }
    }
}
