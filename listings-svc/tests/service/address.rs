//! The public pages move.

use contracts::listings::v1 as proto;
use listings::jobs::addresses::move_all;
use prost::Message as _;
use sqlx::PgPool;

use crate::support::{File, creator, game, start, start_at};

#[sqlx::test(migrator = "listings::MIGRATOR")]
async fn all_listings_travel_again_with_their_new_addresses(pool: PgPool) {
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
    move_all(&moved.importer).await.unwrap();
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
