//! GET /search: ranking, typos, and errors.

use catalogue::service::Reads;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::search_service_server::SearchService as _;
use contracts::catalogue::v1::{ListGamesRequest, SearchRequest, SearchResponse};
use contracts::common::v1::Mode;
use contracts::listings::v1 as listings;
use contracts::public::{SearchAddress, SearchResult};
use kit::Fault;
use tonic::Request;

use super::{catalogue, parse};
use crate::build::{
    event, event_change, game, game_change, id, keep_busy, one_blocking_thread, page, page_change,
    reads,
};

/// Every listing matches `kora` in one of its fields.
fn searches() -> Reads {
    let maker = listings::Page {
        name: "Kora Works".to_owned(),
        city: "Kora".to_owned(),
        city_slug: "kora-ke".to_owned(),
        avatar_url: Some("https://img.example/a.png".to_owned()),
        ..page(0)
    };
    let other = listings::Page { tagline: "We tune koras".to_owned(), ..page(1) };
    let titled =
        listings::Game { title: "The Kora".to_owned(), tagline: "A game".to_owned(), ..game(1) };
    let pitched = listings::Game { tagline: "With a kora".to_owned(), page_id: id(1), ..game(2) };
    let festival = listings::Event { title: "Kora night".to_owned(), ..event(1) };
    reads(catalogue(&[
        page_change(&maker),
        page_change(&other),
        game_change(&titled),
        game_change(&pitched),
        game_change(&game(3)),
        event_change(&festival),
    ]))
}

fn question(q: &str) -> SearchRequest {
    SearchRequest { mode: Mode::Live.into(), q: q.to_owned(), ..SearchRequest::default() }
}

async fn search(request: SearchRequest) -> Result<SearchResponse, Fault> {
    let response = searches().search(Request::new(request)).await?;
    Ok(response.into_inner())
}

async fn found(request: SearchRequest) -> Vec<(String, String)> {
    addresses(&search(request).await.unwrap())
}

fn results(response: &SearchResponse) -> Vec<SearchResult> {
    parse(&response.json)
}

fn addresses(response: &SearchResponse) -> Vec<(String, String)> {
    let pair = |result: SearchResult| match result.address {
        SearchAddress::Slug(slug) | SearchAddress::Handle(slug) => (result.kind, slug),
    };
    results(response).into_iter().map(pair).collect()
}

#[tokio::test]
async fn the_site_gets_the_totals_of_every_kind_and_the_pictures_of_rows() {
    let totals = |response: &SearchResponse| {
        let totals = response.totals.iter().map(|it| (it.kind.clone(), it.total));
        totals.collect::<Vec<_>>()
    };
    let all = [("games", 3), ("creators", 2), ("events", 1), ("cities", 1)];
    let all = all.map(|(kind, total)| (kind.to_owned(), total));
    let creators = SearchRequest {
        r#type: Some("creators".to_owned()),
        with_details: true,
        ..question("kora")
    };
    let found = search(creators.clone()).await.unwrap();
    assert_eq!(totals(&found), all);
    assert_eq!(found.picture_urls, ["https://img.example/a.png", ""]);
    assert_eq!(found.page.unwrap().total, 2);
    let of_country = SearchRequest { country: Some("KE".to_owned()), ..creators };
    assert_eq!(totals(&search(of_country).await.unwrap()), all);
    // The API's search returns neither totals nor pictures.
    let plain = search(question("kora")).await.unwrap();
    assert!(plain.totals.is_empty() && plain.picture_urls.is_empty());
}

