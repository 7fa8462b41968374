//! A call with a minimum position waits for that position, up to a limit. Then another replica is tried; if there is none, the call is answered from
//! an older state.

use std::sync::Arc;
use std::time::Duration;

use catalogue::index::{Catalogue, IndexWriter};
use catalogue::service::Reads;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::site_service_server::SiteService as _;
use contracts::catalogue::v1::{
    DrawGamesRequest, GetGameRequest, GetGameResponse, ListNewGamesRequest, ListSitemapRequest,
};
use contracts::common::v1::{Change, Mode, Position};
use contracts::public;
use kit::rpc::retry;
use kit::{Code, Fault};
use tonic::Request;
use uuid::Uuid;

use super::parse;
use crate::build::{EPOCH, entity, game, game_change, page, page_change, reads, writer};

async fn get(games: &Reads, epoch: &str, seq: i64) -> Result<GetGameResponse, Fault> {
    let request = GetGameRequest {
        mode: Mode::Live.into(),
        slug: "game-1".to_owned(),
        at_least: Some(Position { epoch: epoch.to_owned(), seq }),
    };
    Ok(games.get_game(Request::new(request)).await?.into_inner())
}

/// Longer than any test runs.
const FOREVER: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_call_waits_for_its_minimum_position() {
    let mut writer = writer(&[page_change(&page(0))]);
    let catalogue = Arc::new(Catalogue::new(FOREVER));
    let games = reads(Arc::clone(&catalogue));
    let epoch = EPOCH.to_string();
    let call = get(&games, &epoch, 3);
    tokio::pin!(call);

    // The call waits even before the first snapshot.
    assert!(futures::poll!(call.as_mut()).is_pending());
    catalogue.publish(writer.snapshot());
    assert!(futures::poll!(call.as_mut()).is_pending());
    writer.flush(2).unwrap();
    catalogue.publish(writer.snapshot());
    assert!(futures::poll!(call.as_mut()).is_pending());
    writer.apply(entity(&game_change(&game(1))));
    writer.flush(3).unwrap();
    catalogue.publish(writer.snapshot());
    let response = call.await.unwrap();
    let game: public::Game = parse(&response.json);
    assert_eq!(game.row.slug, "game-1");
    assert_eq!(response.position.unwrap().seq, 3);
}

#[tokio::test]
async fn a_call_waits_only_when_it_must() {
    let catalogue = Arc::new(Catalogue::new(FOREVER));
    catalogue.publish(writer(&[page_change(&page(0)), game_change(&game(1))]).snapshot());
    let games = reads(Arc::clone(&catalogue));
    let (present, former) = (EPOCH.to_string(), Uuid::from_u128(7).to_string());
    let newer = kit::ids::row_id().to_string();
    let is_answered = async |epoch, seq| {
        let call = get(&games, epoch, seq);
        tokio::pin!(call);
        futures::poll!(call.as_mut()).is_ready()
    };
    for (epoch, seq, is_there) in [
        (&*present, 1, true),
        (&*present, 2, true),
        (&*present, 3, false),
        (&*newer, 1, false),
        (&*former, 1, true),
        ("no epoch", 1, true),
    ] {
        assert_eq!(is_answered(epoch, seq).await, is_there, "{epoch} {seq}");
    }
    catalogue.begin_rebuild();
    assert!(is_answered(&newer, 1).await, "a rebuild takes minutes");
    assert!(!is_answered(&present, 3).await);
}

/// After a promotion the position has the new epoch before the replicas see it. A small catalogue is soon rebuilt.
#[tokio::test]
async fn a_call_waits_for_a_new_epoch() {
    let changes = [page_change(&page(0)), game_change(&game(1))];
    let catalogue = Arc::new(Catalogue::new(FOREVER));
    catalogue.publish(writer(&changes).snapshot());
    let games = reads(Arc::clone(&catalogue));
    let epoch = kit::ids::row_id();
    let promoted = epoch.to_string();
    let call = get(&games, &promoted, 2);
    tokio::pin!(call);

    assert!(futures::poll!(call.as_mut()).is_pending());
    catalogue.begin_rebuild();
    assert!(futures::poll!(call.as_mut()).is_pending());
    let position = kit::feed::Position { epoch, seq: 2 };
    let mut entities = IndexWriter::new(position);
    for change in &changes {
        entities.store(entity(change));
    }
    let rebuilt = entities.index_all(position).unwrap();
    catalogue.publish(rebuilt.snapshot());
    assert_eq!(call.await.unwrap().position.unwrap().epoch, promoted);
}

/// Reads of a replica that waits one millisecond at most.
fn impatient(changes: &[Change]) -> Reads {
    let catalogue = Arc::new(Catalogue::new(Duration::from_millis(1)));
    catalogue.publish(writer(changes).snapshot());
    reads(catalogue)
}

#[tokio::test]
async fn a_retried_call_is_answered_from_an_older_state() {
    let catalogue = Arc::new(Catalogue::new(Duration::from_millis(1)));
    let games = reads(Arc::clone(&catalogue));
    let epoch = EPOCH.to_string();
    let answer = async |is_retry| {
        let answer = retry::scope(is_retry, get(&games, &epoch, 3)).await;
        answer.map(|answer| answer.position.unwrap().seq).map_err(|fault| fault.code)
    };
    assert_eq!(answer(true).await, Err(Code::Unavailable));
    assert_eq!(answer(false).await, Err(Code::Unavailable));
    let mut writer = writer(&[page_change(&page(0)), game_change(&game(1))]);
    catalogue.publish(writer.snapshot());
    assert_eq!(answer(false).await, Err(Code::Unavailable));
    assert_eq!(answer(true).await, Ok(2));
    writer.flush(3).unwrap();
    catalogue.publish(writer.snapshot());
    assert_eq!(answer(false).await, Ok(3));
}

#[tokio::test]
async fn reads_of_the_site_are_not_answered_from_an_older_state() {
    let site = impatient(&[page_change(&page(0)), game_change(&game(1))]);
    for (seq, expected) in [(2, None), (3, Some(tonic::Code::Unavailable))] {
        let at_least = Some(Position { epoch: EPOCH.to_string(), seq });
        let sitemap = site.list_sitemap(Request::new(ListSitemapRequest {
            kind: "games".to_owned(),
            at_least: at_least.clone(),
            cursor: String::new(),
        }));
        let games = site.list_new_games(Request::new(ListNewGamesRequest {
            limit: 1,
            at_least: at_least.clone(),
        }));
        let drawn = site.draw_games(Request::new(DrawGamesRequest { seed: 1, limit: 1, at_least }));
        let (sitemap, games, drawn) = tokio::join!(sitemap, games, drawn);
        let errors = [sitemap.err(), games.err(), drawn.err()];
        let codes = errors.map(|it| it.map(|it| it.code()));
        assert_eq!(codes, [expected; 3], "{seq}");
    }
}
