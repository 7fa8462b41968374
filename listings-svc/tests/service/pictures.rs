//! Uploaded pictures: in the listing, on the feed and in the file store, until no listing names them.

use contracts::listings::v1 as proto;
use image::codecs::png::PngEncoder;
use image::{Rgb, RgbImage};
use kit::{Code, Fault};
use listings::domain::pictures::{FileName, PictureKind};
use listings::jobs::sweep::sweep;
use prost::Message as _;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::own_pictures::{AVATAR, COVER, SHOT, add, added, own_game, remove};
use crate::support::{File, NOW, Service, counts, creator, game, start};

/// A PNG of one colour.
pub(crate) fn picture(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let mut file = Vec::new();
    RgbImage::from_pixel(width, height, Rgb(colour))
        .write_with_encoder(PngEncoder::new(&mut file))
        .unwrap();
    file
}

/// A service with a page `studio` and a game `a-game`.
pub(crate) async fn start_with_game(pool: PgPool) -> Service {
    let service = start(pool).await;
    for (entity, row) in [("page", creator("studio")), ("game", game("a-game", "A Game"))] {
        let report = service.import(&File::rows(entity, &[row])).await;
        assert_eq!(counts(&report), (1, 0, 0, 0));
    }
    service
}

/// The name of the picture at a listing's URL.
pub(crate) fn name_of(url: &str) -> FileName {
    FileName::read(url, "https://mchezo.example").unwrap()
}

/// Reads a whole file as the public.
pub(crate) async fn read(
    service: &Service,
    name: &str,
) -> Result<proto::GetPictureResponse, Status> {
    let read = service.files.clone().get_picture(whole(name)).await;
    Ok(read?.into_inner())
}

/// Reads a whole file as a member of an account.
pub(crate) async fn read_as(
    service: &Service,
    account: Uuid,
    name: &str,
) -> Result<proto::GetPictureResponse, Status> {
    let request = proto::GetPictureRequest { account_id: account.to_string(), ..whole(name) };
    let read = service.files.clone().get_picture(request).await;
    Ok(read?.into_inner())
}

/// A request for a whole file.
fn whole(name: &str) -> proto::GetPictureRequest {
    proto::GetPictureRequest {
        name: name.to_owned(),
        most: u32::MAX,
        ..proto::GetPictureRequest::default()
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_cover_is_stored_in_two_sizes_and_published(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let before = service.head().await;
    let red = picture(1_300, 800, [200, 0, 0]);
    let name = added(&service, ada, (COVER, "a-game"), &red).await;
    let changes = service.changes(before).await;
    let told: Vec<_> =
        changes.iter().map(|it| (it.event.as_str(), it.revision, it.announced)).collect();
    assert_eq!(told, [("updated", 2, true)]);
    let game = proto::Game::decode(&*changes[0].state).unwrap();
    assert_eq!(name_of(&game.cover_url.unwrap()), name);

    for (file, expected) in name.sizes().iter().zip([(1_200, 675), (600, 338)]) {
        let file = read(&service, &file.to_string()).await.unwrap();
        assert_eq!(file.size, u64::try_from(file.part.len()).unwrap());
        let decoded = image::load_from_memory(&file.part).unwrap();
        assert_eq!((decoded.width(), decoded.height()), expected);
    }
    // The same cover again changes nothing.
    let again = added(&service, ada, (COVER, "a-game"), &red).await;
    assert_eq!(again, name);
    assert_eq!(service.changes(before).await.len(), 1);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_has_its_avatar(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let before = service.head().await;
    let file = picture(300, 200, [0, 0, 200]);
    add(&service, ada, (AVATAR, "studio"), &file).await.unwrap();
    remove(&service, ada, (AVATAR, "studio"), "").await.unwrap();
    let pages = service
        .changes(before)
        .await
        .into_iter()
        .map(|it| proto::Page::decode(&*it.state).unwrap());
    let avatars: Vec<bool> = pages.map(|it| it.avatar_url.is_some()).collect();
    assert_eq!(avatars, [true, false]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn one_file_may_be_a_cover_and_a_screenshot(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    // The file has the size of a cover, so that neither use scales the large version.
    let file = picture(1_200, 675, [9, 8, 7]);
    let cover = added(&service, ada, (COVER, "a-game"), &file).await;
    let shot = added(&service, ada, (SHOT, "a-game"), &file).await;
    for (name, expected) in [(cover, (600, 338)), (shot, (640, 360))] {
        let [_, small] = name.sizes();
        let file = read(&service, &small.to_string()).await.unwrap();
        let decoded = image::load_from_memory(&file.part).unwrap();
        assert_eq!((decoded.width(), decoded.height()), expected);
    }
    let shots = own_game(&service, ada).await.screenshots;
    assert_eq!((shots[0].width, shots[0].height), (1_200, 675));
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_unknown_name_is_not_found(pool: PgPool) {
    let service = start_with_game(pool).await;
    for name in ["../../etc/passwd", "x.jpg", "", &format!("{}.jpg", "0".repeat(64))] {
        let refused = read(&service, name).await.unwrap_err();
        assert_eq!(Fault::from(refused).code, Code::NotFound, "{name}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_picture_that_no_listing_names_is_deleted_after_a_day(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let ada = service.accounts().await.account;
    let cover = (COVER, "a-game");
    let file = picture(640, 480, [4, 5, 6]);
    let replaced = added(&service, ada, cover, &file).await;
    let used = added(&service, ada, cover, &picture(640, 480, [1, 2, 3])).await;
    // An upload that was interrupted before the listing named the picture.
    let interrupted = picture(640, 480, [7, 8, 9]);
    let interrupted = service.processor.store(interrupted, PictureKind::Cover).await.unwrap().name;
    let after = |hours: i64| NOW + time::Duration::hours(hours);
    assert_eq!(sweep(&pool, &service.store, after(23)).await.unwrap(), 0);
    assert_eq!(sweep(&pool, &service.store, after(25)).await.unwrap(), 2);
    assert_eq!(sweep(&pool, &service.store, after(25)).await.unwrap(), 0);
    for (name, expected) in [(&used, true), (&replaced, false), (&interrupted, false)] {
        for file in name.sizes() {
            let found = service.store.part(&file, 0, 10).await.unwrap();
            assert_eq!(found.is_some(), expected, "{file}");
        }
    }
    // A deleted picture may be uploaded again.
    assert_eq!(added(&service, ada, cover, &file).await, replaced);
    assert!(read(&service, &replaced.to_string()).await.is_ok());
}

/// Replaces a file by a folder, which cannot be deleted as a file.
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
    let stuck = &stored[0].name;
    undeletable(&service, stuck);
    let after = |hours: i64| NOW + time::Duration::hours(hours);
    assert_eq!(sweep(&pool, &service.store, after(25)).await.unwrap(), 2);
    assert_eq!(sweep(&pool, &service.store, after(26)).await.unwrap(), 0);
    std::fs::remove_dir_all(service.folder().join(stuck.path())).unwrap();
    assert_eq!(sweep(&pool, &service.store, after(27)).await.unwrap(), 1);
}
