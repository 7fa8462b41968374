//! Games: pages, filters, and errors.

use std::sync::Arc;

use catalogue::service::Reads;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::common::v1::{Mode, PageRequest};
use contracts::listings::v1 as listings;
use contracts::public;
use kit::{Code, Fault};
use tonic::Request;

use super::{catalogue, parse};
use crate::build::{game, game_change, id, page, page_change, reads};

/// Thirty live games, a third of them puzzles, and one sample.
fn games() -> Reads {
    let mut changes = vec![
        page_change(&page(0)),
        page_change(&listings::Page { mode: Mode::Test.into(), ..page(1) }),
        game_change(&listings::Game { mode: Mode::Test.into(), page_id: id(1), ..game(100) }),
    ];
    changes.extend((0..30).map(|number| {
        let mut game = game(number);
        if number % 3 == 0 {
            game.genres = vec!["puzzle".to_owned()];
        }
        if number == 7 {
            game.description = "Long \"words\"".to_owned();
            game.links.insert("steam".to_owned(), "https://steam.example".to_owned());
            // No creator, a public one, one of the sample data, and one that does not exist.
            for handle in [None, Some("maker-0"), Some("maker-1"), Some("maker-9")] {
                game.credits.push(listings::Credit {
                    handle: handle.map(ToOwned::to_owned),
                    name: "Wanjiru".to_owned(),
                    role: "art".to_owned(),
                });
            }
        }
        game_change(&game)
    }));
    reads(catalogue(&changes))
}

fn live() -> ListGamesRequest {
    ListGamesRequest { mode: Mode::Live.into(), ..ListGamesRequest::default() }
}

async fn list(games: &Reads, request: ListGamesRequest) -> Result<ListGamesResponse, Fault> {
    let response = games.list_games(Request::new(request)).await?;
    Ok(response.into_inner())
}

fn rows(response: &ListGamesResponse) -> Vec<public::GameRow> {
    parse(&response.json)
}

fn slugs(response: &ListGamesResponse) -> Vec<String> {
    rows(response).into_iter().map(|row| row.slug).collect()
}

async fn get(games: &Reads, mode: Mode, slug: &str) -> Result<GetGameResponse, Fault> {
    let request = GetGameRequest { mode: mode.into(), slug: slug.to_owned(), at_least: None };
    Ok(games.get_game(Request::new(request)).await?.into_inner())
}

#[tokio::test]
async fn a_page_has_twenty_rows_by_default() {
    let games = games();
    let response = list(&games, live()).await.unwrap();
    assert_eq!(slugs(&response).len(), 20);
    assert_eq!(slugs(&response)[0], "game-29");
    assert_eq!(response.position.unwrap().seq, 33);
    let page = response.page.unwrap();
    assert_eq!(page.total, 30);

    let mut next = live();
    next.page = Some(PageRequest { limit: 10, cursor: page.next_cursor.unwrap() });
    let response = list(&games, next).await.unwrap();
    assert_eq!(slugs(&response).len(), 10);
    assert_eq!(slugs(&response)[9], "game-0");
    // The last page is full; the list still ends there.
    assert_eq!(response.page.unwrap().next_cursor, None);
}

#[tokio::test]
async fn all_bad_fields_are_named_at_once() {
    let request = ListGamesRequest {
        mode: Mode::Live.into(),
        page: Some(PageRequest { limit: 101, cursor: "made-up".to_owned() }),
        genre: Some("chess".to_owned()),
        platform: Some("amiga".to_owned()),
        country: Some("FR".to_owned()),
        stage: Some("Released".to_owned()),
        ..ListGamesRequest::default()
    };
    let fault = list(&games(), request).await.unwrap_err();
    assert_eq!(fault.code, Code::Invalid);
    let named: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(named, ["country", "cursor", "genre", "limit", "platform", "stage"]);
    for (field, accepted) in [
        ("country", "KE, KM"),
        ("genre", "puzzle, racing"),
        ("platform", "web, android"),
        ("stage", "in_development, early_access, released"),
        ("limit", "1 to 100"),
    ] {
        assert!(fault.fields[field].contains(accepted), "{:?}", fault.fields);
    }
}

#[tokio::test]
async fn only_the_first_ten_words_of_q_count() {
    let games = games();
    let page = async |q: &str, cursor: String| {
        let request = ListGamesRequest {
            q: Some(q.to_owned()),
            page: Some(PageRequest { limit: 20, cursor }),
            ..live()
        };
        list(&games, request).await.unwrap().page.unwrap()
    };
    let ten = "g ga gam game m ma mak make maker 0";
    // A repeated word is not counted again.
    for q in [ten, &format!("G {ten} zebra"), &format!("{ten} zebra lute")] {
        let first = page(q, String::new()).await;
        assert_eq!(first.total, 30, "{q}");
        // The next page accepts `q` without the ignored words.
        assert_eq!(page(ten, first.next_cursor.unwrap()).await.next_cursor, None);
    }
    assert_eq!(page(&format!("zebra {ten}"), String::new()).await.total, 0);
}

