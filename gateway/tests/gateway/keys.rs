//! A key's life, as calls meet it, at this replica and at another.

use contracts::common::v1::{Change, Mode};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use contracts::listings::v1 as listings;
use gateway::feeds::listings::Games;
use kit::feed::{ApplyContext, ChangeHandler as _};
use prost::Message as _;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::support::{Held, NO_REDIS, START, Test, With, account_key, by_operator};

/// What the listings feed tells of a game.
fn change(slug: &str, published: bool) -> Change {
    let state = if published {
        listings::State::Published
    } else {
        listings::State::Removed
    };
    let game = listings::Game {
        id: format!("id-of-{slug}"),
        slug: slug.to_owned(),
        mode: Mode::Live.into(),
        state: state.into(),
        ..Default::default()
    };
    Change {
        entity: "game".to_owned(),
        id: game.id.clone(),
        state: game.encode_to_vec().into(),
        ..Default::default()
    }
}

async fn tell(test: &Test, changes: &[Change], epoch: Uuid) {
    let mut connection = test.pool.acquire().await.unwrap();
    let taken = ApplyContext {
        generation: epoch,
        effects_after_seq: 0,
    };
    Games.apply(&mut connection, changes, taken).await.unwrap();
}

/// The listings feed publishes a game, or takes it down.
pub(crate) async fn publish(test: &Test, slug: &str, published: bool) {
    tell(test, &[change(slug, published)], Uuid::nil()).await;
}

async fn game_key(test: &Test, slug: &str) -> Held {
    let account = test.account("free").await;
    let request = proto::CreateKeyRequest {
        kind: "secret".to_owned(),
        game: Some(slug.to_owned()),
        ..account_key(&account, "live")
    };
    test.key_like(request).await.unwrap()
}

const REFUSED: (u16, &str) = (401, "invalid_key");