/// The slugs and handles that a search finds among games with these titles, `game-1` and so on, by Maker 0 in Nairobi.
async fn found_among(titles: &[&str], q: &str, kind: Option<&str>) -> Vec<String> {
    let games = (1..).zip(titles).map(|(number, title)| {
        game_change(&listings::Game { title: (*title).to_owned(), ..game(number) })
    });
    let changes: Vec<_> = [page_change(&page(0))].into_iter().chain(games).collect();
    let searches = reads(catalogue(&changes));
    let request = SearchRequest { r#type: kind.map(Into::into), ..question(q) };
    let response = searches.search(Request::new(request)).await.unwrap();
    let found = addresses(response.get_ref()).into_iter();
    found.map(|(_, address)| address).collect()
}

#[tokio::test]
async fn typos_are_corrected_by_the_words_of_all_kinds() {
    let titles = ["Nairoby"];
    assert_eq!(found_among(&titles, "nairobi", None).await, ["nairobi", "maker-0"]);
    // A filter hides results and does not change which words are corrected.
    assert_eq!(found_among(&titles, "nairobi", Some("games")).await, [""; 0]);
    assert_eq!(found_among(&titles, "nairobt", Some("games")).await, ["game-1"]);
}

/// Correcting typos takes up to tens of milliseconds.
#[test]
fn typos_are_corrected_on_the_blocking_pool() {
    one_blocking_thread().block_on(async {
        let busy = keep_busy();
        let mut exact = std::pin::pin!(search(question("kora")));
        assert!(futures::poll!(&mut exact).is_ready());
        let mut found = std::pin::pin!(search(question("koraa")));
        assert!(futures::poll!(&mut found).is_pending());
        let reads = searches();
        let list = ListGamesRequest {
            mode: Mode::Live.into(),
            q: Some("koraa".to_owned()),
            ..ListGamesRequest::default()
        };
        let mut listed = reads.list_games(Request::new(list));
        assert!(futures::poll!(&mut listed).is_pending());
        drop(busy);
        assert!(found.await.unwrap().similar);
        assert_eq!(listed.await.unwrap().into_inner().page.unwrap().total, 3);
    });
}

#[tokio::test]
async fn a_typo_matches_only_the_nearest_words() {
    let titles = ["Savannas", "Savannahs run", "Savannah"];
    // One edit from `savannah`, and from a prefix of `savannahs`.
    assert_eq!(found_among(&titles, "savanah", None).await, ["game-3", "game-2"]);
    assert_eq!(found_among(&titles, "savanas", None).await, ["game-1"]);
    // No word is one edit away; `savannah` is two.
    assert_eq!(found_among(&titles, "zavanaah", None).await, ["game-3"]);
}

/// A word that begins a word of a listing is no typo, also when no listing has it together with the other words.
#[tokio::test]
async fn a_known_word_is_not_corrected() {
    let titles = ["Mario kart", "Maroon"];
    assert_eq!(found_among(&titles, "maro", None).await, ["game-2"]);
    assert_eq!(found_among(&titles, "maro kart", None).await, [""; 0]);
    assert_eq!(found_among(&titles, "maro zebra", None).await, [""; 0]);
    // A filter that hides the match does not make the word a typo.
    assert_eq!(found_among(&titles, "maroon", Some("creators")).await, [""; 0]);
}

#[tokio::test]
async fn results_have_the_urls_of_their_pages() {
    let results = results(&search(question("kora")).await.unwrap());
    let url = |address: &SearchAddress| {
        let result = results.iter().find(|result| result.address == *address);
        result.unwrap().url.clone()
    };
    assert_eq!(
        url(&SearchAddress::Slug("kora-ke".to_owned())),
        "https://mchezo.example/cities/kora-ke"
    );
    assert_eq!(
        url(&SearchAddress::Handle("maker-0".to_owned())),
        "https://mchezo.example/creators/maker-0"
    );
}

#[tokio::test]
async fn a_search_needs_a_query() {
    for q in ["", "  "] {
        let mut request = question(q);
        request.r#type = Some("people".to_owned());
        let fault = search(request).await.unwrap_err();
        let named: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
        assert_eq!(named, ["q", "type"]);
        assert!(fault.fields["type"].contains("games, creators, events, cities"));
    }
    // A `q` without words is valid and finds nothing.
    assert!(found(question("?!")).await.is_empty());
}

#[tokio::test]
async fn a_search_reports_when_it_corrected_words() {
    for (q, similar) in
        [("kora", false), ("kor night", false), ("koraa", true), ("kora nigth", true)]
    {
        let found = search(question(q)).await.unwrap();
        assert!(!results(&found).is_empty(), "{q}");
        assert_eq!(found.similar, similar, "{q}");
    }
}