#[tokio::test]
async fn updated_since_accepts_every_spelling_of_a_time() {
    let games = games();
    let since = |text: &str| ListGamesRequest { updated_since: Some(text.to_owned()), ..live() };
    // Each game was updated when it was listed.
    for (text, count) in
        [("1970-01-01", 30), ("1970-01-01T00:00:28.5Z", 1), ("1970-01-01T01:00:25+01:00", 5)]
    {
        let response = list(&games, since(text)).await.unwrap();
        assert_eq!(response.page.unwrap().total, count, "{text}");
    }
    // The cursor is bound to the moment, not to its spelling.
    let first = list(&games, since("1970-01-01T00:00:05Z")).await.unwrap();
    let page = Some(PageRequest { limit: 20, cursor: first.page.unwrap().next_cursor.unwrap() });
    for (text, is_same) in [("1970-01-01T00:00:05.000+00:00", true), ("1970-01-01", false)] {
        let page = page.clone();
        let rest = list(&games, ListGamesRequest { page, ..since(text) }).await;
        let fields = rest.err().map(|fault| fault.fields.into_keys().collect::<Vec<_>>());
        let expected = (!is_same).then(|| vec!["cursor".to_owned()]);
        assert_eq!(fields, expected, "{text}");
    }
    // A time in the future is rejected: a caller whose clock is fast would get an empty list, as if nothing had changed.
    for bad in ["yesterday", "2026-02-30", "1970-01-01 00:00:00", "2999-01-01"] {
        let fault = list(&games, since(bad)).await.unwrap_err();
        assert!(fault.fields.contains_key("updated_since"), "{bad}");
    }
}

#[tokio::test]
async fn an_empty_parameter_counts_as_absent() {
    let empty = || Some(String::new());
    let request = ListGamesRequest {
        genre: empty(),
        platform: empty(),
        country: empty(),
        stage: empty(),
        creator: empty(),
        // Spaces are no word to search for.
        q: Some("  ".to_owned()),
        updated_since: empty(),
        ..live()
    };
    let games = games();
    let response = list(&games, request.clone()).await.unwrap();
    let page = response.page.unwrap();
    assert_eq!(page.total, 30);
    // A cursor of the one list is valid for the other.
    let next = ListGamesRequest {
        page: Some(PageRequest { limit: 0, cursor: page.next_cursor.unwrap() }),
        ..live()
    };
    assert_eq!(slugs(&list(&games, next).await.unwrap()).len(), 10);
}

#[tokio::test]
async fn a_cursor_does_not_depend_on_how_the_words_are_written() {
    let games = games();
    let mut request = live();
    request.q = Some("Game  MAKER".to_owned());
    let page = list(&games, request.clone()).await.unwrap().page.unwrap();
    request.page = Some(PageRequest { limit: 0, cursor: page.next_cursor.unwrap() });
    for q in ["game maker", "máker game"] {
        request.q = Some(q.to_owned());
        let rest = list(&games, request.clone()).await.unwrap();
        assert_eq!(slugs(&rest).len(), 10, "{q}");
    }
    request.q = Some("game make".to_owned());
    assert!(list(&games, request).await.is_err());
}

#[tokio::test]
async fn a_cursor_belongs_to_its_filters_but_not_to_its_limit() {
    let games = games();
    let mut request = live();
    request.genre = Some("puzzle".to_owned());
    request.page = Some(PageRequest { limit: 3, cursor: String::new() });
    let first = list(&games, request.clone()).await.unwrap();
    let cursor = first.page.unwrap().next_cursor.unwrap();
    request.page = Some(PageRequest { limit: 100, cursor });
    let rest = list(&games, request.clone()).await.unwrap();
    assert_eq!(slugs(&rest).len(), 7);

    for change in [
        |request: &mut ListGamesRequest| request.genre = None,
        |request: &mut ListGamesRequest| request.creator = Some("maker-0".to_owned()),
        |request: &mut ListGamesRequest| request.q = Some("game".to_owned()),
        |request: &mut ListGamesRequest| request.mode = Mode::Test.into(),
    ] {
        let mut elsewhere = request.clone();
        change(&mut elsewhere);
        let fault = list(&games, elsewhere).await.unwrap_err();
        assert!(fault.fields.contains_key("cursor"), "{fault:?}");
    }
}

#[tokio::test]
async fn a_game_has_all_fields_and_is_read_only_from_its_dataset() {
    let games = games();
    let json = get(&games, Mode::Live, "game-7").await.unwrap();
    let game: public::Game = parse(&json.json);
    assert_eq!(game.row.slug, "game-7");
    assert_eq!(game.description, "Long \"words\"");
    assert_eq!(game.links["steam"], "https://steam.example");
    assert_eq!(game.credits[0].name, "Wanjiru");
    // Only a public creator is linked from a credit.
    let handles: Vec<Option<&str>> =
        game.credits.iter().map(|credit| credit.handle.as_deref()).collect();
    assert_eq!(handles, [None, Some("maker-0"), None, None]);
    assert!(json.position.is_some());

    for (mode, slug, hint) in [
        (Mode::Live, "game-100", "Sample games"),
        (Mode::Test, "game-7", "sample games only"),
        (Mode::Live, "", "slug"),
    ] {
        let fault = get(&games, mode, slug).await.unwrap_err();
        assert_eq!(fault.code, Code::NotFound);
        assert!(fault.message.contains(hint), "{fault}");
    }
    assert!(get(&games, Mode::Test, "game-100").await.is_ok());
    let fault = get(&games, Mode::Unspecified, "game-7").await.unwrap_err();
    assert!(fault.fields.contains_key("mode"));
}

#[tokio::test]
async fn an_empty_replica_is_unavailable() {
    let games = reads(Arc::default());
    let fault = list(&games, live()).await.unwrap_err();
    assert_eq!(fault.code, Code::Unavailable);
    assert!(fault.retry_after.is_some());
}
