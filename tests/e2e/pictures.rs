//! Pictures: uploaded by an account, in the answers of the API, and served to browsers (§10.9).

use std::time::Duration;

use contracts::listings::v1::add_own_picture_request::Message;
use contracts::listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
use contracts::listings::v1::{self as proto, PictureKind};
use e2e::{Fleet, Staff};
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

/// Gives the game a picture, as the dashboard does for a member of the account.
async fn upload(
    pictures: &mut OwnPicturesServiceClient<Channel>,
    account: &str,
    (kind, game): (PictureKind, &str),
    file: &[u8],
) {
    let header = proto::OwnPictureHeader {
        account_id: account.to_owned(),
        kind: kind.into(),
        name: game.to_owned(),
        writes_per_day: None,
    };
    let chunks = file.chunks(64 * 1024);
    let messages: Vec<proto::AddOwnPictureRequest> = std::iter::once(Message::Header(header))
        .chain(chunks.map(|it| Message::Chunk(it.to_vec().into())))
        .chain([Message::End(proto::PictureEnd {})])
        .map(|message| proto::AddOwnPictureRequest {
            message: Some(message),
        })
        .collect();
    let mut request = tonic::Request::new(futures::stream::iter(messages));
    request.set_timeout(Duration::from_mins(1));
    pictures.add_own_picture(request).await.unwrap();
}

/// A public game of this test; returns its account and its slug.
async fn new_game(fleet: &Fleet) -> (String, String) {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    let handle = format!("pictured-{}", kit::ids::row_id().simple());
    staff.page(&account, &handle).await;
    let slug = format!("{handle}-game");
    let row = json!({"slug": slug, "title": "A Game", "release_year": 2024, "creator": handle});
    staff.import("game", &[row]).await;
    (account.account.id, slug)
}

#[tokio::test]
async fn an_uploaded_picture_is_in_the_answers_and_is_served() {
    let fleet = Fleet::shared();
    let client = live(&fleet).await;
    // Samples never change, and other tests read the games of the real directory.
    let (account, slug) = new_game(&fleet).await;
    let channel = fleet.rpc_client("listings-svc").await;
    let mut pictures = OwnPicturesServiceClient::new(channel);
    for kind in [PictureKind::Cover, PictureKind::Screenshot] {
        upload(&mut pictures, &account, (kind, &slug), &picture()).await;
    }

    // Whoever was answered finds them, as with every write.
    let game = client.get(&format!("/games/{slug}")).await;
    let cover = game.data()["cover_url"].as_str().unwrap().to_owned();
    let shot = &game.data()["screenshots"][0];
    assert_eq!(
        (&shot["width"], &shot["height"]),
        (&json!(1_600), &json!(900))
    );
    let shot = shot["url"].as_str().unwrap().to_owned();
    // Other tests publish games of their own, too.
    let games = client.all("/games", 100).await;
    let mut covers = games.iter().map(|row| &row["cover_url"]);
    assert!(covers.any(|it| it == cover.as_str()));

    let browser = reqwest::Client::new();
    let small = cover.replace(".jpg", "-small.jpg");
    for (url, size) in [
        (&cover, (1_200, 675)),
        (&small, (600, 338)),
        (&shot, (1_600, 900)),
    ] {
        let answer = browser.get(url).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let headers = answer.headers().clone();
        assert_eq!(headers["content-type"], "image/jpeg");
        assert_eq!(
            headers["cache-control"],
            "public, max-age=31536000, s-maxage=60, immutable"
        );
        assert_eq!(headers["x-content-type-options"], "nosniff");
        let file = answer.bytes().await.unwrap();
        assert_eq!(headers["content-length"], file.len().to_string().as_str());
        let drawn = image::load_from_memory(&file).unwrap();
        assert_eq!((drawn.width(), drawn.height()), size);

        let known = browser.get(url).header("if-none-match", &headers["etag"]);
        let known = known.send().await.unwrap();
        assert_eq!(known.status(), 304);
        assert_eq!(known.headers()["etag"], headers["etag"]);
        assert!(known.bytes().await.unwrap().is_empty());

        let head = browser.head(url).send().await.unwrap();
        assert_eq!(head.headers()["etag"], headers["etag"]);
    }

    let removal = proto::RemoveOwnPictureRequest {
        account_id: account,
        kind: PictureKind::Cover.into(),
        name: slug.clone(),
        ..proto::RemoveOwnPictureRequest::default()
    };
    pictures.remove_own_picture(removal).await.unwrap();
    let game = client.get(&format!("/games/{slug}")).await;
    assert!(game.data()["cover_url"].is_null());
    let gone = browser.get(&cover).send().await.unwrap();
    assert_eq!(gone.status(), 404);
}
