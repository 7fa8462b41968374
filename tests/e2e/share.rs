//! What machines read of the public site: the sitemap and the feed have a new game.

use std::collections::BTreeSet;

use e2e::{Fleet, eventually};
use reqwest::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use roxmltree::Document;

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
