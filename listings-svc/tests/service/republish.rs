//! Listings are published again when the public URL changes, and by no replica of an older version.

use std::sync::Arc;

use contracts::common::v1::Change;
use contracts::listings::v1 as proto;
use kit::admin::Readiness;
use listings::domain::game::Game;
use listings::domain::listing::Listing;
use listings::domain::mode::Mode;
use listings::feed::PublicUrl;
use listings::jobs::{republish, startup};
use listings::store::RecordTable as _;
use prost::Message as _;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::support::{File, Service, creator, game, start, start_at, while_open};

#[testing::database_test(listings::MIGRATOR)]
async fn all_listings_are_published_again_with_their_new_urls(pool: PgPool) {
    let service = start(pool.clone()).await.with_gazetteer().await;
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    let rows: Vec<_> = (1..=450)
        .map(|n| game(&format!("game-{n}"), "A Game"))
        .collect();
    service.import(&File::rows("game", &rows)).await;
    let (seq, revisions) = (service.head().await, service.revisions().await);

    let moved = start_at(pool, "https://new.example/").await;
    republish::run(&moved.commands).await.unwrap();
    let changes = moved.changes(seq).await;
    assert_eq!(changes.len(), 451);
    assert!(
        changes
            .iter()
            .all(|c| c.event == "moved" && c.revision == 1 && !c.announced)
    );
    let page = proto::Page::decode(&changes[0].state[..]).unwrap();
    assert_eq!(page.url, "https://new.example/creators/studio");
    let game = proto::Game::decode(&changes[1].state[..]).unwrap();
    assert_eq!(game.url, format!("https://new.example/games/{}", game.slug));
    assert_eq!(moved.revisions().await, revisions);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_locked_listing_is_not_skipped(pool: PgPool) {
    let service = start(pool.clone()).await.with_gazetteer().await;
    service
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    let rows = ["one", "two", "three"].map(|slug| game(slug, "A Game"));
    service.import(&File::rows("game", &rows)).await;
    let seq = service.head().await;
    let moved = start_at(pool.clone(), "https://new.example/").await;

    let mut transaction = pool.begin().await.unwrap();
    Listing::<Game>::lock(&mut transaction, Mode::Live, &["two".to_owned()])
        .await
        .unwrap();
    let publishing = republish::run(&moved.commands);
    while_open(&pool, transaction, publishing).await.unwrap();
    assert_eq!(moved.changes(seq).await.len(), 4);
}

fn startup_tasks(service: &Service, public_url: &str) -> startup::Tasks {
    startup::Tasks {
        pool: service.pool.clone(),
        clock: service.clock.clone(),
        commands: Arc::clone(&service.commands),
        importer: service.importer.clone(),
        public_url: PublicUrl::new(public_url),
    }
}

/// Starts a replica of this version, up to the end of its startup tasks.
async fn run_startup_tasks(service: &Service, public_url: &str) {
    let loaded = Readiness::default().condition("the startup tasks");
    let tasks = startup_tasks(service, public_url);
    tasks.run(&CancellationToken::new(), &loaded).await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_replica_of_an_older_version_undoes_nothing(pool: PgPool) {
    let service = start(pool.clone()).await;
    let (old, new) = ("https://mchezo.example", "https://new.example");
    run_startup_tasks(&service, old).await;
    let seq = service.head().await;
    assert!(seq > 0, "the bundled files are imported");

    // A newer version has done all tasks in its own way.
    let newer = "update listings.start_work set version = version + 1, input = 'newer'";
    sqlx::query(newer).execute(&pool).await.unwrap();
    run_startup_tasks(&service, new).await;
    assert_eq!(service.head().await, seq, "nothing is published");

    let older = "update listings.start_work set version = version - 2";
    sqlx::query(older).execute(&pool).await.unwrap();
    run_startup_tasks(&service, new).await;
    let after = service.head().await;
    assert!(after > seq, "this version is the newest again");
    run_startup_tasks(&service, new).await;
    assert_eq!(service.head().await, after);
}

#[testing::database_test(listings::MIGRATOR)]
async fn what_an_old_replica_writes_in_a_rollout_gets_the_new_url(pool: PgPool) {
    let (old, new) = ("https://mchezo.example", "https://new.example");
    let replica = start_at(pool.clone(), old).await;
    run_startup_tasks(&replica, old).await;
    let moved = start_at(pool, new).await;
    run_startup_tasks(&moved, new).await;
    assert_rollout_ends(&replica, &moved, new).await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn what_a_new_replica_writes_in_a_rollback_gets_the_old_url(pool: PgPool) {
    let (old, new) = ("https://mchezo.example", "https://new.example");
    let replica = start_at(pool.clone(), old).await;
    run_startup_tasks(&replica, old).await;
    let moved = start_at(pool, new).await;
    run_startup_tasks(&moved, new).await;
    // The old URL is back before the rollout has ended.
    run_startup_tasks(&replica, old).await;
    assert_rollout_ends(&moved, &replica, old).await;
}

/// Asserts that a page that a replica of the `earlier` deployment writes gets the URL of the `later` one.
async fn assert_rollout_ends(earlier: &Service, later: &Service, url: &str) {
    earlier
        .import(&File::rows("page", &[creator("studio")]))
        .await;
    let seq = earlier.head().await;
    let (stopping, tasks) = (CancellationToken::new(), startup_tasks(later, url));
    let rollout = tasks.run_after_rollout(&stopping);
    let expected = format!("{url}/creators/studio");
    let has_its_url = async || {
        let changes = later.changes(seq).await;
        let page = |change: &Change| proto::Page::decode(&change.state[..]).unwrap();
        let mut pages = changes.iter().filter(|it| it.entity == "page").map(page);
        pages.any(|page| page.url == expected)
    };
    let time_passes = async {
        while !has_its_url().await {
            later.clock.advance(time::Duration::MINUTE);
        }
    };
    let both = futures::future::join(rollout, time_passes);
    tokio::time::timeout(testing::LONG, both).await.unwrap();
    let seq = later.head().await;
    tasks.run_after_rollout(&stopping).await;
    assert_eq!(later.head().await, seq, "it is done");
}
