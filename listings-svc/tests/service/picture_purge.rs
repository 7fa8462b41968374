//! Pictures that are withdrawn: by a takedown, by a purge, by the sweep.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::clock::Clock;
use kit::{Code, Fault};
use listings::domain::pictures::{FileName, PictureKind};
use listings::jobs::sweep::sweep;
use prost::Message as _;
use sqlx::PgPool;

use crate::pictures::{
    Target, header, name_of, picture, read, send, set_cover, start_with_game, upload,
};
use crate::support::{File, NOW, Service, decide, game};

fn named(kind: &str, name: &str) -> proto::ListingName {
    proto::ListingName {
        kind: kind.to_owned(),
        mode: common::Mode::Live.into(),
        name: name.to_owned(),
    }
}

async fn decided(service: &Service, decision: proto::Decision, kind: &str, name: &str) {
    let client = &service.operator_client;
    decide(client, decision, (named(kind, name), None), "Stolen")
        .await
        .unwrap();
}

/// Whether the gateway gets the picture, in its large and its small size.
async fn served(service: &Service, answer: &proto::PictureResponse) -> bool {
    let mut found = Vec::new();
    for size in [&answer.picture, &answer.small] {
        let name = name_of(size.as_ref()).to_string();
        match read(service, &name).await {
            Ok(_) => found.push(true),
            Err(status) => {
                assert_eq!(Fault::from(status).code, Code::NotFound);
                found.push(false);
            }
        }
    }
    assert_eq!(found[0], found[1], "both sizes or none");
    found[0]
}

pub(crate) async fn purge(
    service: &Service,
    url: &str,
    reason: &str,
) -> Result<proto::PurgePictureResponse, Fault> {
    let request = proto::PurgePictureRequest {
        url: url.to_owned(),
        reason: reason.to_owned(),
    };
    let purged = service.pictures.clone().purge_picture(request).await;
    Ok(purged?.into_inner())
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_pictures_of_a_listing_go_and_come_back_with_it(pool: PgPool) {
    use proto::Decision::{Restore, TakeDown};
    let service = start_with_game(pool).await;
    let cover = set_cover(&service, "a-game", &picture(640, 480, [1, 2, 3])).await;
    let messages = upload(header("a-game"), &picture(320, 180, [4, 5, 6]));
    let shot = send(&service, &Target::Screenshot, messages).await.unwrap();
    let messages = upload(header("studio"), &picture(300, 200, [0, 0, 200]));
    let avatar = send(&service, &Target::Avatar, messages).await.unwrap();
    let pictures = [cover.unwrap(), shot, avatar];
    for (decision, kind, name, expected) in [
        (TakeDown, "game", "a-game", [false, false, true]),
        (Restore, "game", "a-game", [true, true, true]),
        // A page takes its games with it.
        (TakeDown, "page", "studio", [false, false, false]),
        (Restore, "page", "studio", [true, true, true]),
    ] {
        decided(&service, decision, kind, name).await;
        for (answer, expected) in pictures.iter().zip(expected) {
            let found = served(&service, answer).await;
            assert_eq!(found, expected, "{decision:?} {name}");
        }
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_picture_of_two_games_stays_while_one_of_them_is_public(pool: PgPool) {
    let service = start_with_game(pool).await;
    let other = File::rows("game", &[game("other", "Other")]);
    service.import(&other).await;
    let file = picture(640, 480, [1, 2, 3]);
    let cover = set_cover(&service, "a-game", &file).await.unwrap();
    set_cover(&service, "other", &file).await.unwrap();
    let down = proto::Decision::TakeDown;
    decided(&service, down, "game", "a-game").await;
    assert!(served(&service, &cover).await);
    decided(&service, down, "game", "other").await;
    assert!(!served(&service, &cover).await);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_purged_picture_is_gone_from_every_listing_and_from_the_store(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let rows = [game("other", "Other"), game("down", "Down")];
    service.import(&File::rows("game", &rows)).await;
    let file = picture(640, 480, [1, 2, 3]);
    let cover = set_cover(&service, "a-game", &file).await.unwrap();
    set_cover(&service, "down", &file).await.unwrap();
    let messages = upload(header("other"), &file);
    let shot = send(&service, &Target::Screenshot, messages).await.unwrap();
    decided(&service, proto::Decision::TakeDown, "game", "down").await;
    let before = service.head().await;

    let url = &cover.small.as_ref().unwrap().url;
    let refused = purge(&service, url, " ").await.unwrap_err();
    assert!(refused.fields.contains_key("reason"), "{refused}");
    let purged = purge(&service, url, "A court order").await.unwrap();
    // The cover in two sizes, and the screenshot, which is small enough for one file.
    assert_eq!(purged.files.len(), 3);
    let mut listings: Vec<&str> = purged.listings.iter().map(|it| it.name.as_str()).collect();
    listings.sort_unstable();
    assert_eq!(listings, ["a-game", "down", "other"]);

    for answer in [&cover, &shot] {
        assert!(!served(&service, answer).await);
        for size in [&answer.picture, &answer.small] {
            let name = name_of(size.as_ref());
            assert_eq!(service.store.part(&name, 0, 10).await.unwrap(), None);
        }
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

    // A second purge changes nothing, and nobody brings the picture back.
    purge(&service, url, "Again").await.unwrap();
    assert_eq!(service.changes(before).await.len(), 3);
    let again = set_cover(&service, "a-game", &file).await.unwrap_err();
    assert!(Fault::from(again).fields["picture"].contains("purged"));
    let unknown = purge(&service, &format!("{}.jpg", "0".repeat(64)), "Why not").await;
    assert_eq!(unknown.unwrap_err().code, Code::NotFound);
    let bad = purge(&service, "https://a.example/b.jpg", "Why not").await;
    assert!(bad.unwrap_err().fields.contains_key("url"));
}

/// Puts a folder where a file should be: nothing deletes it as a file.
fn undeletable(service: &Service, name: &FileName) {
    let path = service.folder().join(name.path());
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("x"), "").unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_file_that_cannot_be_deleted_does_not_stop_the_sweep(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let mut stored = Vec::new();
    for shade in [0, 100, 200] {
        let file = picture(640, 480, [shade, 5, 6]);
        let kind = PictureKind::Cover;
        stored.push(service.processor.store(file, kind).await.unwrap());
    }
    let stuck = &stored[0].large.name;
    undeletable(&service, stuck);
    let after = |hours: i64| Clock::fixed(NOW + time::Duration::hours(hours));
    assert_eq!(sweep(&pool, &service.store, &after(25)).await.unwrap(), 5);
    assert_eq!(sweep(&pool, &service.store, &after(26)).await.unwrap(), 0);
    std::fs::remove_dir_all(service.folder().join(stuck.path())).unwrap();
    assert_eq!(sweep(&pool, &service.store, &after(27)).await.unwrap(), 1);
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_sweep_finishes_a_purge(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let file = picture(640, 480, [1, 2, 3]);
    let cover = set_cover(&service, "a-game", &file).await.unwrap();
    let name = name_of(cover.picture.as_ref());
    purge(&service, &name.to_string(), "A court order")
        .await
        .unwrap();
    // As an upload would leave it that was registered before the purge.
    service.store.put(&name, file.into()).await.unwrap();
    assert!(!served(&service, &cover).await);
    let clock = Clock::fixed(NOW + time::Duration::hours(1));
    sweep(&pool, &service.store, &clock).await.unwrap();
    assert_eq!(service.store.part(&name, 0, 10).await.unwrap(), None);
}
