//! Changes: what is told of a listing, in which order, and which cursors are refused.

use std::sync::Arc;
use std::time::Duration;

use catalogue::domain::changes::MirrorCursor;
use catalogue::index::{Catalogue, IndexWriter};
use contracts::catalogue::v1::changes_service_server::ChangesService as _;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::{ListChangesRequest, ListChangesResponse, ListGamesRequest};
use contracts::common::v1::{Change, Mode, PageRequest, Position};
use contracts::listings::v1::{self as listings, State};
use contracts::public::{ChangedRow, GameRow, ListingChange, SearchAddress};
use futures::FutureExt as _;
use kit::cursor::Binding;
use kit::{Code, Fault, feed};
use tonic::Request;
use uuid::Uuid;

use super::parse;
use crate::build::{
    EPOCH, at, entity, event, event_change, game, game_change, id, page, page_change, reads,
};

/// A replica that follows.
struct Replica {
    writer: IndexWriter,
    catalogue: Arc<Catalogue>,
    seq: i64,
}

impl Replica {
    fn new(changes: &[Change]) -> Self {
        let position = feed::Position {
            epoch: EPOCH,
            seq: 0,
        };
        let mut replica = Self {
            writer: IndexWriter::new(position, 4),
            catalogue: Arc::new(Catalogue::new(Duration::from_millis(1))),
            seq: 0,
        };
        for change in changes {
            replica.follow(change);
        }
        replica
    }

    fn follow(&mut self, change: &Change) {
        self.seq += 1;
        let seq = self.seq;
        self.writer.apply(entity(&Change {
            seq,
            ..change.clone()
        }));
        self.writer.flush(seq).unwrap();
        self.catalogue.publish(self.writer.snapshot());
    }

    async fn list(&self, request: ListChangesRequest) -> Result<ListChangesResponse, Fault> {
        let changes = reads(Arc::clone(&self.catalogue));
        let response = changes.list_changes(Request::new(request)).await?;
        Ok(response.into_inner())
    }

    async fn after(&self, cursor: &str) -> ListChangesResponse {
        self.list(live(cursor, 100)).await.unwrap()
    }

    /// What is told after `cursor`, and the cursor that stands behind.
    async fn told(&self, cursor: &str) -> (Vec<String>, String) {
        let response = self.after(cursor).await;
        let told = changes(&response).iter().map(said).collect();
        (told, response.page.unwrap().next_cursor.unwrap())
    }
}

/// The games that a caller gets that polls with `updated_since`.
async fn polled(replica: &Replica, updated_since: &str) -> Vec<String> {
    let request = ListGamesRequest {
        mode: Mode::Live.into(),
        updated_since: Some(updated_since.to_owned()),
        ..ListGamesRequest::default()
    };
    let games = reads(Arc::clone(&replica.catalogue));
    let response = games.list_games(Request::new(request)).await.unwrap();
    let rows: Vec<GameRow> = parse(&response.into_inner().json);
    rows.into_iter().map(|row| row.slug).collect()
}

fn live(cursor: &str, limit: u32) -> ListChangesRequest {
    ListChangesRequest {
        mode: Mode::Live.into(),
        page: Some(PageRequest {
            limit,
            cursor: cursor.to_owned(),
        }),
        ..ListChangesRequest::default()
    }
}

fn changes(response: &ListChangesResponse) -> Vec<ListingChange> {
    parse(&response.json)
}

fn said(change: &ListingChange) -> String {
    let (SearchAddress::Slug(name) | SearchAddress::Handle(name)) = &change.address;
    assert_eq!(change.row.is_none(), change.change == "removed");
    format!("{} {} {name}", change.change, change.kind)
}

fn of_page(change: impl FnOnce(&mut listings::Page)) -> Change {
    let mut page = page(0);
    change(&mut page);
    page_change(&page)
}

fn of_game(number: u32, change: impl FnOnce(&mut listings::Game)) -> Change {
    let mut game = game(number);
    change(&mut game);
    game_change(&game)
}

