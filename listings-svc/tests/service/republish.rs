//! Listings are published again when the public URL changes.

use contracts::listings::v1 as proto;
use kit::Code;
use listings::domain::entity::Entity;
use listings::domain::game::Game;
use listings::domain::listing::Listing;
use listings::domain::mode::Mode;
use listings::jobs::republish;
use listings::store::RecordTable as _;
use listings::write::Command;
use prost::Message as _;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{File, creator, game, start, start_at};

#[sqlx::test(migrator = "listings::MIGRATOR")]
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
    republish::run(&moved.importer).await.unwrap();
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

#[sqlx::test(migrator = "listings::MIGRATOR")]
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
    let hasty = start_at(testing::postgres::hasty(&pool), "https://new.example/").await;
    let writer = hasty.importer.writer();
    let games = writer
        .write(Command::Republish(Entity::Game, Uuid::nil()))
        .await;
    assert_eq!(games.unwrap_err().code, Code::Unavailable);
    assert_eq!(
        moved.head().await,
        seq,
        "none is published without the others"
    );

    transaction.rollback().await.unwrap();
    republish::run(&moved.importer).await.unwrap();
    assert_eq!(moved.changes(seq).await.len(), 4);
}
