//! Pictures: uploaded for an account, in the responses of the API, and served to browsers (§10.9).

use std::time::Duration;

use contracts::listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
use contracts::listings::v1::{self as proto, PictureKind};
use e2e::{Fleet, Studio};
use image::codecs::png::PngEncoder;
use image::{Rgb, RgbImage};
use kit::rpc::client::Client as Channel;
use serde_json::json;

/// A unique PNG.
fn picture() -> Vec<u8> {
    let unique = kit::ids::row_id();
    let mut colours = unique.as_bytes().iter().copied().cycle();
    let mut file = Vec::new();
    let mut tile =
        RgbImage::from_fn(16, 16, |_, _| Rgb([0; 3].map(|_: u8| colours.next().unwrap())));
    tile = image::imageops::resize(&tile, 1_600, 900, image::imageops::FilterType::Triangle);
    tile.write_with_encoder(PngEncoder::new(&mut file)).unwrap();
    file
}

/// Uploads a picture of a game, as the dashboard does for a member of the account.
async fn upload(
    pictures: &mut OwnPicturesServiceClient<Channel>,
    account: &str,
    (kind, game): (PictureKind, &str),
    file: &[u8],
) {
    let mut request = tonic::Request::new(proto::AddOwnPictureRequest {
        account_id: account.to_owned(),
        kind: kind.into(),
        name: game.to_owned(),
        writes_per_day: None,
        file: file.to_vec().into(),
    });
    request.set_timeout(Duration::from_mins(1));
    pictures.add_own_picture(request).await.unwrap();
}

#[tokio::test]
async fn an_uploaded_picture_is_in_the_answers_and_is_served() {
    let studio = Studio::new(&Fleet::shared()).await;
    let (account, slug) = (studio.account.account.id.clone(), &studio.game);
    let channel = studio.fleet.rpc_client("listings-svc").await;
    let mut pictures = OwnPicturesServiceClient::new(channel);
    for kind in [PictureKind::Cover, PictureKind::Screenshot] {
        upload(&mut pictures, &account, (kind, slug), &picture()).await;
    }
    // A read after the response to the upload shows the pictures, like after every write.
    let path = format!("/games/{slug}");
    let game = studio.live.get(&path).await;
    let cover = game.data()["cover_url"].as_str().unwrap();
    let shot = &game.data()["screenshots"][0];
    let size = (&shot["width"], &shot["height"]);
    assert_eq!(size, (&json!(1_600), &json!(900)));

    let small = cover.replace(".jpg", "-small.jpg");
    for (url, size) in
        [(cover, (1_200, 675)), (&small, (600, 338)), (shot["url"].as_str().unwrap(), (1_600, 900))]
    {
        let answer = reqwest::get(url).await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "image/jpeg");
        let drawn = image::load_from_memory(&answer.bytes().await.unwrap()).unwrap();
        assert_eq!((drawn.width(), drawn.height()), size);
    }

    let removal = proto::RemoveOwnPictureRequest {
        account_id: account,
        kind: PictureKind::Cover.into(),
        name: slug.clone(),
        ..proto::RemoveOwnPictureRequest::default()
    };
    pictures.remove_own_picture(removal).await.unwrap();
    let game = studio.live.get(&path).await;
    assert!(game.data()["cover_url"].is_null());
    assert_eq!(reqwest::get(cover).await.unwrap().status(), 404);
}
