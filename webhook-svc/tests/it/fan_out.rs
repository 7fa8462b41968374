//! Which endpoints get which messages.

use contracts::catalogue::v1::RankingMove;
use contracts::common::v1::Change;
use contracts::listings::v1 as proto;
use contracts::listings::v1::State::{Published, Removed};
use contracts::webhook::v1::DeliveryState;
use kit::api::timestamp;
use kit::feed::ProjectionContext;
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;
use testing::wait_until;
use time::Duration;
use uuid::Uuid;

use crate::messages::{after, all_of, pull};
use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, BOB, EVE, GAME, START, TAKEN, Webhook, game, page, start, tip};

const URL: &str = "https://hooks.example/";

/// The events of an endpoint's waiting deliveries, oldest first.
async fn events(pool: &PgPool, endpoint: Uuid) -> Vec<String> {
    sqlx::query_scalar!(
        "select event from webhook.waiting join webhook.message on message.id = message_id
         where endpoint_id = $1 order by waiting.id",
        endpoint
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_message_goes_to_endpoints_that_selected_it_if_the_plan_allows(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let both = ["listing.published", "listing.updated"];
    let first = service.added(ADA, URL, &both).await;
    let second = service.added(BOB, URL, &["listing.updated"]).await;
    let free = service.added(EVE, URL, &both).await;

    // Two changes of one game in one batch are two messages.
    let changes =
        [page(1, "published", ADA), game(2, "published", Published), game(3, "updated", Published)];
    service.listings(&changes, TAKEN).await;
    assert_eq!(
        events(&pool, first).await,
        ["listing.published", "listing.published", "listing.updated"]
    );
    assert_eq!(events(&pool, second).await, ["listing.updated"]);
    assert_eq!(events(&pool, free).await, [""; 0]);

    let message = sqlx::query!("select body from webhook.message where event = 'listing.updated'");
    let body: serde_json::Value =
        serde_json::from_slice(&message.fetch_one(&pool).await.unwrap().body).unwrap();
    assert_eq!(
        body["data"],
        json!({
            "kind": "game", "slug": "kora", "name": "Kora",
            "url": "https://site.example/games/kora", "api": "/games/kora",
        })
    );
    assert_eq!(body["created_at"], "2026-03-01T08:00:00.000Z");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_repeated_change_makes_no_second_message(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["listing.published"]).await;
    let changes = [page(1, "published", ADA), game(2, "published", Published)];
    for _ in 0..3 {
        service.listings(&changes, TAKEN).await;
    }
    assert_eq!(events(&pool, endpoint).await.len(), 2);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn old_silent_and_hidden_changes_make_no_message(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let all = ["listing.published", "listing.updated"];
    let endpoint = service.added(ADA, URL, &all).await;
    let since = ProjectionContext { effects_until: START - Duration::SECOND, ..TAKEN };
    let old = |change| Change { at: Some(timestamp::encode(since.effects_until)), ..change };
    let mut silent = game(4, "updated", Published);
    silent.announced = false;
    let changes = [
        old(page(1, "published", ADA)),
        old(game(2, "published", Published)),
        game(3, "removed", Removed),
        silent,
        game(5, "restored", Published),
    ];
    service.listings(&changes, since).await;
    assert_eq!(events(&pool, endpoint).await, [""; 0]);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_tip_that_arrives_before_its_restored_game_is_delivered(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let maker = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let known =
        [page(1, "published", ADA), game(2, "published", Published), game(3, "removed", Removed)];
    service.listings(&known, TAKEN).await;
    // The restored game is public, but the follower of listings is behind.
    service.economy(&[tip(1, ADA)]).await;
    let early = pull(&service, all_of(ADA)).await;
    assert_eq!(early.events(), ["listing.published"], "the page");
    // Both ways wait for as long.
    for _ in 0..9 {
        wait_until("the delivery is due later", async || {
            let due_at = service.list(ADA, maker).await[0].due_at.unwrap();
            timestamp::decode(due_at).unwrap() > service.clock.now()
        })
        .await;
        service.clock.advance(Duration::MINUTE);
        let waiting = pull(&service, after(ADA, &early.next)).await;
        assert_eq!((waiting.total, &waiting.next), (0, &early.next));
    }
    service.listings(&[game(4, "restored", Published)], TAKEN).await;
    let pulled = pull(&service, after(ADA, &early.next)).await;
    assert_eq!(pulled.events(), ["tip.paid"]);
    service.clock.advance(Duration::MINUTE);
    let delivered = service.newest_attempted(ADA, maker, 1).await;
    assert_eq!(delivered.state(), DeliveryState::Delivered);
}

/// The state of the game is newer than the tip: no other state is on its way.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_tip_to_a_game_that_was_taken_down_after_it_waits_for_nothing(pool: PgPool) {
    let service = start(pool, &[]).await;
    let maker = service.added(ADA, URL, &["tip.paid"]).await;
    let removed = Change {
        at: Some(timestamp::encode(START + Duration::SECOND)),
        ..game(3, "removed", Removed)
    };
    let known = [page(1, "published", ADA), removed];
    service.listings(&known, TAKEN).await;
    let begin = pull(&service, all_of(ADA)).await.next;
    service.economy(&[tip(1, ADA)]).await;
    let passed = pull(&service, after(ADA, &begin)).await;
    assert_eq!(passed.total, 0);
    assert_ne!(passed.next, begin);
    let service = service.delivering();
    let cancelled = service.newest_attempted(ADA, maker, 1).await;
    assert_eq!(cancelled.state(), DeliveryState::Cancelled);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_tip_is_delivered_to_the_owners_of_the_page(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let maker = service.added(ADA, URL, &["tip.paid"]).await;
    let other = service.added(BOB, URL, &["tip.paid"]).await;
    // The follower of listings has not read the game yet.
    service.economy(&[tip(1, ADA)]).await;
    assert_eq!(events(&pool, maker).await, ["tip.paid"]);
    assert_eq!(events(&pool, other).await, [""; 0]);

    // The page changes its owner.
    service.economy(&[tip(1, ADA), tip(2, BOB)]).await;
    assert_eq!(events(&pool, maker).await.len(), 1);
    assert_eq!(events(&pool, other).await, ["tip.paid"]);
}

/// A game of a removed page is published, but not visible.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_tip_to_a_hidden_game_is_not_delivered(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let maker = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let mut hidden = game(2, "hidden", Published);
    let state = proto::Game { visible: false, ..proto::Game::decode(hidden.state).unwrap() };
    hidden.state = state.encode_to_vec().into();
    let known = [page(1, "published", ADA), hidden];
    service.listings(&known, TAKEN).await;
    service.economy(&[tip(1, ADA)]).await;
    service.clock.advance(time::Duration::minutes(10));
    let cancelled = service.newest_attempted(ADA, maker, 1).await;
    assert_eq!(cancelled.state(), DeliveryState::Cancelled);
    service.listings(&[game(3, "shown", Published)], TAKEN).await;
    service.economy(&[tip(2, ADA)]).await;
    let delivered = service.newest_attempted(ADA, maker, 1).await;
    assert_eq!(delivered.state(), DeliveryState::Delivered);
    assert_ne!(cancelled.id, delivered.id);
}

/// After a restore from a backup the producer reused revision 2 of the game.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_reused_revision_is_announced(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let endpoint = service.added(ADA, URL, &["listing.published"]).await;
    let lost = game(2, "published", Published);
    service.listings(std::slice::from_ref(&lost), TAKEN).await;
    let mut again = lost;
    again.at = Some(kit::api::timestamp::encode(START + time::Duration::MINUTE));
    for _ in 0..2 {
        service.listings(&[again.clone()], TAKEN).await;
    }
    assert_eq!(events(&pool, endpoint).await.len(), 2);
}

/// A rank change of the game on the board of the week.
fn moved() -> Change {
    let moved = RankingMove {
        entity: "game".to_owned(),
        listing_id: GAME.to_string(),
        kind: "game".to_owned(),
        board: "week".to_owned(),
        rank: 1,
        previous_rank: 2,
        ..RankingMove::default()
    };
    Change {
        seq: 1,
        entity: "ranking_move".to_owned(),
        id: format!("week/2026-03-01T00:00:00Z/{GAME}"),
        event: "moved".to_owned(),
        announced: true,
        happening: true,
        at: Some(timestamp::encode(START)),
        state: moved.encode_to_vec().into(),
        ..Change::default()
    }
}

/// A receiver, a replica that delivers to it, and its endpoint with a delivery: a move of a game that the follower of listings has not read yet.
async fn move_before_its_listing(pool: PgPool) -> (Receiver, Webhook, Uuid) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["ranking.moved"]).await;
    service.catalogue(&[moved()]).await;
    (receiver, service, endpoint)
}

