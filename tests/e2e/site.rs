//! The public site: every address that the API returns leads to a page, and a new game and its changes are on the site at once.

use e2e::{Fleet, Studio, eventually};
use reqwest::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, SET_COOKIE};
use reqwest::{Client, StatusCode};
use serde_json::Value;

use crate::lists::{live, sample};

fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' | '<' | '>' | '"' | '\'' => format!("&#{};", u32::from(c)),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Checks the title and the `ETag` of a page; returns the page.
async fn check(http: &Client, url: &str, title: &str) -> String {
    let page = http.get(url).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK, "{url}");
    let headers = page.headers().clone();
    assert_eq!(headers[CACHE_CONTROL], "public, no-cache", "{url}");
    assert!(!headers.contains_key(SET_COOKIE), "{url}");
    let text = page.text().await.unwrap();
    assert!(text.contains(&escaped(title)), "{url} lacks {title}");
    let again = http.get(url).header(IF_NONE_MATCH, &headers[ETAG]).send().await.unwrap();
    // Another test may have changed the page in the meantime.
    let is_same = again.headers()[ETAG] == headers[ETAG];
    assert_eq!(again.status() == StatusCode::NOT_MODIFIED, is_same, "{url}");
    text
}

/// Checks the first listings of the live directory, because other tests add and remove listings.
#[tokio::test]
async fn every_address_of_a_listing_leads_to_its_page() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    let client = live(&fleet).await;
    for (list, name, file) in [
        ("games", "title", include_str!("../../deploy/data/games.ndjson")),
        ("creators", "name", include_str!("../../deploy/data/creators.ndjson")),
        ("events", "title", include_str!("../../deploy/data/events.ndjson")),
    ] {
        for line in file.lines().take(10) {
            let row: Value = serde_json::from_str(line).unwrap();
            let address = row["slug"].as_str().or_else(|| row["handle"].as_str());
            let path = format!("/{list}/{}", address.unwrap());
            let listing = client.get(&path).await.data().clone();
            let [url, title] = ["url", name].map(|field| listing[field].as_str().unwrap());
            assert_eq!(url, format!("{}{}", fleet.dashboard_url, &path[1..]));
            check(&http, url, title).await;
        }
    }
}

#[tokio::test]
async fn a_new_game_is_on_the_site_and_its_page_shows_a_change() {
    let studio = Studio::new(&Fleet::shared()).await;
    let (http, base) = (Client::new(), &studio.fleet.dashboard_url);
    let read = async |url: &str| http.get(url).send().await.unwrap().text().await.unwrap();
    let url = format!("{base}games/{}", studio.game);
    // Read the feed first. It has the newest fifty games, and other tests add games, but not so many at once.
    let feed = format!("{base}games/feed.xml");
    let index = read(&format!("{base}sitemap.xml")).await;
    let files = index.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next());
    let games = files.filter(|file| file.contains("/games-")).last().unwrap();
    for file in [feed.as_str(), games] {
        eventually("the file has the game", async || read(file).await.contains(&url).then_some(()))
            .await;
    }
    check(&http, &url, "A Game").await;
    let tagline = format!("Changed <b>{}", kit::ids::row_id());
    studio.edit(&studio.game, &tagline).await;
    eventually("the change on the page", async || {
        read(&url).await.contains(&escaped(&tagline)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn addresses_of_sample_listings_lead_to_pages_that_say_so() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    for list in ["/games", "/creators", "/events?when=all"] {
        let rows = sample(&fleet).all(list, 100).await;
        let url = rows[0]["url"].as_str().unwrap();
        let page = check(&http, url, "test keys read").await;
        assert!(page.contains("<meta name=\"robots\" content=\"noindex\">"), "{url}");
    }
}
