//! The changes and revisions that an import writes.

use contracts::listings::v1 as proto;
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{File, counts, creator, game, start};

#[testing::database_test(listings::MIGRATOR)]
async fn a_new_listing_is_published_and_a_replaced_sample_is_a_revision(pool: PgPool) {
    let service = start(pool).await;
    let seq = service.head().await;
    let mut studio = creator("studio");
    studio["website"] = json!("https://studio.example");
    studio["links"] = json!({"profile": "https://profile.example"});
    service.import(&File::rows("page", &[studio]).test()).await;
    let mut whole = game("a-game", "A Game");
    whole["tagline"] = json!("Not in the next file");
    let first = File::rows("game", &[whole, game("other", "Other")]);
    service.import(&first.test()).await;

    let changes = service.changes(seq).await;
    let events: Vec<(&str, &str, i64, bool)> = changes
        .iter()
        .map(|c| (c.entity.as_str(), c.event.as_str(), c.revision, c.announced))
        .collect();
    assert_eq!(
        events,
        [
            ("page", "changed", 1, false),
            ("game", "changed", 1, false),
            ("game", "changed", 1, false)
        ]
    );
    let page = proto::Page::decode(&changes[0].state[..]).unwrap();
    assert_eq!((page.city.as_str(), page.city_slug.as_str()), ("Lagos", "lagos"));
    assert_eq!(page.links["website"], "https://studio.example");
    assert_eq!(page.links["other"], "https://profile.example");
    let before = proto::Game::decode(&changes[1].state[..]).unwrap();
    assert_eq!(before.id, changes[1].id);
    assert_eq!(before.page_id, page.id);
    assert_eq!(before.state(), proto::State::Published);
    assert_eq!(before.stage, "in_development");

    let seq = service.head().await;
    let mut changed =
        File::rows("game", &[game("a-game", "A Better Game"), game("other", "Other")]).test();
    changed.header.file_name = "better.ndjson".to_owned();
    assert_eq!(counts(&service.import(&changed).await), (0, 1, 1, 0));
    let changes = service.changes(seq).await;
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].event.as_str(), changes[0].revision), ("changed", 2));
    assert!(!changes[0].announced);
    let after = proto::Game::decode(&changes[0].state[..]).unwrap();
    assert_eq!(
        (after.title.as_str(), after.tagline.as_str(), after.id),
        ("A Better Game", "", before.id)
    );

    let revision = sqlx::query!(
        "select revision, actor_kind, actor, before, after from listings.revision
         where revision = 2"
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!((revision.revision, revision.actor_kind.as_str()), (2, "import"));
    assert_eq!(revision.actor, "better.ndjson");
    assert_eq!(revision.before.unwrap()["title"], "A Game");
    assert_eq!(revision.after["title"], "A Better Game");
}
