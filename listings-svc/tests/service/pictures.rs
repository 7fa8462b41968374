//! Pictures of listings, by staff: from the upload to the revision, the feed and the file store.

use std::time::Duration;

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_upload::Message;
use image::codecs::png::PngEncoder;
use image::{Rgb, RgbImage};
use kit::clock::Clock;
use kit::{Code, Fault};
use listings::domain::pictures::FileName;
use listings::jobs::sweep::sweep;
use prost::Message as _;
use serde_json::json;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::support::{File, NOW, Service, counts, creator, decide, game, start};

/// A PNG of one colour.
pub(crate) fn picture(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let mut file = Vec::new();
    RgbImage::from_pixel(width, height, Rgb(colour))
        .write_with_encoder(PngEncoder::new(&mut file))
        .unwrap();
    file
}

pub(crate) fn header(name: &str) -> proto::PictureHeader {
    proto::PictureHeader {
        mode: common::Mode::Live.into(),
        name: name.to_owned(),
        ..Default::default()
    }
}

/// The messages of an upload.
pub(crate) fn upload(header: proto::PictureHeader, file: &[u8]) -> Vec<proto::PictureUpload> {
    let chunks = file.chunks(10_000);
    std::iter::once(Message::Header(header))
        .chain(chunks.map(|chunk| Message::Chunk(chunk.to_vec().into())))
        .chain([Message::End(proto::PictureEnd {})])
        .map(|message| proto::PictureUpload {
            message: Some(message),
        })
        .collect()
}

pub(crate) enum Target {
    Cover,
    Avatar,
    Screenshot,
}

pub(crate) async fn send(
    service: &Service,
    target: &Target,
    messages: Vec<proto::PictureUpload>,
) -> Result<proto::PictureResponse, Status> {
    let mut pictures = service.pictures.clone();
    let mut request = tonic::Request::new(tokio_stream::iter(messages));
    request.set_timeout(Duration::from_mins(1));
    let answer = match target {
        Target::Cover => pictures.set_cover(request).await,
        Target::Avatar => pictures.set_avatar(request).await,
        Target::Screenshot => pictures.add_screenshot(request).await,
    };
    Ok(answer?.into_inner())
}

pub(crate) async fn set_cover(
    service: &Service,
    name: &str,
    file: &[u8],
) -> Result<proto::PictureResponse, Status> {
    send(service, &Target::Cover, upload(header(name), file)).await
}

async fn add(
    service: &Service,
    file: &[u8],
    alt: &str,
    place: Option<u32>,
) -> Result<proto::PictureResponse, Status> {
    let header = proto::PictureHeader {
        alt: alt.to_owned(),
        place,
        ..header("a-game")
    };
    send(service, &Target::Screenshot, upload(header, file)).await
}

async fn remove(
    service: &Service,
    kind: proto::PictureKind,
    name: &str,
    url: &str,
) -> proto::Listing {
    let request = proto::RemovePictureRequest {
        kind: kind.into(),
        mode: common::Mode::Live.into(),
        name: name.to_owned(),
        url: url.to_owned(),
    };
    let answer = service.pictures.clone().remove_picture(request).await;
    answer.unwrap().into_inner().listing.unwrap()
}

/// A service with a page `studio` and a game `a-game`.
pub(crate) async fn start_with_game(pool: PgPool) -> Service {
    let service = start(pool).await.with_gazetteer().await;
    for (entity, row) in [
        ("page", creator("studio")),
        ("game", game("a-game", "A Game")),
    ] {
        let report = service.import(&File::rows(entity, &[row])).await;
        assert_eq!(counts(&report), (1, 0, 0, 0));
    }
    service
}

pub(crate) fn name_of(picture: Option<&proto::Picture>) -> FileName {
    let url = &picture.unwrap().url;
    FileName::parse(
        url.strip_prefix("https://mchezo.example/pictures/")
            .unwrap(),
    )
    .unwrap()
}

/// Reads the whole file as the gateway does.
pub(crate) async fn read(
    service: &Service,
    name: &str,
) -> Result<proto::GetPictureResponse, Status> {
    read_width(service, name, 0).await
}

