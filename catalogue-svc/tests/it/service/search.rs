//! One search: what comes before what, refusals.

use catalogue::service::Reads;
use contracts::catalogue::v1::search_service_server::SearchService as _;
use contracts::catalogue::v1::{SearchRequest, SearchResponse};
use contracts::common::v1::{Mode, PageRequest};
use contracts::listings::v1 as listings;
use contracts::public::{SearchAddress, SearchResult};
use kit::{Clock, Fault};
use time::macros::datetime;
use tonic::Request;

use super::{catalogue, parse};
use crate::build::{event, event_change, game, game_change, id, page, page_change, reads};

/// `kora` is in everything, somewhere.
fn searches() -> Reads {
    let maker = listings::Page {
        name: "Kora Works".to_owned(),
        city: "Kora".to_owned(),
        city_slug: "kora-ke".to_owned(),
        avatar_url: Some("https://img.example/a.png".to_owned()),
        ..page(0)
    };
    let other = listings::Page {
        tagline: "We tune koras".to_owned(),
        ..page(1)
    };
    let titled = listings::Game {
        title: "The Kora".to_owned(),
        tagline: "A game".to_owned(),
        ..game(1)
    };
    let pitched = listings::Game {
        tagline: "With a kora".to_owned(),
        page_id: id(1),
        ..game(2)
    };
    let festival = listings::Event {
        title: "Kora night".to_owned(),
        ..event(1)
    };
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
    SearchRequest {
        mode: Mode::Live.into(),
        q: q.to_owned(),
        ..SearchRequest::default()
    }
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
async fn a_title_comes_before_a_pitch_before_the_rest() {
    let pairs = found(question("KORA")).await;
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(kind, slug)| (&**kind, &**slug))
        .collect();
    assert_eq!(
        pairs,
        [
            // Its name is nothing but the word.
            ("cities", "kora-ke"),
            // Their names start with it.
            ("creators", "maker-0"),
            ("events", "event-1"),
            ("games", "game-1"),
            ("games", "game-2"),
            ("creators", "maker-1"),
            ("games", "game-3"),
        ]
    );
    // One word in the title and the other in the pitch: the pitch decides.
    assert_eq!(found(question("kora game")).await.len(), 3);
}