#[tokio::test]
async fn a_mirror_begins_with_what_is_public_and_hears_of_what_happens() {
    let mut replica = Replica::new(&[
        game_change(&game(2)),
        of_game(3, |game| game.state = State::Removed.into()),
        of_game(4, |game| game.state = State::Pending.into()),
        event_change(&event(5)),
        page_change(&page(0)),
        game_change(&game(1)),
    ]);
    let (told, cursor) = replica.told("").await;
    // Game 2 was there first, and became public with its page.
    let expected = [
        "published events event-5",
        "published creators maker-0",
        "published games game-2",
        "published games game-1",
    ];
    assert_eq!(told, expected);
    assert_eq!(replica.told(&cursor).await, (vec![], cursor.clone()));

    // What waits is not spoken of, before and after it is changed.
    replica.follow(&of_game(4, |game| {
        game.state = State::Pending.into();
        game.title = "Still secret".to_owned();
    }));
    let (told, cursor) = replica.told(&cursor).await;
    assert!(told.is_empty(), "{told:?}");
    replica.follow(&game_change(&game(4)));
    replica.follow(&of_game(1, |game| game.updated_at = Some(at(90))));
    replica.follow(&of_game(2, |game| game.state = State::Removed.into()));
    replica.follow(&event_change(&listings::Event {
        state: State::Removed.into(),
        ..event(5)
    }));
    let (told, cursor) = replica.told(&cursor).await;
    let expected = [
        "published games game-4",
        "updated games game-1",
        "removed games game-2",
        "removed events event-5",
    ];
    assert_eq!(told, expected);

    // What changed twice is told once, as it is now; what was taken down comes back.
    replica.follow(&of_game(1, |game| game.updated_at = Some(at(91))));
    replica.follow(&event_change(&event(5)));
    replica.follow(&of_game(1, |game| game.updated_at = Some(at(92))));
    let (told, _) = replica.told(&cursor).await;
    assert_eq!(told, ["published events event-5", "updated games game-1"]);

    // A mirror that begins now hears nothing of what is gone.
    let response = replica.after("").await;
    assert_eq!(changes(&response).len(), 4);
    assert_eq!(response.page.unwrap().total, 4);
}

/// Of two writes, the one that began first is committed last: it is older than what a caller has seen already. A time that is set back
/// finds it, and so does the list of changes, by its place in the feed.
#[tokio::test]
async fn a_change_that_is_committed_late_is_found_by_the_time_of_its_beginning() {
    let edited = |number, seconds| of_game(number, |game| game.updated_at = Some(at(seconds)));
    let first = [of_page(|_| {}), of_game(1, |_| {}), of_game(2, |_| {})];
    let mut replica = Replica::new(&first);
    let (_, cursor) = replica.told("").await;

    replica.follow(&edited(2, 120));
    assert_eq!(polled(&replica, "1970-01-01T00:02:00Z").await, ["game-2"]);
    replica.follow(&edited(1, 100));
    assert_eq!(polled(&replica, "1970-01-01T00:02:00Z").await, ["game-2"]);
    for set_back in ["1970-01-01T00:01:40Z", "1970-01-01T00:01:00Z"] {
        let found = polled(&replica, set_back).await;
        assert_eq!(found, ["game-2", "game-1"], "{set_back}");
    }
    let (told, _) = replica.told(&cursor).await;
    assert_eq!(told, ["updated games game-2", "updated games game-1"]);
}

#[tokio::test]
async fn the_games_of_a_creator_change_with_it() {
    let mut replica = Replica::new(&[
        page_change(&page(0)),
        page_change(&page(1)),
        game_change(&game(1)),
        of_game(2, |game| game.page_id = id(1)),
        of_game(3, |game| game.state = State::Pending.into()),
    ]);
    let (_, cursor) = replica.told("").await;
    replica.follow(&of_page(|page| {
        page.city = "Mombasa".to_owned();
        page.updated_at = Some(at(90));
    }));
    let response = replica.after(&cursor).await;
    let changes = changes(&response);
    let told: Vec<String> = changes.iter().map(said).collect();
    assert_eq!(told, ["updated creators maker-0", "updated games game-1"]);
    let Some(ChangedRow::Game(row)) = &changes[1].row else {
        panic!("a game has the row of a game");
    };
    assert_eq!(row.city, "Mombasa");
    let cursor = response.page.unwrap().next_cursor.unwrap();

    replica.follow(&of_page(|page| page.state = State::Removed.into()));
    let (told, cursor) = replica.told(&cursor).await;
    assert_eq!(told, ["removed creators maker-0", "removed games game-1"]);
    replica.follow(&page_change(&page(0)));
    let (told, _) = replica.told(&cursor).await;
    assert_eq!(
        told,
        ["published creators maker-0", "published games game-1"]
    );
}

