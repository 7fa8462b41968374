//! What machines read of the public site: the sitemap has every listing, the feed and the calendar can be read.

use std::collections::BTreeSet;

use e2e::{Fleet, eventually};
use reqwest::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use roxmltree::Document;

use crate::lists::live;
use crate::writes::Studio;

/// A file of the site, which is 304 when it is asked for again, unless another test has changed it.
async fn file(http: &Client, url: &str, media_type: &str) -> String {
    let file = http.get(url).send().await.unwrap();
    assert_eq!(file.status(), StatusCode::OK, "{url}");
    let found = file.headers()[CONTENT_TYPE].to_str().unwrap();
    assert!(found.starts_with(media_type), "{url}: {found}");
    let tag = file.headers()[ETAG].clone();
    let text = file.text().await.unwrap();
    let again = http.get(url).header(IF_NONE_MATCH, &tag);
    let again = again.send().await.unwrap();
    let is_same = again.headers()[ETAG] == tag;
    assert_eq!(again.status() == StatusCode::NOT_MODIFIED, is_same, "{url}");
    text
}

/// The texts of all elements with this name.
fn texts(xml: &str, name: &str) -> Vec<String> {
    let document = Document::parse(xml).unwrap();
    let found = document
        .descendants()
        .filter(|it| it.tag_name().name() == name);
    let texts = found.map(|it| it.text().unwrap_or_default().to_owned());
    texts.collect()
}

/// The addresses of the sitemap, each once.
async fn sitemap(fleet: &Fleet, http: &Client) -> BTreeSet<String> {
    let index = format!("{}sitemap.xml", fleet.dashboard_url);
    let index = file(http, &index, "application/xml").await;
    let mut addresses = BTreeSet::new();
    for url in texts(&index, "loc") {
        let file = file(http, &url, "application/xml").await;
        for address in texts(&file, "loc") {
            assert!(addresses.insert(address.clone()), "{address} twice");
        }
    }
    addresses
}

/// Listings of other tests come and go; their names have digits.
fn is_seed(url: &str, base: &str) -> bool {
    let path = url.strip_prefix(base).unwrap();
    !path.contains(|c: char| c.is_ascii_digit())
}

#[tokio::test]
async fn every_listing_is_in_the_sitemap() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    let base = &fleet.dashboard_url;
    let found = sitemap(&fleet, &http).await;
    let client = live(&fleet).await;
    for (list, kind) in [
        ("/games", "games/"),
        ("/creators", "creators/"),
        ("/events?when=all", "events/"),
        ("/cities", "cities/"),
    ] {
        let rows = client.all(list, 100).await;
        let expected = rows.iter().map(|row| match row["url"].as_str() {
            Some(url) => url.to_owned(),
            None => format!("{base}cities/{}", row["slug"].as_str().unwrap()),
        });
        let expected = expected.filter(|url| is_seed(url, base));
        let expected: BTreeSet<String> = expected.collect();
        let start = format!("{base}{kind}");
        let found = found.iter().filter(|url| url.starts_with(&start));
        let found = found.filter(|url| is_seed(url, base)).cloned();
        assert_eq!(found.collect::<BTreeSet<_>>(), expected, "{list}");
    }
    for path in ["", "games", "terms", "countries/NG"] {
        assert!(found.contains(&format!("{base}{path}")), "{path}");
    }
}

#[tokio::test]
async fn a_new_game_is_in_the_sitemap_and_the_feed() {
    let studio = Studio::new().await;
    let (http, base) = (Client::new(), &studio.fleet.dashboard_url);
    let url = format!("{base}games/{}", studio.game);
    // First the feed, which has the newest fifty: other tests make games, too, but not so many in this moment.
    let feed = format!("{base}games/feed.xml");
    eventually("the game in the feed", async || {
        let feed = file(&http, &feed, "application/atom+xml").await;
        texts(&feed, "id").contains(&url).then_some(())
    })
    .await;
    eventually("the game in the sitemap", async || {
        let addresses = sitemap(&studio.fleet, &http).await;
        addresses.contains(&url).then_some(())
    })
    .await;
}

#[tokio::test]
async fn events_have_a_calendar() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    let base = &fleet.dashboard_url;
    let client = live(&fleet).await;
    let events = client.all("/events", 100).await;
    for event in events.iter().take(3) {
        let country = event["country_code"].as_str().unwrap();
        let url = format!("{base}events/calendar.ics?country={country}");
        let calendar = file(&http, &url, "text/calendar").await;
        let unfolded = calendar.replace("\r\n ", "");
        let url = event["url"].as_str().unwrap();
        let is_there = unfolded.contains(&format!("UID:{url}\r\n"));
        assert!(is_there || !is_seed(url, base), "{unfolded}");
        let begun = unfolded.matches("BEGIN:VEVENT\r\n").count();
        assert_eq!(begun, unfolded.matches("END:VEVENT\r\n").count());
    }
}
