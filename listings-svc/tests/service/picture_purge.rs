//! Staff purge pictures.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::{Code, Fault};
use listings::jobs::sweep::sweep;
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;

use crate::own_pictures::{COVER, SHOT, add, added};
use crate::pictures::{picture, read, start_with_game};
use crate::review::listing_name;
use crate::support::{File, NOW, Service, decide, game};

async fn purge(
    service: &Service,
    url: &str,
    reason: &str,
) -> Result<proto::PurgePictureResponse, Fault> {
    let request = proto::PurgePictureRequest { url: url.to_owned(), reason: reason.to_owned() };
    let staff = StaffPictureServiceClient::new(service.operator_client.clone());
    let purged = staff.clone().purge_picture(request).await;
    Ok(purged?.into_inner())
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_purged_picture_is_removed_from_every_listing_and_the_store(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let ada = service.accounts().await.account;
    let file = picture(640, 480, [1, 2, 3]);
    let cover = added(&service, ada, (COVER, "a-game"), &file).await;
    let url = format!("https://mchezo.example{}", cover.address());
    // Imports and edits of staff name a picture by its public URL.
    let mut other = game("other", "Other");
    other["screenshots"] = json!([{"url": url, "width": 1_200, "height": 675}]);
    service.import(&File::rows("game", &[other, game("down", "Down")])).await;
    add(&service, ada, (COVER, "down"), &file).await.unwrap();
    let down = (listing_name("game", "down"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::TakeDown, down, "Stolen").await.unwrap();
    let before = service.head().await;

    let [_, small] = cover.sizes();
    let url = format!("https://mchezo.example/pictures/{small}");
    let refused = purge(&service, &url, " ").await.unwrap_err();
    assert!(refused.fields.contains_key("reason"), "{refused}");
    let purged = purge(&service, &url, "A court order").await.unwrap();
    assert_eq!(purged.files, cover.sizes().map(|it| it.to_string()));
    let mut listings: Vec<&str> = purged.listings.iter().map(|it| it.name.as_str()).collect();
    listings.sort_unstable();
    assert_eq!(listings, ["a-game", "down", "other"]);

    for name in cover.sizes() {
        let refused = read(&service, &name.to_string()).await.unwrap_err();
        assert_eq!(Fault::from(refused).code, Code::NotFound);
        assert_eq!(service.store.part(&name, 0, 10).await.unwrap(), None);
    }
    let changes = service.changes(before).await;
    assert_eq!(changes.len(), 3);
    for change in &changes {
        let game = proto::Game::decode(&*change.state).unwrap();
        assert_eq!((game.cover_url, game.screenshots.len()), (None, 0));
    }
    let recorded = sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.audit
           where action = 'purge_picture' and details ->> 'reason' = 'A court order'"#
    );
    assert_eq!(recorded.fetch_one(&pool).await.unwrap(), 4);

    // A second purge changes nothing, and the file cannot be uploaded again.
    purge(&service, &url, "Again").await.unwrap();
    assert_eq!(service.changes(before).await.len(), 3);
    let again = add(&service, ada, (COVER, "a-game"), &file).await;
    assert!(again.unwrap_err().fields["picture"].contains("purged"));
    let unknown = purge(&service, &format!("{}.jpg", "0".repeat(64)), "Why not").await;
    assert_eq!(unknown.unwrap_err().code, Code::NotFound);
    let bad = purge(&service, "https://a.example/b.jpg", "Why not").await;
    assert!(bad.unwrap_err().fields.contains_key("url"));
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_sweep_finishes_a_purge(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let ada = service.accounts().await.account;
    let file = picture(640, 480, [1, 2, 3]);
    let name = added(&service, ada, (SHOT, "a-game"), &file).await;
    purge(&service, &name.to_string(), "A court order").await.unwrap();
    // An upload that was registered before the purge leaves its files like this.
    for file in name.sizes() {
        service.store.put(&file, "left".into()).await.unwrap();
    }
    // Even a sweep that then fails finishes the purge.
    sqlx::raw_sql("alter table listings.listing_picture rename to renamed")
        .execute(&pool)
        .await
        .unwrap();
    let later = NOW + time::Duration::hours(25);
    assert!(sweep(&pool, &service.store, later).await.is_err());
    for file in name.sizes() {
        assert_eq!(service.store.part(&file, 0, 10).await.unwrap(), None);
    }
}