#[tokio::test]
async fn one_change_of_many_listings_is_read_page_by_page() {
    let mut changes: Vec<Change> = (1..9).map(|n| game_change(&game(n))).collect();
    changes.push(page_change(&page(0)));
    let replica = Replica::new(&changes);
    let (mut told, mut cursor) = (Vec::new(), String::new());
    for _ in 0..5 {
        let response = replica.list(live(&cursor, 2)).await.unwrap();
        told.extend(self::changes(&response).iter().map(said));
        cursor = response.page.unwrap().next_cursor.unwrap();
    }
    let mut expected = vec!["published creators maker-0".to_owned()];
    expected.extend((1..9).map(|n| format!("published games game-{n}")));
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_cursor_that_is_not_one_is_refused() {
    let replica = Replica::new(&[page_change(&page(0))]);
    let (_, of_live) = replica.told("").await;
    let samples = ListChangesRequest {
        mode: Mode::Test.into(),
        ..live(&of_live, 0)
    };
    for request in [live("made-up", 0), samples, live("", 101)] {
        let fault = replica.list(request).await.unwrap_err();
        assert_eq!(fault.code, Code::Invalid, "{fault}");
    }
}

#[tokio::test]
async fn after_a_restore_a_mirror_is_told_to_start_again() {
    let replica = Replica::new(&[page_change(&page(0))]);
    let (_, cursor) = replica.told("").await;
    let mut restored = Replica::new(&[page_change(&page(0))]);
    let epoch = Uuid::from_u128(0xe1);
    restored.writer.set_epoch(epoch);
    restored.follow(&game_change(&game(1)));
    let fault = restored.list(live(&cursor, 0)).await.unwrap_err();
    assert_eq!(fault.code, Code::Gone);
    assert!(fault.message.contains("Start again"), "{fault}");

    // The other way round it is the replica that has not heard of the restore yet.
    let (_, newer) = restored.told("").await;
    let mut request = live(&newer, 0);
    request.at_least = Some(Position {
        epoch: epoch.to_string(),
        seq: 2,
    });
    let fault = replica.list(request).await.unwrap_err();
    assert_eq!(fault.code, Code::Unavailable);
    assert!(fault.retry_after.is_some());
}

#[tokio::test]
async fn a_cursor_ahead_of_the_newest_change_is_refused_at_once() {
    let mut replica = Replica::new(&[page_change(&page(0)), game_change(&game(1))]);
    // Nobody waits for so long.
    replica.catalogue = Arc::new(Catalogue::new(Duration::from_hours(24)));
    replica.catalogue.publish(replica.writer.snapshot());
    let at_least = Some(Position {
        epoch: EPOCH.to_string(),
        seq: 2,
    });
    let edited = |began_at, seq| {
        let cursor = MirrorCursor {
            epoch: EPOCH,
            began_at,
            seq,
            listing: None,
        };
        let binding = Binding::new("changes", [Some("live")]);
        binding.encode(&cursor).unwrap()
    };
    for cursor in [edited(2, 3), edited(3, 2), edited(0, i64::MAX)] {
        let request = ListChangesRequest {
            at_least: at_least.clone(),
            ..live(&cursor, 0)
        };
        let fault = replica.list(request).now_or_never().unwrap().unwrap_err();
        assert_eq!(fault.code, Code::Invalid, "{fault}");
        assert!(fault.fields.contains_key("cursor"), "{fault}");
        // While the newest change is not known, the answer waits for no cursor either.
        let fault = replica.list(live(&cursor, 0)).now_or_never();
        assert_eq!(fault.unwrap().unwrap_err().code, Code::Unavailable);
    }
    for cursor in [edited(2, 2), edited(i64::MIN, i64::MIN)] {
        let request = ListChangesRequest {
            at_least: at_least.clone(),
            ..live(&cursor, 0)
        };
        let listed = replica.list(request).now_or_never().unwrap();
        assert!(listed.is_ok(), "{listed:?}");
    }
}

#[tokio::test]
async fn a_replica_that_is_behind_the_cursor_does_not_answer_from_the_past() {
    let changes = [
        page_change(&page(0)),
        game_change(&game(1)),
        of_game(1, |game| game.state = State::Removed.into()),
    ];
    let mut behind = Replica::new(&changes[..2]);
    let (told, cursor) = Replica::new(&changes).told("").await;
    assert_eq!(told, ["published creators maker-0"]);
    // It would tell of the game, whose removal this mirror, which began later, is never told.
    let request = ListChangesRequest {
        at_least: Some(Position {
            epoch: EPOCH.to_string(),
            seq: 3,
        }),
        ..live(&cursor, 0)
    };
    let fault = behind.list(request).await.unwrap_err();
    assert_eq!(fault.code, Code::Unavailable);
    behind.follow(&changes[2]);
    assert_eq!(behind.told(&cursor).await.0, [""; 0]);
}
