//! Pictures: uploaded by staff, in the answers of the API, and served to browsers (§10.9).

use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_upload::Message;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use e2e::{Fleet, Staff, dial};
use image::codecs::png::PngEncoder;
use image::{Rgb, RgbImage};
use kit::rpc::client::Client as Channel;
use serde_json::json;

use crate::lists::live;

/// A PNG that no other run of this test has made.
fn picture() -> Vec<u8> {
    let unique = kit::ids::row_id();
    let mut colours = unique.as_bytes().iter().copied().cycle();
    let mut file = Vec::new();
    let mut tile = RgbImage::from_fn(16, 16, |_, _| {
        Rgb([0; 3].map(|_: u8| colours.next().unwrap()))
    });
    tile = image::imageops::resize(&tile, 1_600, 900, image::imageops::FilterType::Triangle);
    tile.write_with_encoder(PngEncoder::new(&mut file)).unwrap();
    file
}

async fn staff(fleet: &Fleet) -> StaffPictureServiceClient<Channel> {
    let token = fleet.staff_token.clone().into();
    let channel = dial(&fleet.service("listings-svc").grpc, &token).await;
    StaffPictureServiceClient::new(channel)
}

fn upload(
    name: &str,
    alt: &str,
    file: &[u8],
) -> tonic::Request<impl futures::Stream<Item = proto::PictureUpload> + Send + 'static> {
    let header = proto::PictureHeader {
        mode: Mode::Live.into(),
        name: name.to_owned(),
        alt: alt.to_owned(),
        place: None,
    };
    let messages: Vec<proto::PictureUpload> = std::iter::once(Message::Header(header))
        .chain(
            file.chunks(64 * 1024)
                .map(|it| Message::Chunk(it.to_vec().into())),
        )
        .chain([Message::End(proto::PictureEnd {})])
        .map(|message| proto::PictureUpload {
            message: Some(message),
        })
        .collect();
    let mut request = tonic::Request::new(futures::stream::iter(messages));
    request.set_timeout(Duration::from_mins(1));
    request
}

/// A public game of this test; returns its slug.
async fn new_game(fleet: &Fleet) -> String {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    let handle = format!("pictured-{}", kit::ids::row_id().simple());
    staff.page(&account, &handle).await;
    let slug = format!("{handle}-game");
    let row = json!({"slug": slug, "title": "A Game", "release_year": 2024, "creator": handle});
    staff.import("game", &[row]).await;
    slug
}

#[tokio::test]
async fn an_uploaded_picture_is_in_the_answers_and_is_served() {
    let fleet = Fleet::shared();
    let client = live(&fleet).await;
    // Samples never change, and other tests read the games of the real directory.
    let slug = new_game(&fleet).await;
    let mut pictures = staff(&fleet).await;

    let cover = pictures.set_cover(upload(&slug, "", &picture())).await;
    let cover = cover.unwrap().into_inner().picture.unwrap();
    let shot = pictures
        .add_screenshot(upload(&slug, "A hill", &picture()))
        .await;
    let shot = shot.unwrap().into_inner().picture.unwrap();

    // Whoever was answered finds it, as with every write.
    let game = client.get(&format!("/games/{slug}")).await;
    assert_eq!(game.data()["cover_url"], cover.url.as_str());
    let shown = game.data()["screenshots"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(
        *shown,
        json!({"url": shot.url, "width": 1_600, "height": 900, "alt": "A hill"})
    );
    // Other tests publish games of their own, too.
    let games = client.all("/games", 100).await;
    let mut covers = games.iter().map(|row| &row["cover_url"]);
    assert!(covers.any(|it| it == cover.url.as_str()));

    let browser = reqwest::Client::new();
    for picture in [&cover, &shot] {
        let answer = browser.get(&picture.url).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let headers = answer.headers().clone();
        assert_eq!(headers["content-type"], "image/jpeg");
        assert_eq!(headers["content-length"], picture.size.to_string().as_str());
        assert_eq!(
            headers["cache-control"],
            "public, max-age=31536000, s-maxage=60, immutable"
        );
        assert_eq!(headers["x-content-type-options"], "nosniff");
        let file = answer.bytes().await.unwrap();
        let drawn = image::load_from_memory(&file).unwrap();
        assert_eq!(
            (drawn.width(), drawn.height()),
            (picture.width, picture.height)
        );

        let known = browser
            .get(&picture.url)
            .header("if-none-match", &headers["etag"]);
        let known = known.send().await.unwrap();
        assert_eq!(known.status(), 304);
        assert_eq!(known.headers()["etag"], headers["etag"]);
        assert!(known.bytes().await.unwrap().is_empty());

        let head = browser.head(&picture.url).send().await.unwrap();
        assert_eq!(head.headers()["etag"], headers["etag"]);
    }

    for kind in [proto::PictureKind::Cover, proto::PictureKind::Screenshot] {
        let request = proto::RemovePictureRequest {
            kind: kind.into(),
            mode: Mode::Live.into(),
            name: slug.clone(),
            url: shot.url.clone(),
        };
        pictures.remove_picture(request).await.unwrap();
    }
    let game = client.get(&format!("/games/{slug}")).await;
    assert!(game.data()["cover_url"].is_null());
}
