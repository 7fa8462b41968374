//! The life of a key, at the replica that changes it and at another.

use contracts::common::v1::{Change, Mode};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::GameState;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use contracts::listings::v1 as listings;
use gateway::feeds::listings::{GamesAndPages, PRODUCER};
use kit::feed::{Projection as _, ProjectionContext, project_changes};
use kit::{Code, Fault};
use prost::Message as _;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Request;
use uuid::Uuid;

use crate::support::{
    NO_REDIS, START, Test, TestConfig, TestKey, account_key, another, by_operator, eventually, lock,
};

/// A change of a game on the listings feed. The game's page is `page-of-` and the slug.
fn change(slug: &str, published: bool) -> Change {
    let state = if published { listings::State::Published } else { listings::State::Removed };
    let game = listings::Game {
        id: format!("id-of-{slug}"),
        slug: slug.to_owned(),
        mode: Mode::Live.into(),
        state: state.into(),
        page_id: format!("page-of-{slug}"),
        ..Default::default()
    };
    Change {
        entity: "game".to_owned(),
        id: game.id.clone(),
        state: game.encode_to_vec().into(),
        ..Default::default()
    }
}

/// A change of a game's page on the listings feed.
fn page_change(slug: &str, owners: &[&str]) -> Change {
    let page = listings::Page {
        id: format!("page-of-{slug}"),
        owners: owners.iter().map(|owner| (*owner).to_owned()).collect(),
        ..Default::default()
    };
    Change {
        entity: "page".to_owned(),
        id: page.id.clone(),
        state: page.encode_to_vec().into(),
        ..Default::default()
    }
}

async fn follow_changes(test: &Test, changes: &[Change], generation: Uuid) {
    let mut connection = test.pool.acquire().await.unwrap();
    let taken = ProjectionContext { generation, effects_until: OffsetDateTime::UNIX_EPOCH };
    project_changes(&mut connection, PRODUCER, &GamesAndPages, changes.to_vec(), taken)
        .await
        .unwrap();
}

/// Publishes a game on the listings feed, or takes it down.
pub(crate) async fn publish(test: &Test, slug: &str, published: bool) {
    follow_changes(test, &[change(slug, published)], Uuid::nil()).await;
}

async fn game_key(test: &Test, slug: &str) -> TestKey {
    let account = test.account("free").await;
    key_of_game(test, &account, slug).await.unwrap()
}

async fn key_of_game(test: &Test, account: &str, slug: &str) -> Result<TestKey, Fault> {
    let request = proto::CreateKeyRequest {
        kind: proto::KeyKind::Secret.into(),
        game: Some(slug.to_owned()),
        ..account_key(account, "live")
    };
    test.key_like(request).await
}

const REFUSED: (u16, &str) = (401, "invalid_key");