/// The follower of the catalogue may be ahead of that of listings.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_move_that_arrives_before_its_listing_is_delivered(pool: PgPool) {
    let (receiver, service, endpoint) = move_before_its_listing(pool).await;
    // A move that is due already would be cancelled before the ping arrives.
    service.ping(ADA, endpoint).await;
    receiver.wait_for(1).await;
    service.listings(&[game(2, "published", Published)], TAKEN).await;
    service.clock.advance(time::Duration::MINUTE);
    let received = receiver.wait_for(2).await;
    assert_eq!(received[1].event(), "ranking.moved");
}

/// The follower of listings is minutes behind.
#[testing::database_test(webhook::MIGRATOR)]
async fn a_move_waits_for_its_listing_without_an_attempt(pool: PgPool) {
    let (_receiver, service, endpoint) = move_before_its_listing(pool).await;
    let due_at = service.list(ADA, endpoint).await[0].due_at;
    service.clock.advance(Duration::MINUTE);
    wait_until("the delivery is due later", async || {
        service.list(ADA, endpoint).await[0].due_at != due_at
    })
    .await;
    service.listings(&[game(2, "published", Published)], TAKEN).await;
    service.clock.advance(Duration::MINUTE);
    let delivered = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!((delivered.state(), delivered.tries), (DeliveryState::Delivered, 1));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_move_whose_listing_never_comes_is_cancelled(pool: PgPool) {
    let (_receiver, service, endpoint) = move_before_its_listing(pool).await;
    service.clock.advance(Duration::minutes(10));
    let cancelled = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(cancelled.state(), DeliveryState::Cancelled);
}
