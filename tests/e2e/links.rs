//! Every link between pages of the public site leads to a page.

use std::collections::{BTreeMap, BTreeSet};

use e2e::{Fleet, WebClient};
use serde_json::Value;

/// How many pages one visitor reads: fewer than the limit per minute.
const PAGES_OF_A_VISITOR: usize = 100;

/// A page of each kind. The documentation is only in English.
#[rustfmt::skip]
const PAGES: [&str; 29] = [
    "/", "/games", "/games?genre=puzzle&country=KE", "/games/a-day-in-the-woods", "/games?city=lagos", "/games?platform=android", "/creators",
    "/creators?country=ZA", "/creators/retroepic-software", "/events", "/events?when=past", 
    "/events?when=all&country=NA", "/countries", "/countries/NA", "/countries/ZA", "/cities", "/cities?country=NG", "/cities/lagos",
    "/cities/midrand", "/search?q=lagos", "/rankings", "/rankings/games/all", "/vote", "/economy", "/about/rates", "/about/boards",
    "/credits", "/terms", "/privacy",
];
const DOCS: [&str; 4] = ["/docs", "/docs/first-call", "/docs/reference", "/docs/all"];

/// The addresses on this site that a page links to or loads, without fragments.
fn links<'a>(page: &'a str, base: &'a str) -> impl Iterator<Item = String> + 'a {
    let attributes = ["href=\"", "src=\""].into_iter();
    let values = attributes
        .flat_map(|attribute| page.split(attribute).skip(1))
        .filter_map(|rest| rest.split('"').next());
    values.filter_map(move |link| {
        let path = link.strip_prefix(base).unwrap_or(link);
        let path = path.split('#').next().filter(|path| path.starts_with('/'))?;
        Some(path.replace("&#38;", "&").replace("&amp;", "&"))
    })
}

#[tokio::test]
#[ignore = "long: reads the whole site"]
async fn every_link_leads_to_a_page() {
    let fleet = Fleet::shared();
    let rows = include_str!("../../deploy/data/events.ndjson")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let shipped: BTreeSet<String> =
        rows.filter_map(|row| Some(row["slug"].as_str()?.to_owned())).collect();
    let events = shipped.iter().map(|slug| format!("/events/{slug}"));
    let pages: Vec<String> = PAGES
        .iter()
        .map(|path| (*path).to_owned())
        .chain(events)
        .flat_map(|path| [format!("/fr{}", path.trim_end_matches('/')), path])
        .chain(DOCS.map(ToOwned::to_owned))
        .collect();
    // Other tests add and remove listings, whose names contain digits.
    let is_of_test = |path: &str| {
        let path = path.split('?').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_asset = path.starts_with("/assets/");
        !is_asset && !shipped.contains(name) && name.contains(|c: char| c.is_ascii_digit())
    };
    let mut visitor = WebClient::new(&fleet);
    let base = visitor.base.clone();
    // Each link, with a page that contains it.
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut read = 0;
    let mut get = async |path: &str| {
        read += 1;
        if read % PAGES_OF_A_VISITOR == 0 {
            visitor = visitor.another();
        }
        visitor.get(path).await
    };
    for path in &pages {
        let page = get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        for link in links(&page.text, &base).filter(|link| !is_of_test(link)) {
            found.entry(link).or_insert_with(|| path.clone());
        }
    }
    let mut dead = Vec::new();
    for (link, from) in found {
        let status = get(&link).await.status.as_u16();
        if status >= 400 {
            dead.push(format!("{link} on {from}: {status}"));
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}