#[sqlx::test]
async fn a_revocation_holds_from_the_next_call_at_every_replica(pool: PgPool) {
    let (here, there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let key = here.live_key().await;
    assert!(here.get(&key, "/games").await.is_ok());
    assert!(there.get(&key, "/games").await.is_ok());
    here.revoke(&key).await;
    // Neither has read the feed yet.
    for path in ["/games", "/me", "/nowhere", "/economy/rates"] {
        assert_eq!(there.get(&key, path).await.refusal(), REFUSED, "{path}");
        assert_eq!(here.get(&key, path).await.refusal(), REFUSED, "{path}");
    }
}

#[sqlx::test]
async fn a_revocation_reaches_every_replica_by_the_feed_too(pool: PgPool) {
    let here = Test::new(pool.clone()).await;
    let with = With {
        // Not the Redis that has the tombstone.
        redis: NO_REDIS.to_owned(),
        ..Default::default()
    };
    let mut there = Test::with(pool, with).await;
    let key = here.live_key().await;
    assert!(there.get(&key, "/games").await.is_ok());
    here.revoke(&key).await;
    there.catch_up().await;
    assert_eq!(there.get(&key, "/games").await.refusal(), REFUSED);
}

#[sqlx::test]
async fn without_a_grace_to_rotate_is_to_revoke(pool: PgPool) {
    let with = With {
        grace: std::time::Duration::ZERO,
        ..With::default()
    };
    let here = Test::with(pool.clone(), with).await;
    let there = Test::new(pool).await;
    let key = here.live_key().await;
    assert!(there.get(&key, "/games").await.is_ok());
    let request = proto::RotateKeyRequest { id: key.id.clone() };
    here.staff.rotate_key(by_operator(request)).await.unwrap();
    // Neither has read the feed yet.
    assert_eq!(there.get(&key, "/games").await.refusal(), REFUSED);
    assert_eq!(here.get(&key, "/games").await.refusal(), REFUSED);
}

#[sqlx::test]
async fn a_rotated_key_works_through_its_grace(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    let request = proto::RotateKeyRequest { id: key.id.clone() };
    let rotated = test
        .staff
        .rotate_key(by_operator(request))
        .await
        .unwrap()
        .into_inner();
    let new = Held {
        id: rotated.key.unwrap().id,
        secret: rotated.secret,
    };
    test.catch_up().await;
    test.clock.advance(Duration::DAY - Duration::MILLISECOND);
    assert!(test.get(&key, "/games").await.is_ok());
    let me = test.get(&key, "/me").await;
    assert_eq!(
        me.json["data"]["key"]["expires_at"],
        "2026-03-23T08:00:00.500Z"
    );
    test.clock.advance(Duration::MILLISECOND);
    assert_eq!(test.get(&key, "/games").await.refusal(), REFUSED);
    assert!(test.get(&new, "/games").await.is_ok());
}

#[sqlx::test]
async fn a_key_stops_at_its_expiry(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let request = proto::CreateKeyRequest {
        expires_at: Some(kit::timestamp::encode(START + Duration::HOUR)),
        ..account_key(&account, "live")
    };
    let key = test.key_like(request).await.unwrap();
    assert!(test.get(&key, "/games").await.is_ok());
    test.clock.advance(Duration::HOUR);
    assert_eq!(test.get(&key, "/games").await.refusal(), REFUSED);
}

#[sqlx::test]
async fn a_key_dies_with_its_game_and_lives_again_with_it(pool: PgPool) {
    let (here, mut there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    publish(&here, "kora", true).await;
    let key = game_key(&here, "kora").await;
    there.catch_up().await;
    for (published, works) in [(true, true), (false, false), (true, true)] {
        publish(&here, "kora", published).await;
        there.catch_up().await;
        let answer = there.get(&key, "/games").await;
        assert_eq!(answer.is_ok(), works, "{}", answer.text);
        if !works {
            assert_eq!(answer.refusal(), REFUSED);
        }
    }
}

#[sqlx::test]
async fn a_game_that_a_rebuild_does_not_tell_of_is_gone(pool: PgPool) {
    let mut test = Test::new(pool).await;
    publish(&test, "kora", true).await;
    publish(&test, "mbira", true).await;
    let (lost, kept) = (
        game_key(&test, "kora").await,
        game_key(&test, "mbira").await,
    );
    assert!(test.get(&lost, "/games").await.is_ok());

    // The same game twice in a batch: its newest state counts.
    let epoch = Uuid::from_u128(9);
    let rebuilt = [change("mbira", false), change("mbira", true)];
    tell(&test, &rebuilt, epoch).await;
    let mut connection = test.pool.acquire().await.unwrap();
    Games.sweep(&mut connection, epoch).await.unwrap();
    drop(connection);
    test.catch_up().await;
    assert_eq!(test.get(&lost, "/games").await.refusal(), REFUSED);
    assert!(test.get(&kept, "/games").await.is_ok());
}

#[sqlx::test]
async fn another_plan_acts_on_keys_in_use(pool: PgPool) {
    let (here, mut there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let account = here.account("free").await;
    let key = here.key(&account, "live").await;
    assert!(
        there
            .get(&key, "/games")
            .await
            .header("ratelimit-policy")
            .contains("q=60;")
    );
    let request = proto::SetAccountPlanRequest {
        account,
        plan: "build".to_owned(),
    };
    here.staff
        .set_account_plan(by_operator(request))
        .await
        .unwrap();
    there.catch_up().await;
    let answer = there.get(&key, "/games").await;
    assert_eq!(
        answer.header("ratelimit-policy"),
        "\"minute\";q=300;w=60, \"month\";q=1000000"
    );
}

#[sqlx::test]
async fn when_a_key_was_last_used_is_written_behind(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    test.get(&key, "/games").await;
    test.clock.advance(Duration::SECOND);
    test.get(&key, "/games").await;
    test.app.last_used.flush(&test.pool).await.unwrap();
    let request = proto::ListKeysRequest { account };
    let keys = test
        .staff
        .list_keys(by_operator(request))
        .await
        .unwrap()
        .into_inner()
        .keys;
    let used = keys[0].last_used_at.and_then(kit::timestamp::decode);
    assert_eq!(used, Some(START + Duration::SECOND));
}
