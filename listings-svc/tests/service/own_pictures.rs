//! Pictures that an account adds to its own listings.

use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use listings::domain::pictures::FileName;
use listings::jobs::sweep::sweep;
use sqlx::PgPool;
use uuid::Uuid;

use crate::pictures::{name_of, picture, start_with_game};
use crate::review::listing_name;
use crate::support::{Service, decide};

pub(crate) const STRANGER: Uuid = Uuid::from_u128(77);

fn client(service: &Service) -> OwnPicturesServiceClient<Client> {
    OwnPicturesServiceClient::new(service.fleet.clone())
}

fn request(
    account: Uuid,
    (kind, name): (proto::PictureKind, &str),
    file: &[u8],
) -> proto::AddOwnPictureRequest {
    proto::AddOwnPictureRequest {
        account_id: account.to_string(),
        kind: kind.into(),
        name: name.to_owned(),
        writes_per_day: None,
        file: file.to_vec().into(),
    }
}

async fn send(
    service: &Service,
    request: proto::AddOwnPictureRequest,
) -> Result<proto::AddOwnPictureResponse, Fault> {
    let mut request = tonic::Request::new(request);
    request.set_timeout(Duration::from_mins(1));
    let added = client(service).add_own_picture(request).await?;
    Ok(added.into_inner())
}

pub(crate) async fn add(
    service: &Service,
    account: Uuid,
    (kind, name): (proto::PictureKind, &str),
    file: &[u8],
) -> Result<proto::AddOwnPictureResponse, Fault> {
    send(service, request(account, (kind, name), file)).await
}

/// Gives a listing a picture; returns the name of its stored file.
pub(crate) async fn added(
    service: &Service,
    account: Uuid,
    (kind, name): (proto::PictureKind, &str),
    file: &[u8],
) -> FileName {
    add(service, account, (kind, name), file).await.unwrap();
    let game = own_game_named(service, account, name).await;
    let url = match kind {
        SHOT => game.screenshots.last().map(|it| it.url.clone()),
        _ => game.cover_url,
    };
    name_of(&url.unwrap())
}

/// Takes a picture from a listing.
pub(crate) async fn remove(
    service: &Service,
    account: Uuid,
    (kind, name): (proto::PictureKind, &str),
    url: &str,
) -> Result<proto::Written, Fault> {
    let request = proto::RemoveOwnPictureRequest {
        account_id: account.to_string(),
        kind: kind.into(),
        name: name.to_owned(),
        url: url.to_owned(),
        writes_per_day: None,
    };
    let removed = client(service).remove_own_picture(request).await?;
    Ok(removed.into_inner().written.unwrap())
}

pub(crate) async fn own_game(service: &Service, account: Uuid) -> proto::Game {
    own_game_named(service, account, "a-game").await
}

async fn own_game_named(service: &Service, account: Uuid, slug: &str) -> proto::Game {
    let request = proto::GetOwnListingRequest {
        account_id: account.to_string(),
        kind: "game".to_owned(),
        name: slug.to_owned(),
    };
    let found = service.own.clone().get_own_listing(request).await;
    match found.unwrap().into_inner().listing.unwrap() {
        proto::get_own_listing_response::Listing::Game(game) => game,
        other => unreachable!("{other:?}"),
    }
}

pub(crate) const COVER: proto::PictureKind = proto::PictureKind::Cover;
pub(crate) const AVATAR: proto::PictureKind = proto::PictureKind::Avatar;
pub(crate) const SHOT: proto::PictureKind = proto::PictureKind::Screenshot;

