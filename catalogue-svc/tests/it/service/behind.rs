//! Calls that must see a change: they wait for it, but not for ever.

use std::sync::Arc;
use std::time::Duration;

use catalogue::index::Catalogue;
use catalogue::service::Reads;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::{GetGameRequest, GetGameResponse};
use contracts::common::v1::{Mode, Position};
use contracts::public;
use kit::{Code, Fault};
use tonic::Request;
use uuid::Uuid;

use super::parse;
use crate::build::{EPOCH, entity, game, game_change, page, page_change, reads, writer};

async fn get(games: &Reads, epoch: &str, seq: i64) -> Result<GetGameResponse, Fault> {
    let request = GetGameRequest {
        mode: Mode::Live.into(),
        slug: "game-1".to_owned(),
        at_least: Some(Position {
            epoch: epoch.to_owned(),
            seq,
        }),
    };
    Ok(games.get_game(Request::new(request)).await?.into_inner())
}

/// Nobody waits that long.
const FOREVER: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_call_waits_for_the_change_that_it_must_see() {
    let mut writer = writer(&[page_change(&page(0))]);
    let catalogue = Arc::new(Catalogue::new(FOREVER));
    let games = reads(Arc::clone(&catalogue));
    let epoch = EPOCH.to_string();
    let call = get(&games, &epoch, 3);
    tokio::pin!(call);

    // Before anything is loaded, too.
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
    let games = reads(catalogue);
    let restored = Uuid::from_u128(7).to_string();
    for (epoch, seq, is_there) in [
        (&*EPOCH.to_string(), 1, true),
        (&*EPOCH.to_string(), 2, true),
        (&*EPOCH.to_string(), 3, false),
        // A position of another epoch cannot be waited for: this replica has not heard of that epoch, or has left it behind.
        (&*restored, 1, true),
        ("no epoch", 1, true),
    ] {
        let call = get(&games, epoch, seq);
        tokio::pin!(call);
        let is_ready = futures::poll!(call.as_mut()).is_ready();
        assert_eq!(is_ready, is_there, "{epoch} {seq}");
    }
}

#[tokio::test]
async fn after_a_while_a_call_is_answered_all_the_same() {
    let catalogue = Arc::new(Catalogue::new(Duration::from_millis(1)));
    let games = reads(Arc::clone(&catalogue));
    let epoch = EPOCH.to_string();
    let fault = get(&games, &epoch, 3).await.unwrap_err();
    assert_eq!(fault.code, Code::Unavailable);
    catalogue.publish(writer(&[page_change(&page(0)), game_change(&game(1))]).snapshot());
    let response = get(&games, &epoch, 3).await.unwrap();
    assert_eq!(response.position.unwrap().seq, 2);
}