#[testing::database_test(gateway::MIGRATOR)]
async fn a_revocation_takes_effect_at_once_at_every_replica(pool: PgPool) {
    let (here, there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let key = here.live_key().await;
    assert!(here.get(&key, "/games").await.is_ok());
    assert!(there.get(&key, "/games").await.is_ok());
    here.revoke(&key).await;
    // Neither replica has read the feed: the tombstone rejects the key.
    for path in ["/games", "/me", "/nowhere", "/economy/rates"] {
        assert_eq!(there.get(&key, path).await.error(), REFUSED, "{path}");
        assert_eq!(here.get(&key, path).await.error(), REFUSED, "{path}");
    }
}

/// Whether a change waits for the table of the audit.
async fn waits_for_audit(pool: &PgPool) -> bool {
    #[expect(clippy::disallowed_methods, reason = "the catalogue of the server")]
    let waiting = sqlx::query_scalar(
        "select exists (select from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.relation = 'gateway.audit'::regclass and not l.granted)",
    );
    waiting.fetch_one(pool).await.unwrap()
}

/// A person closes the page before it answers.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_revocation_goes_on_when_its_caller_is_gone(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    assert!(test.get(&key, "/me").await.is_ok());
    let watching = another(&test.pool).await;
    let audit = lock(&test.pool, "gateway.audit").await;
    let request = proto::RevokeKeyRequest { id: key.id.clone() };
    tokio::select! {
        revoked = test.staff.revoke_key(by_operator(request)) => panic!("{revoked:?}"),
        () = eventually("the revocation waits", async || waits_for_audit(&watching).await) => {}
    }
    assert!(test.get(&key, "/me").await.is_ok());
    drop(audit);
    // No gateway has read the feed: the tombstone rejects the key.
    let refused = async || test.get(&key, "/me").await.error() == (401, "invalid_key");
    eventually("the key is revoked", refused).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_revocation_also_reaches_every_replica_through_the_feed(pool: PgPool) {
    let here = Test::new(pool.clone()).await;
    let with = TestConfig {
        // This replica does not see the Redis with the tombstone.
        redis: NO_REDIS.to_owned(),
        ..Default::default()
    };
    let mut there = Test::with(pool, with).await;
    let key = here.live_key().await;
    assert!(there.get(&key, "/games").await.is_ok());
    here.revoke(&key).await;
    there.catch_up().await;
    assert_eq!(there.get(&key, "/games").await.error(), REFUSED);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_game_key_works_only_while_its_account_owns_the_page(pool: PgPool) {
    let (here, mut there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let (owner, heir) = (here.account("free").await, here.account("free").await);
    let (owner, heir) = (owner.as_str(), heir.as_str());
    publish(&here, "kora", true).await;
    let owned_by = async |owners: &[&str]| {
        follow_changes(&here, &[page_change("kora", owners)], Uuid::nil()).await;
    };
    // The page is not in the feed yet.
    let key = key_of_game(&here, owner, "kora").await.unwrap();
    let own_key = here.key(owner, "live").await;
    for (owners, works) in
        [(&[owner][..], true), (&[heir], false), (&[heir, owner], true), (&[], false)]
    {
        owned_by(owners).await;
        there.catch_up().await;
        let response = there.get(&key, "/games").await;
        assert_eq!(response.is_ok(), works, "{owners:?}: {}", response.text);
        if !works {
            assert_eq!(response.error(), REFUSED);
            let refused = key_of_game(&here, owner, "kora").await.err().unwrap();
            assert!(refused.fields["game"].contains("does not own"), "{refused}");
        }
        assert!(there.get(&own_key, "/games").await.is_ok());
    }
    // The game moves to a page that the account does not own.
    owned_by(&[owner]).await;
    follow_changes(&here, &[page_change("mbira", &[heir])], Uuid::nil()).await;
    there.catch_up().await;
    assert!(there.get(&key, "/games").await.is_ok());
    let mut moved = change("kora", true);
    let mut game = listings::Game::decode(moved.state.clone()).unwrap();
    game.page_id = "page-of-mbira".to_owned();
    moved.state = game.encode_to_vec().into();
    follow_changes(&here, &[moved], Uuid::nil()).await;
    there.catch_up().await;
    assert_eq!(there.get(&key, "/games").await.error(), REFUSED);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_key_stopped_by_its_game_does_not_count_against_the_plan(pool: PgPool) {
    let test = Test::new(pool).await;
    let (account, heir) = (test.account("free").await, test.account("free").await);
    publish(&test, "kora", true).await;
    let key = key_of_game(&test, &account, "kora").await.unwrap();
    for _ in 1..5 {
        test.key(&account, "live").await;
    }
    // The state of the key's game, and the number of working keys.
    let seen = async || {
        let request = proto::AccountsServiceListKeysRequest { account_id: account.clone() };
        let mut listed = test
            .accounts
            .list_keys(Request::new(request))
            .await
            .unwrap()
            .into_inner()
            .keys
            .into_iter();
        let listed = listed.find(|it| it.id == key.id).unwrap();
        let request = proto::GetAccountRequest { account_id: account.clone() };
        let found = test.staff.get_account(by_operator(request)).await;
        (listed.game_state(), found.unwrap().into_inner().working_keys)
    };
    assert_eq!(seen().await, (GameState::Usable, 5));
    let live = || account_key(&account, "live");
    let full = test.key_like(live()).await.err().unwrap();
    assert_eq!(full.code, Code::PlanRequired);

    publish(&test, "kora", false).await;
    assert_eq!(seen().await, (GameState::Gone, 4));
    publish(&test, "kora", true).await;
    follow_changes(&test, &[page_change("kora", &[&heir])], Uuid::nil()).await;
    assert_eq!(seen().await, (GameState::NotOwned, 4));
    test.key_like(live()).await.unwrap();
    // The key works again, even beyond the plan's limit.
    follow_changes(&test, &[page_change("kora", &[&account])], Uuid::nil()).await;
    assert_eq!(seen().await, (GameState::Usable, 6));
    test.revoke(&key).await;
    publish(&test, "kora", false).await;
    assert_eq!(seen().await, (GameState::Gone, 5));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_key_of_a_game_that_a_rebuild_lacks_is_refused(pool: PgPool) {
    let mut test = Test::new(pool).await;
    publish(&test, "kora", true).await;
    publish(&test, "mbira", true).await;
    let (lost, kept) = (game_key(&test, "kora").await, game_key(&test, "mbira").await);
    assert!(test.get(&lost, "/games").await.is_ok());

    // Of two states of a game in one batch the newer one wins.
    let generation = Uuid::from_u128(9);
    let rebuilt = [change("mbira", false), change("mbira", true)];
    follow_changes(&test, &rebuilt, generation).await;
    let mut connection = test.pool.acquire().await.unwrap();
    GamesAndPages.sweep(&mut connection, generation).await.unwrap();
    drop(connection);
    test.catch_up().await;
    assert_eq!(test.get(&lost, "/games").await.error(), REFUSED);
    assert!(test.get(&kept, "/games").await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_new_plan_applies_to_cached_keys(pool: PgPool) {
    let (here, mut there) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let account = here.account("free").await;
    let key = here.key(&account, "live").await;
    assert!(there.get(&key, "/games").await.header("ratelimit-policy").contains("q=60;"));
    here.set_plan(&account, "build").await;
    there.catch_up().await;
    let response = there.get(&key, "/games").await;
    assert_eq!(response.header("ratelimit-policy"), "\"minute\";q=300;w=60, \"month\";q=1000000");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_last_use_of_a_key_is_flushed(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    test.get(&key, "/games").await;
    test.clock.advance(Duration::SECOND);
    test.get(&key, "/games").await;
    test.app.last_used.flush(&test.pool).await.unwrap();
    let request = proto::ListKeysRequest { account_id: account };
    let keys = test.staff.list_keys(by_operator(request)).await.unwrap().into_inner().keys;
    let used = keys[0].last_used_at.and_then(kit::api::timestamp::decode);
    assert_eq!(used, Some(START + Duration::SECOND));
}