#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_has_an_added_picture_until_it_is_removed(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let file = picture(2_000, 675, [9, 90, 200]);
    for _ in 0..2 {
        let added = add(&service, ada, (COVER, "a-game"), &file).await.unwrap();
        let written = added.written.unwrap();
        // A repeated upload changes nothing.
        assert_eq!((written.state(), written.revision), (proto::State::Published, 2));
        assert!(own_game(&service, ada).await.cover_url.is_some());
    }

    let cover = (COVER, "a-game");
    for _ in 0..2 {
        let removed = remove(&service, ada, cover, "").await.unwrap();
        assert_eq!(removed.revision, 3);
    }
    assert_eq!(own_game(&service, ada).await.cover_url, None);
    let refused = remove(&service, STRANGER, cover, "").await.unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn screenshots_can_be_described_and_reordered(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let mut urls = Vec::new();
    for n in 1..=3 {
        let file = picture(640, 480, [n, n, n]);
        add(&service, ada, (SHOT, "a-game"), &file).await.unwrap();
        let shots = own_game(&service, ada).await.screenshots;
        urls.push(shots.last().unwrap().url.clone());
    }
    let stored = own_game(&service, ada).await.screenshots;
    assert!(stored.iter().map(|shot| &shot.url).eq(&urls));
    let alts = async || {
        let shots = own_game(&service, ada).await.screenshots;
        shots.into_iter().map(|it| it.alt).collect::<Vec<_>>()
    };
    let arrange = async |account: Uuid, order: &[(&str, &str)]| {
        let screenshots = order.iter().map(|(url, alt)| proto::ArrangedScreenshot {
            url: (*url).to_owned(),
            alt: (*alt).to_owned(),
        });
        let request = proto::ArrangeScreenshotsRequest {
            account_id: account.to_string(),
            name: "a-game".to_owned(),
            screenshots: screenshots.collect(),
            writes_per_day: None,
            revision: own_game(&service, ada).await.revision,
        };
        let arranged = client(&service).arrange_screenshots(request).await;
        arranged.map(|it| it.into_inner().written.unwrap()).map_err(Fault::from)
    };
    let order = [(urls[0].as_str(), "A hill at dawn"), (&urls[1], "Hill 2"), (&urls[2], "")];
    arrange(ada, &order).await.unwrap();
    assert_eq!(alts().await, ["A hill at dawn", "Hill 2", ""]);
    for (account, order, code) in [
        (ada, &order[..2], Code::PreconditionFailed),
        (ada, &[(urls[0].as_str(), "a\nb")][..], Code::Invalid),
        (STRANGER, &order[..], Code::NotFound),
    ] {
        let refused = arrange(account, order).await.unwrap_err();
        assert_eq!(refused.code, code, "{refused}");
        assert_eq!(refused.fields.contains_key("screenshots.0.alt"), code == Code::Invalid);
    }
    assert_eq!(alts().await, ["A hill at dawn", "Hill 2", ""]);
    // A screenshot that is uploaded again keeps its place.
    let file = picture(640, 480, [2, 2, 2]);
    add(&service, ada, (SHOT, "a-game"), &file).await.unwrap();
    assert_eq!(alts().await, ["A hill at dawn", "Hill 2", ""]);
    let last_part = urls[1].rsplit('/').next().unwrap();
    for url in [&urls[0], last_part] {
        remove(&service, ada, (SHOT, "a-game"), url).await.unwrap();
    }
    assert_eq!(alts().await, [""]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn texts_of_an_older_revision_do_not_replace_newer_ones(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let file = picture(640, 480, [1, 2, 3]);
    add(&service, ada, (SHOT, "a-game"), &file).await.unwrap();
    let read = own_game(&service, ada).await;
    let arrange = async |alt: &str, revision: i64| {
        let shot =
            proto::ArrangedScreenshot { url: read.screenshots[0].url.clone(), alt: alt.to_owned() };
        let request = proto::ArrangeScreenshotsRequest {
            account_id: ada.to_string(),
            name: "a-game".to_owned(),
            screenshots: vec![shot],
            writes_per_day: None,
            revision,
        };
        let arranged = client(&service).arrange_screenshots(request).await;
        arranged.map(|it| it.into_inner().written.unwrap().revision).map_err(Fault::from)
    };
    assert_eq!(arrange("A hill", read.revision).await.unwrap(), read.revision + 1);
    let refused = arrange("A road", read.revision).await.unwrap_err();
    assert_eq!(refused.code, Code::PreconditionFailed);
    assert_eq!(own_game(&service, ada).await.screenshots[0].alt, "A hill");
}

#[testing::database_test(listings::MIGRATOR)]
async fn pictures_of_a_public_listing_count_as_daily_writes(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let (ada, writes_per_day) = (accounts.account, Some(2));
    // Submitting a game is a write.
    accounts.game("a-second-game").await;
    let mut client = client(&service);
    for (n, game, expected) in [
        (1, "a-second-game", None),
        (2, "a-second-game", None),
        (3, "a-game", None),
        (4, "a-game", Some(Code::Limit)),
    ] {
        let request = request(ada, (SHOT, game), &picture(640, 480, [n, 2, 3]));
        let request = proto::AddOwnPictureRequest { writes_per_day, ..request };
        let added = send(&service, request).await;
        assert_eq!(added.err().map(|fault| fault.code), expected, "{game}");
    }
    let shot = own_game(&service, ada).await.screenshots.remove(0);
    let arrange = |alt: &str| proto::ArrangeScreenshotsRequest {
        account_id: ada.to_string(),
        name: "a-game".to_owned(),
        screenshots: vec![proto::ArrangedScreenshot { url: shot.url.clone(), alt: alt.to_owned() }],
        writes_per_day,
        revision: 2,
    };
    let same = client.arrange_screenshots(arrange(&shot.alt)).await;
    assert!(same.is_ok(), "it changes nothing");
    let refused = client.arrange_screenshots(arrange("A hill")).await;
    assert_eq!(Fault::from(refused.unwrap_err()).code, Code::Limit);
    let remove = proto::RemoveOwnPictureRequest {
        account_id: ada.to_string(),
        kind: SHOT.into(),
        name: "a-game".to_owned(),
        url: shot.url,
        writes_per_day,
    };
    let refused = client.remove_own_picture(remove).await.unwrap_err();
    assert_eq!(Fault::from(refused).code, Code::Limit);
    assert_eq!(own_game(&service, ada).await.revision, 2);
}

#[testing::database_test(listings::MIGRATOR)]
async fn uploads_for_others_and_beyond_the_limit_are_refused(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let small = picture(640, 480, [1, 2, 3]);
    for (account, name) in [(STRANGER, "a-game"), (ada, "nothing"), (ada, "a\0b")] {
        let refused = add(&service, account, (SHOT, name), &small).await.unwrap_err();
        assert_eq!(refused.code, Code::NotFound, "{name}");
    }
    let bad = add(&service, ada, (SHOT, "a-game"), b"GIF89a, or so").await.unwrap_err();
    assert!(bad.fields["picture"].contains("JPEG"), "{bad}");
    let large = vec![0; 10 * 1024 * 1024 + 1];
    let bad = add(&service, ada, (SHOT, "a-game"), &large).await.unwrap_err();
    assert!(bad.fields["picture"].contains("10 MB"), "{bad}");
    for _ in 0..3 {
        add(&service, ada, (SHOT, "a-game"), &small).await.unwrap();
    }
    // The two refused files count too: this is the sixth upload.
    let refused = add(&service, ada, (SHOT, "a-game"), &small).await.unwrap_err();
    assert_eq!(refused.code, Code::Limit, "five in 24 hours");
    let day = 86_400;
    let wait = refused.retry_after.unwrap();
    assert!(wait <= day, "{wait}");
    service.clock.advance(time::Duration::hours(23));
    let refused = add(&service, ada, (SHOT, "a-game"), &small).await.unwrap_err();
    let wait = refused.retry_after.unwrap();
    assert!((1..=day / 24).contains(&wait), "{wait}");
    service.clock.advance(time::Duration::hours(2));
    sweep(&service.pool, &service.store, service.clock.now()).await.unwrap();
    let next_day = add(&service, ada, (SHOT, "a-game"), &small).await;
    next_day.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_picture_for_a_removed_game_is_refused(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let name = (listing_name("game", "a-game"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::TakeDown, name, "Stolen").await.unwrap();
    let file = picture(640, 480, [1, 2, 3]);
    let refused = add(&service, ada, (COVER, "a-game"), &file).await;
    assert_eq!(refused.unwrap_err().code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_new_picture_submits_a_rejected_game_again(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("a-second-game").await;
    let name = (listing_name("game", "a-second-game"), None);
    let client = &service.operator_client;
    decide(client, proto::Decision::Reject, name, "The cover is blank").await.unwrap();
    let file = picture(1_200, 675, [1, 2, 3]);
    let added = add(&service, ada, (COVER, "a-second-game"), &file).await;
    let written = added.unwrap().written.unwrap();
    assert_eq!(written.state(), proto::State::Pending);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_picture_that_staff_name_by_any_address_is_the_uploaded_one(pool: PgPool) {
    let service = start_with_game(pool.clone()).await;
    let ada = service.accounts().await.account;
    let file = picture(640, 480, [1, 2, 3]);
    let shot = added(&service, ada, (SHOT, "a-game"), &file).await;
    let url = format!("https://mchezo.example{}", shot.address());
    remove(&service, ada, (SHOT, "a-game"), &url).await.unwrap();
    let edit = async |url: &str| {
        let shots = serde_json::json!([{"url": url, "width": 640, "height": 480}]);
        let request = proto::EditRequest {
            name: Some(listing_name("game", "a-game")),
            changes: serde_json::json!({"screenshots": shots, "cover_url": url}).to_string(),
            ..proto::EditRequest::default()
        };
        let staff = StaffReviewServiceClient::new(service.operator_client.clone());
        staff.clone().edit(request).await.map_err(Fault::from)
    };
    for address in [url.as_str(), &shot.address()] {
        edit(address).await.unwrap();
        let stored = sqlx::query_scalar!(
            r#"select array[content ->> 'cover_url', content -> 'screenshots' -> 0 ->> 'url'] as "urls!"
               from listings.listing where name = 'a-game'"#
        ).fetch_one(&pool).await.unwrap();
        assert_eq!(stored, [shot.address(), shot.address()]);
        // Its owner removes it like any other.
        let gone = remove(&service, ada, (SHOT, "a-game"), &url).await;
        gone.unwrap();
        assert_eq!(own_game(&service, ada).await.screenshots.len(), 0);
    }
    // A picture that the sweep has deleted cannot be named.
    sqlx::raw_sql("truncate listings.listing_picture, listings.picture")
        .execute(&pool)
        .await
        .unwrap();
    let refused = edit(&url).await.unwrap_err();
    let fields: Vec<&String> = refused.fields.keys().collect();
    assert_eq!(fields, ["cover_url", "screenshots.0.url"]);
}
