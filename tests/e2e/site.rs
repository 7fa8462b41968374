//! The public site: every address that the API gives out leads to a page, which shows a change at once.

use e2e::{Fleet, eventually};
use reqwest::header::{CACHE_CONTROL, ETAG, HeaderMap, IF_NONE_MATCH, SET_COOKIE};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::lists::{live, sample};
use crate::writes::{Studio, patch};

/// A text as it stands in a page.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' | '<' | '>' | '"' | '\'' => format!("&#{};", u32::from(c)),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Reads a page; returns its headers and the page.
async fn read(http: &Client, url: &str, title: &str) -> (HeaderMap, String) {
    let page = http.get(url).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK, "{url}");
    let headers = page.headers().clone();
    assert_eq!(headers[CACHE_CONTROL], "public, no-cache", "{url}");
    assert!(!headers.contains_key(SET_COOKIE), "{url}");
    let text = page.text().await.unwrap();
    assert!(text.contains(&escaped(title)), "{url} lacks {title}");
    (headers, text)
}

/// Checks a page and its `ETag`; returns the page.
async fn check(http: &Client, url: &str, title: &str) -> String {
    let (headers, text) = read(http, url, title).await;
    let again = http.get(url).header(IF_NONE_MATCH, &headers[ETAG]);
    let again = again.send().await.unwrap();
    // Another test may have changed it meanwhile.
    let is_same = again.headers()[ETAG] == headers[ETAG];
    let expected = if is_same {
        StatusCode::NOT_MODIFIED
    } else {
        StatusCode::OK
    };
    assert_eq!(again.status(), expected, "{url}");
    if is_same {
        assert!(again.bytes().await.unwrap().is_empty(), "{url}");
    }
    text
}

/// The first listings of the real directory. Those of other tests come and go.
#[tokio::test]
async fn every_address_of_a_listing_leads_to_its_page() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    let client = live(&fleet).await;
    for (list, name, file) in [
        (
            "games",
            "title",
            include_str!("../../deploy/data/games.ndjson"),
        ),
        (
            "creators",
            "name",
            include_str!("../../deploy/data/creators.ndjson"),
        ),
        (
            "events",
            "title",
            include_str!("../../deploy/data/events.ndjson"),
        ),
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
async fn places_have_pages_too() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    let client = live(&fleet).await;
    let found = client.get("/search?q=lagos&type=cities").await;
    let city = found.data()[0].clone();
    let url = city["url"].as_str().unwrap();
    assert!(url.starts_with(&fleet.dashboard_url), "{url}");
    check(&http, url, "Lagos").await;
    let countries: Vec<Value> = client.all("/countries", 100).await;
    for country in countries {
        let code = country["code"].as_str().unwrap();
        let url = format!("{}countries/{code}", fleet.dashboard_url);
        let title = country["name"].as_str().unwrap().replace('\'', "’");
        check(&http, &url, &title).await;
    }
    let url = format!("{}fr/countries/ZA", fleet.dashboard_url);
    check(&http, &url, "Afrique du Sud").await;
}

#[tokio::test]
async fn a_page_shows_a_change_of_its_listing() {
    let studio = Studio::new().await;
    let (http, base) = (Client::new(), &studio.fleet.dashboard_url);
    let url = format!("{base}games/{}", studio.game);
    let read = async || http.get(&url).send().await.unwrap();
    // The page appears with the listing.
    eventually("the page of the game", async || {
        (read().await.status() == StatusCode::OK).then_some(())
    })
    .await;
    let before = read().await;
    let tag = before.headers()[ETAG].clone();
    let tagline = format!("Changed <b>{}", kit::ids::row_id());
    let change = json!({ "tagline": tagline });
    let path = format!("/games/{}", studio.game);
    let changed = patch(&studio.live, &path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let after = eventually("the change on the page", async || {
        let request = http.get(&url).header(IF_NONE_MATCH, &tag);
        let page = request.send().await.unwrap();
        (page.status() == StatusCode::OK).then_some(page)
    })
    .await;
    assert_ne!(after.headers()[ETAG], tag);
    let text = after.text().await.unwrap();
    assert!(text.contains(&escaped(&tagline)), "{text}");
}

#[tokio::test]
async fn addresses_of_sample_listings_lead_to_pages_that_say_so() {
    let (fleet, http) = (Fleet::shared(), Client::new());
    for list in ["/games", "/creators", "/events?when=all"] {
        let rows = sample(&fleet).all(list, 100).await;
        let url = rows[0]["url"].as_str().unwrap();
        let page = check(&http, url, "test keys read").await;
        assert!(
            page.contains("<meta name=\"robots\" content=\"noindex\">"),
            "{url}"
        );
    }
}