/// Reads the whole file as a member of an account does.
pub(crate) async fn read_as(
    service: &Service,
    account: Uuid,
    name: &str,
) -> Result<proto::GetPictureResponse, Status> {
    let request = proto::GetPictureRequest {
        account_id: account.to_string(),
        ..whole(name)
    };
    let read = service.files.clone().get_picture(request).await;
    Ok(read?.into_inner())
}

/// A request for a whole file.
pub(crate) fn whole(name: &str) -> proto::GetPictureRequest {
    proto::GetPictureRequest {
        name: name.to_owned(),
        most: u32::MAX,
        ..proto::GetPictureRequest::default()
    }
}

async fn read_width(
    service: &Service,
    name: &str,
    width: u32,
) -> Result<proto::GetPictureResponse, Status> {
    let request = proto::GetPictureRequest {
        width,
        ..whole(name)
    };
    Ok(service
        .files
        .clone()
        .get_picture(request)
        .await?
        .into_inner())
}

fn field(refused: Result<proto::PictureResponse, Status>) -> String {
    let fault = Fault::from(refused.unwrap_err());
    assert_eq!(fault.code, Code::Invalid, "{fault}");
    fault.fields.keys().cloned().collect::<Vec<_>>().join(" ")
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_cover_is_stored_named_by_the_game_and_published(pool: PgPool) {
    let service = start_with_game(pool).await;
    let before = service.head().await;
    let red = picture(1_300, 800, [200, 0, 0]);
    let answer = set_cover(&service, "a-game", &red).await.unwrap();
    let listing = answer.listing.clone().unwrap();
    assert_eq!(
        (listing.revision, listing.actor_kind.as_str()),
        (2, "staff")
    );
    let (large, small) = (
        answer.picture.clone().unwrap(),
        answer.small.clone().unwrap(),
    );
    assert_eq!((large.width, large.height), (1_200, 675));
    assert_eq!((small.width, small.height), (600, 338));

    let changes = service.changes(before).await;
    let told: Vec<_> = changes
        .iter()
        .map(|it| (it.event.as_str(), it.revision, it.announced))
        .collect();
    assert_eq!(told, [("updated", 2, true)]);
    let game = proto::Game::decode(&*changes[0].state).unwrap();
    assert_eq!(game.cover_url.as_deref(), Some(large.url.as_str()));

    for made in [&answer.picture, &answer.small] {
        let made = made.as_ref().unwrap();
        let name = name_of(Some(made)).to_string();
        let file = read(&service, &name).await.unwrap();
        assert_eq!(file.size, made.size);
        assert_eq!(
            hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&file.part)),
            name[..64]
        );
    }
    // The same cover again changes nothing.
    let again = set_cover(&service, "a-game", &red).await.unwrap();
    assert_eq!(again, answer);
    assert_eq!(service.changes(before).await.len(), 1);

    let listing = remove(&service, proto::PictureKind::Cover, "a-game", "").await;
    assert_eq!(listing.revision, 3);
    let changes = service.changes(before).await;
    let game = proto::Game::decode(&*changes[1].state).unwrap();
    assert_eq!(game.cover_url, None);
    // A revision names the file, so it stays.
    assert!(
        read(&service, &name_of(answer.picture.as_ref()).to_string())
            .await
            .is_ok()
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_picture_is_also_read_by_the_width_of_its_small_size(pool: PgPool) {
    let service = start_with_game(pool).await;
    // One upload is the cover and a screenshot: four files of one shape, and of a wide picture another shape.
    let file = picture(1_280, 720, [9, 8, 7]);
    let cover = set_cover(&service, "a-game", &file).await.unwrap();
    let shot = add(&service, &file, "", None).await.unwrap();
    let wide = picture(1_360, 340, [1, 2, 3]);
    let other = set_cover(&service, "a-game", &wide).await.unwrap();
    let wide = add(&service, &wide, "", None).await.unwrap();
    for (made, width) in [(&cover, 600), (&shot, 640), (&other, 600), (&wide, 640)] {
        let (large, small) = (made.picture.as_ref(), made.small.as_ref());
        assert_eq!(small.unwrap().width, width);
        let read = async |width: u32| {
            let name = name_of(large).to_string();
            read_width(&service, &name, width).await.unwrap()
        };
        let found = read(width).await;
        assert_eq!(found.name, name_of(small).to_string());
        assert_eq!(found.size, small.unwrap().size);
        for width in [0, 1, 500, 5_000, u32::MAX] {
            assert_eq!(
                read(width).await.name,
                name_of(large).to_string(),
                "{width}"
            );
        }
    }
    // A small size that is the picture itself.
    let tiny = add(&service, &picture(320, 180, [0, 0, 9]), "", None).await;
    let tiny = name_of(tiny.unwrap().picture.as_ref()).to_string();
    let found = read_width(&service, &tiny, 640).await.unwrap();
    assert_eq!(found.name, tiny);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_has_its_avatar(pool: PgPool) {
    let service = start_with_game(pool).await;
    let before = service.head().await;
    let messages = upload(header("studio"), &picture(300, 200, [0, 0, 200]));
    let answer = send(&service, &Target::Avatar, messages).await.unwrap();
    let changes = service.changes(before).await;
    let page = proto::Page::decode(&*changes[0].state).unwrap();
    assert_eq!(page.avatar_url, Some(answer.picture.unwrap().url));
    remove(&service, proto::PictureKind::Avatar, "studio", "").await;
    let changes = service.changes(before).await;
    let page = proto::Page::decode(&*changes[1].state).unwrap();
    assert_eq!(page.avatar_url, None);
}

#[testing::database_test(listings::MIGRATOR)]
async fn screenshots_have_positions_and_alternative_texts(pool: PgPool) {
    let service = start_with_game(pool).await;
    let (one, two) = (
        picture(640, 480, [200, 0, 0]),
        picture(320, 180, [0, 200, 0]),
    );
    let first = add(&service, &one, "A hill", None).await.unwrap();
    let second = add(&service, &two, "A river", Some(0)).await.unwrap();
    let shown = async || {
        let changes = service.changes(0).await;
        let game = proto::Game::decode(&*changes.last().unwrap().state).unwrap();
        let shown = game.screenshots.into_iter();
        shown
            .map(|it| (it.url, it.width, it.height, it.alt))
            .collect::<Vec<_>>()
    };
    let [first, second] = [first, second].map(|it| it.picture.unwrap().url);
    let hill = (first.clone(), 640, 480, "A hill".to_owned());
    let river = (second.clone(), 320, 180, "A river".to_owned());
    assert_eq!(shown().await, [river.clone(), hill.clone()]);
    add(&service, &one, "A hill", Some(0)).await.unwrap();
    assert_eq!(shown().await, [hill, river.clone()]);
    let last_part = first.rsplit('/').next().unwrap();
    remove(
        &service,
        proto::PictureKind::Screenshot,
        "a-game",
        last_part,
    )
    .await;
    assert_eq!(shown().await, [river]);
    remove(&service, proto::PictureKind::Screenshot, "a-game", &second).await;
    assert!(shown().await.is_empty());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_screenshot_that_is_not_there_is_not_removed(pool: PgPool) {
    let service = start_with_game(pool).await;
    let mut row = game("imported", "Imported");
    row["screenshots"] = json!([{"url": "https://cdn.example/a/shot1.png", "width": 640, "height": 480, "alt": "A hill"}]);
    let report = service.import(&File::rows("game", &[row])).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let kind = proto::PictureKind::Screenshot;
    let changed = remove(&service, kind, "imported", "shot1.png").await;
    assert_eq!(changed.revision, 2);
    let request = proto::RemovePictureRequest {
        kind: kind.into(),
        mode: common::Mode::Live.into(),
        name: "imported".to_owned(),
        url: "shot1.png".to_owned(),
    };
    let again = service.pictures.clone().remove_picture(request).await;
    let fault = Fault::from(again.unwrap_err());
    assert!(
        fault.fields["url"].contains("no such screenshot"),
        "{fault:?}"
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn every_problem_of_an_upload_is_named(pool: PgPool) {
    let service = start_with_game(pool).await;
    let good = picture(640, 480, [0, 0, 0]);
    let bad = proto::PictureHeader {
        alt: "a\u{1b}b".to_owned(),
        place: Some(1),
        ..Default::default()
    };
    let refused = send(&service, &Target::Cover, upload(bad, &good)).await;
    assert_eq!(field(refused), "alt mode place");
    assert_eq!(
        field(set_cover(&service, "a-game", b"no picture").await),
        "picture"
    );
    let long = vec![0xFF; 10 * 1024 * 1024 + 1];
    assert_eq!(field(set_cover(&service, "a-game", &long).await), "picture");
    // A stream is the header, the file, the end.
    let whole = upload(header("a-game"), &good);
    for messages in [
        whole[1..].to_vec(),
        vec![],
        vec![whole[0].clone(), whole[0].clone()],
        [&whole[..], &whole[1..2]].concat(),
    ] {
        let refused = send(&service, &Target::Cover, messages).await;
        assert_eq!(field(refused), "message");
    }
    let broken = send(&service, &Target::Cover, whole[..whole.len() - 1].to_vec()).await;
    assert_eq!(Fault::from(broken.unwrap_err()).code, Code::Unavailable);
    assert_eq!(service.revisions().await, 2);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_removed_or_unknown_listing_is_not_found(pool: PgPool) {
    let service = start_with_game(pool).await;
    let good = picture(640, 480, [0, 0, 0]);
    let code =
        |refused: Result<proto::PictureResponse, Status>| Fault::from(refused.unwrap_err()).code;
    assert_eq!(
        code(set_cover(&service, "no-game", &good).await),
        Code::NotFound
    );
    let name = proto::ListingName {
        kind: "game".to_owned(),
        mode: common::Mode::Live.into(),
        name: "a-game".to_owned(),
    };
    let down = proto::Decision::TakeDown;
    decide(&service.operator_client, down, (name, None), "Stolen")
        .await
        .unwrap();
    assert_eq!(
        code(set_cover(&service, "a-game", &good).await),
        Code::NotFound
    );
    for name in [
        "../../etc/passwd",
        "x.jpg",
        "",
        &format!("{}.jpg", "0".repeat(64)),
    ] {
        let refused = read(&service, name).await.unwrap_err();
        assert_eq!(Fault::from(refused).code, Code::NotFound, "{name}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_file_without_pictures_leaves_those_that_were_uploaded(pool: PgPool) {
    let service = start_with_game(pool).await;
    set_cover(&service, "a-game", &picture(640, 480, [9, 9, 9]))
        .await
        .unwrap();
    let same = File::rows("game", &[game("a-game", "A Game")]);
    assert_eq!(counts(&service.import(&same).await), (0, 0, 1, 0));
}

#[testing::database_test(listings::MIGRATOR)]
async fn only_unused_files_are_deleted_and_only_after_a_day(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let used = set_cover(&service, "a-game", &picture(640, 480, [1, 2, 3]))
        .await
        .unwrap();
    let unused = service
        .processor
        .store(
            picture(640, 480, [4, 5, 6]),
            listings::domain::pictures::PictureKind::Cover,
        )
        .await
        .unwrap();
    let after = |hours: i64| Clock::fixed(NOW + time::Duration::hours(hours));
    assert_eq!(sweep(&pool, &service.store, &after(23)).await.unwrap(), 0);
    assert_eq!(sweep(&pool, &service.store, &after(25)).await.unwrap(), 2);
    assert_eq!(sweep(&pool, &service.store, &after(25)).await.unwrap(), 0);
    for (made, there) in [
        (name_of(used.picture.as_ref()), true),
        (name_of(used.small.as_ref()), true),
        (unused.large.name, false),
        (unused.small.name, false),
    ] {
        let found = service.store.part(&made, 0, 10).await.unwrap();
        assert_eq!(found.is_some(), there, "{made}");
    }
    // A deleted file may be uploaded again.
    set_cover(&service, "a-game", &picture(640, 480, [4, 5, 6]))
        .await
        .unwrap();
}
