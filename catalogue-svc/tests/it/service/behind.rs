//! Calls that must see a change: they wait for it, but not for ever.

use std::sync::Arc;
use std::task::Poll;

use catalogue::memory::Catalogue;
use catalogue::service::Games;
use contracts::catalogue::v1::games_service_server::GamesService as _;
use contracts::catalogue::v1::{GetGameRequest, GetGameResponse};
use contracts::common::v1::{Mode, Position};
use kit::{Code, Fault};
use tonic::Request;
use uuid::Uuid;

use crate::build::{EPOCH, entity, game, game_change, page, page_change, writer};

async fn get(games: &Games, epoch: &str, seq: i64) -> Result<GetGameResponse, Fault> {
    let request = GetGameRequest {
        mode: Mode::Live.into(),
        slug: "game-1".to_owned(),
        form: 0,
        at_least: Some(Position {
            epoch: epoch.to_owned(),
            seq,
        }),
    };
    Ok(games.get_game(Request::new(request)).await?.into_inner())
}

#[tokio::test]
async fn a_call_waits_for_the_change_that_it_must_see() {
    let mut writer = writer(&[page_change(&page(0))]);
    let catalogue = Arc::new(Catalogue::default());
    catalogue.publish(writer.state());
    let games = Games::new(Arc::clone(&catalogue));
    let epoch = EPOCH.to_string();
    let call = get(&games, &epoch, 3);
    tokio::pin!(call);

    assert!(futures::poll!(call.as_mut()).is_pending());
    writer.settle(2).unwrap();
    catalogue.publish(writer.state());
    writer.apply(entity(&game_change(&game(1)))).unwrap();
    writer.settle(3).unwrap();
    catalogue.publish(writer.state());
    let response = call.await.unwrap();
    assert_eq!(response.game.unwrap().row.unwrap().slug, "game-1");
    assert_eq!(response.position.unwrap().seq, 3);
}

#[tokio::test]
async fn a_call_waits_only_when_it_must_and_not_for_ever() {
    let catalogue = Arc::new(Catalogue::default());
    catalogue.publish(writer(&[page_change(&page(0)), game_change(&game(1))]).state());
    let games = Games::new(catalogue);
    let restored = Uuid::from_u128(7).to_string();
    for (epoch, seq, is_there) in [
        (&*EPOCH.to_string(), 1, true),
        (&*EPOCH.to_string(), 2, true),
        (&*EPOCH.to_string(), 3, false),
        // A state of another epoch says nothing about this one.
        (&*restored, 1, false),
        ("no epoch", 1, false),
    ] {
        let call = get(&games, epoch, seq);
        tokio::pin!(call);
        let response = match futures::poll!(call.as_mut()) {
            Poll::Ready(response) => {
                assert!(is_there, "{epoch} {seq}");
                response
            }
            Poll::Pending => {
                assert!(!is_there, "{epoch} {seq}");
                call.await
            }
        };
        // It answers with what it has.
        assert_eq!(response.unwrap().position.unwrap().seq, 2);
    }
}

#[tokio::test]
async fn while_nothing_is_loaded_a_call_waits_as_well() {
    let games = Games::new(Arc::default());
    let epoch = EPOCH.to_string();
    let call = get(&games, &epoch, 0);
    tokio::pin!(call);
    assert!(futures::poll!(call.as_mut()).is_pending());
    assert_eq!(call.await.unwrap_err().code, Code::Unavailable);
}