#[tokio::test]
async fn the_site_gets_the_totals_of_every_kind_and_the_pictures_of_rows() {
    let totals = |response: &SearchResponse| {
        let totals = response.totals.iter();
        let totals = totals.map(|it| (it.kind.clone(), it.total));
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
    let of_country = SearchRequest {
        country: Some("KE".to_owned()),
        ..creators
    };
    assert_eq!(totals(&search(of_country).await.unwrap()), all);
    // The API has none of this.
    let plain = search(question("kora")).await.unwrap();
    assert!(plain.totals.is_empty() && plain.picture_urls.is_empty());
}

/// Slugs and handles of what is found among games with these titles by Maker 0 in Nairobi, which are `game-1` and so on.
async fn found_among(titles: &[&str], q: &str, kind: Option<&str>) -> Vec<String> {
    let games = (1..).zip(titles).map(|(number, title)| {
        game_change(&listings::Game {
            title: (*title).to_owned(),
            ..game(number)
        })
    });
    let changes: Vec<_> = [page_change(&page(0))].into_iter().chain(games).collect();
    let searches = reads(catalogue(&changes));
    let request = SearchRequest {
        r#type: kind.map(Into::into),
        ..question(q)
    };
    let response = searches.search(Request::new(request)).await.unwrap();
    let found = addresses(response.get_ref()).into_iter();
    found.map(|(_, address)| address).collect()
}

#[tokio::test]
async fn typos_are_judged_against_the_words_of_everything() {
    let titles = ["Nairoby"];
    assert_eq!(
        found_among(&titles, "nairobi", None).await,
        ["nairobi", "maker-0"]
    );
    // A filter only leaves out.
    assert_eq!(
        found_among(&titles, "nairobi", Some("games")).await,
        [""; 0]
    );
    assert_eq!(
        found_among(&titles, "nairobt", Some("games")).await,
        ["game-1"]
    );
}

#[tokio::test]
async fn the_nearest_words_are_meant() {
    let titles = ["Savannas", "Savannahs run", "Savannah"];
    // One edit from a word, and from what another begins with.
    assert_eq!(
        found_among(&titles, "savanah", None).await,
        ["game-3", "game-2"]
    );
    assert_eq!(found_among(&titles, "savanas", None).await, ["game-1"]);
    // Nothing is one edit away.
    assert_eq!(found_among(&titles, "zavanaah", None).await, ["game-3"]);
}

#[tokio::test]
async fn a_known_word_is_misspelled_when_nothing_has_all_words() {
    let titles = ["Mario kart", "Maroon"];
    assert_eq!(found_among(&titles, "maro", None).await, ["game-2"]);
    assert_eq!(found_among(&titles, "maro kart", None).await, ["game-1"]);
    assert_eq!(found_among(&titles, "maro zebra", None).await, [""; 0]);
    // Also with a filter that leaves out what has them.
    assert_eq!(
        found_among(&titles, "maroon", Some("creators")).await,
        [""; 0]
    );
}

#[tokio::test]
async fn better_places_whole_words_and_shorter_titles_come_first() {
    let titles = ["Makers of Lute", "Lutes", "The lute", "Lute"];
    assert_eq!(
        found_among(&titles, "lute", None).await,
        ["game-4", "game-3", "game-1", "game-2"]
    );
    // With the maker's name.
    assert_eq!(
        found_among(&titles, "lute maker", None).await,
        ["game-1", "game-4", "game-3", "game-2"]
    );
}

#[tokio::test]
async fn a_name_is_found_without_its_marks() {
    let titles = [
        "J.U.L.I.A.: Among the Stars",
        "8-Bit Kora",
        "Aurion: Legacy of the Kori-Odan",
        "10,000 Stones",
        "Spider-Man's Rock-n'Roll",
    ];
    for (q, slug) in [
        ("julia", "game-1"),
        ("JUL stars", "game-1"),
        ("J.U.L.I.A.", "game-1"),
        ("8bit kora", "game-2"),
        ("8-bit kora", "game-2"),
        ("koriodan", "game-3"),
        ("odan kori", "game-3"),
        ("10000", "game-4"),
        ("10,000", "game-4"),
        ("spidermans", "game-5"),
        ("mans", "game-5"),
        ("rocknroll", "game-5"),
        ("nroll", "game-5"),
    ] {
        assert_eq!(found_among(&titles, q, None).await, [slug], "{q}");
    }
    // It is a whole word, which is better than a beginning, although its title is longer.
    let titles = ["Julianne", "J.U.L.I.A."];
    assert_eq!(
        found_among(&titles, "julia", None).await,
        ["game-2", "game-1"]
    );
    assert_eq!(
        found_among(&titles, "juli", None).await,
        ["game-1", "game-2"]
    );
}

#[tokio::test]
async fn filters_narrow_and_pages_go_on() {
    let mut request = question("kora");
    request.r#type = Some("games".to_owned());
    request.country = Some("ke".to_owned());
    assert_eq!(found(request).await.len(), 3);

    let mut request = question("kora");
    let (mut addresses, mut cursor) = (Vec::new(), String::new());
    loop {
        request.page = Some(PageRequest { limit: 2, cursor });
        let response = search(request.clone()).await.unwrap();
        let found = results(&response).into_iter();
        addresses.extend(found.map(|result| result.address));
        let page = response.page.unwrap();
        assert_eq!(page.total, 7);
        match page.next_cursor {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!(addresses.len(), 7);
    addresses.dedup();
    assert_eq!(addresses.len(), 7);
}

#[tokio::test]
async fn results_say_where_their_pages_are() {
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
async fn a_search_needs_a_question() {
    for q in ["", "  "] {
        let mut request = question(q);
        request.r#type = Some("people".to_owned());
        let fault = search(request).await.unwrap_err();
        let named: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
        assert_eq!(named, ["q", "type"]);
        assert!(fault.fields["type"].contains("games, creators, events, cities"));
    }
    // Something is asked for, but no word.
    assert!(found(question("?!")).await.is_empty());
}

#[tokio::test]
async fn a_search_says_when_it_took_words_for_others() {
    for (q, similar) in [
        ("kora", false),
        ("kor night", false),
        ("koraa", true),
        ("kora nigth", true),
    ] {
        let found = search(question(q)).await.unwrap();
        assert!(!results(&found).is_empty(), "{q}");
        assert_eq!(found.similar, similar, "{q}");
    }
}

/// The slugs and first days of the events of a search on 1 March 2026.
async fn editions(request: SearchRequest) -> (Vec<(String, Option<String>)>, Option<String>) {
    let events = [
        (1, "2024-05-01", None),
        (2, "2025-05-01", None),
        (3, "2027-05-01", None),
        (4, "2026-05-01", None),
        // It is not over yet.
        (5, "2026-02-27", Some("2026-03-01")),
    ];
    let events = events.map(|(number, first, last)| {
        event_change(&listings::Event {
            title: "Kora night".to_owned(),
            starts_at: first.to_owned(),
            ends_at: last.map(str::to_owned),
            ..event(number)
        })
    });
    let searches = Reads {
        clock: Clock::fixed(datetime!(2026-03-01 12:00 UTC)),
        ..reads(catalogue(&events))
    };
    let response = searches.search(Request::new(request)).await.unwrap();
    let response = response.into_inner();
    let rows = results(&response).into_iter().map(|row| match row.address {
        SearchAddress::Slug(slug) | SearchAddress::Handle(slug) => (slug, row.starts_at),
    });
    (rows.collect(), response.page.unwrap().next_cursor)
}

#[tokio::test]
async fn the_next_edition_of_an_event_comes_first() {
    let day = |day: &str| Some(day.to_owned());
    let expected = [
        ("event-5".to_owned(), day("2026-02-27")),
        ("event-4".to_owned(), day("2026-05-01")),
        ("event-3".to_owned(), day("2027-05-01")),
        ("event-2".to_owned(), day("2025-05-01")),
        ("event-1".to_owned(), day("2024-05-01")),
    ];
    assert_eq!(editions(question("kora night")).await.0, expected);
    for limit in 1..5 {
        let (mut rows, mut cursor) = (Vec::new(), String::new());
        loop {
            let request = SearchRequest {
                page: Some(PageRequest { limit, cursor }),
                ..question("kora night")
            };
            let (found, next) = editions(request).await;
            rows.extend(found);
            match next {
                Some(next) => cursor = next,
                None => break,
            }
        }
        assert_eq!(rows, expected, "{limit}");
    }
}
