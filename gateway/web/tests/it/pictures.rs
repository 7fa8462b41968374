//! Pictures of a listing: the upload with its crop, the order of screenshots, and the files.

use http::header::CONTENT_TYPE;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::stub_pictures::{file, prepared_file};
use crate::support::{BOB, studio};

const FORM: &str = "multipart/form-data; boundary=edge";

/// Sends a file, as a browser does from a page of the site.
async fn upload(browser: &mut Browser, path: &str, file: &[u8]) -> Page {
    let mut body = b"--edge\r\ncontent-disposition: form-data; name=\"picture\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n".to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--edge--\r\n");
    browser.post_body(path, FORM, body).await
}

#[testing::database_test(web::MIGRATOR)]
async fn the_crop_is_shown_before_the_listing_has_the_picture(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let plan = contracts::gateway::v1::Plan {
        writes_per_day: Some(50),
        ..Default::default()
    };
    *site.gateway.plan.lock().unwrap() = Some(plan);
    let left = "You can submit or change 43 more listings today.";
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    owner
        .get(&base)
        .await
        .assert(200, "enctype=\"multipart/form-data\"");
    let large = [b"JPEG".as_slice(), &vec![7; 300_000]].concat();
    let crop = upload(&mut owner, &format!("{base}/cover"), &large).await;
    crop.assert(200, "800 of the width are cut off");
    crop.assert(200, left);
    crop.assert(200, &format!("/accounts/{account}/pictures/{}", file()));
    let hidden = crop.hidden();
    let fields = [("id", hidden["id"].as_str())];
    let used = owner.post(&format!("{base}/cover/use"), &fields).await;
    assert!(used.location().ends_with("/pictures?done=pictures-changed"));
    assert_eq!(
        site.listings.recorded(),
        ["prepare Cover okoto 300004", "use \"\" None"]
    );

    let shot = upload(&mut owner, &format!("{base}/screenshot"), b"JPEG").await;
    let hidden = shot.hidden();
    let long = "x".repeat(301);
    let fields = |alt| {
        [
            ("id", hidden["id"].as_str()),
            ("src", hidden["src"].as_str()),
            ("crop", hidden["crop"].as_str()),
            ("alt", alt),
            ("place", "2"),
        ]
    };
    let refused = owner
        .post(&format!("{base}/screenshot/use"), &fields(&long))
        .await;
    refused.assert(422, "Shorten it.");
    refused.assert(422, left);
    refused.assert(422, &file());
    assert_eq!(refused.hidden(), hidden);
    for place in ["abc", "0"] {
        let mut odd = fields("A hill");
        odd[4].1 = place;
        let refused = owner.post(&format!("{base}/screenshot/use"), &odd).await;
        refused.assert(422, "id=\"place-error\">Write a whole number from 1");
        assert_eq!(refused.hidden(), hidden);
    }
    // While changes are closed, none counts as a write.
    site.gateway.switched.lock().unwrap().insert("read_only");
    let closed = owner
        .post(&format!("{base}/screenshot/use"), &fields("A hill"))
        .await;
    closed.assert(503, "read-only for a while");
    assert!(!closed.text.contains(left), "{}", closed.text);
    assert_eq!(closed.hidden(), hidden);
    site.gateway.switched.lock().unwrap().clear();
    let used = owner
        .post(&format!("{base}/screenshot/use"), &fields("A hill"))
        .await;
    used.location();
    assert_eq!(site.listings.recorded()[3], "use \"A hill\" Some(1)");
    let gone = owner
        .post(&format!("{base}/cover/use"), &[("id", "other")])
        .await;
    gone.assert(422, "Upload it again.");
    gone.assert(422, "id=\"cover-error\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_bad_upload_is_refused_with_a_sentence(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    let cover = format!("{base}/cover");
    upload(&mut owner, &cover, b"<svg onload=alert(1)>")
        .await
        .assert(422, "Send a JPEG.");
    upload(&mut owner, &cover, b"")
        .await
        .assert(422, "Choose a file.");
    let other = owner.post_body(&cover, "text/plain", "JPEG").await;
    other.assert(422, "Choose a file.");
    let cut_off = "--edge\r\ncontent-disposition: form-data; name=\"picture\"\r\n\r\nJPEG";
    let cut_off = owner.post_body(&cover, FORM, cut_off).await;
    cut_off.assert(422, "did not arrive whole");
    let mut large = b"JPEG".to_vec();
    large.resize(10 * 1024 * 1024 + 1, 7);
    upload(&mut owner, &cover, &large)
        .await
        .assert(413, "10 MB at most");
    large.resize(50 * 1024 * 1024, 7);
    upload(&mut owner, &cover, &large)
        .await
        .assert(413, "10 MB at most");
    large.resize(65 * 1024 * 1024, 7);
    upload(&mut owner, &cover, &large)
        .await
        .assert(413, "10 MB at most");
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
    for path in ["avatar", "nothing"] {
        let page = upload(&mut owner, &format!("{base}/{path}"), b"JPEG").await;
        page.assert(404, "Not found");
    }
    let event = format!("/accounts/{account}/listings/event/okoto/pictures/cover");
    upload(&mut owner, &event, b"JPEG")
        .await
        .assert(404, "Not found");
    let bob = site.person(BOB).await;
    let own = site.account(bob, Role::Owner).await;
    let mut neighbour = site.signed_in(BOB).await;
    let theirs = format!("/accounts/{own}/listings/game/okoto/pictures/cover");
    upload(&mut neighbour, &theirs, b"JPEG")
        .await
        .assert(404, "Not found");
    upload(&mut neighbour, &cover, b"JPEG")
        .await
        .assert(404, "Not found");
    site.gateway.switched.lock().unwrap().insert("read_only");
    upload(&mut owner, &cover, b"JPEG")
        .await
        .assert(503, "read-only for a while");
}

#[testing::database_test(web::MIGRATOR)]
async fn screenshots_are_arranged_and_removed(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let shot = |alt: &str| contracts::listings::v1::Screenshot {
        url: format!("https://mchezo.example/pictures/{}", file()),
        width: 640,
        height: 480,
        alt: alt.to_owned(),
    };
    site.listings.change(&account, "okoto", |game| {
        game.screenshots = vec![shot("A \"hill\""), shot("A road")];
        game.cover_url = Some("https://elsewhere.example/cover.jpg".to_owned());
    });
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    let page = owner.get(&base).await;
    page.assert(200, "A &#34;hill&#34;");
    page.assert(200, "On another site");
    assert!(!page.text.contains("src=\"https://"), "{}", page.text);
    let arrange = |alt| {
        [
            ("url", "one"),
            ("alt", alt),
            ("place", "2"),
            ("url", "two"),
            ("alt", "A road"),
            ("place", "2"),
        ]
    };
    let path = format!("{base}/arrange");
    let refused = owner.post(&path, &arrange("bad")).await;
    refused.assert(422, "Write another text.");
    refused.assert(422, "id=\"alt-2-error\"");
    owner.post(&path, &arrange("A hill")).await.location();
    owner
        .post(&format!("{base}/screenshot/remove"), &[("url", "one")])
        .await
        .location();
    assert_eq!(
        site.listings.recorded(),
        ["arrange A road,A hill", "remove Screenshot one"]
    );
}

#[testing::database_test(web::MIGRATOR)]
async fn files_come_through_the_site(pool: PgPool) {
    let (_site, account, mut owner) = studio(pool).await;
    let picture = owner
        .get(&format!("/accounts/{account}/pictures/{}", file()))
        .await;
    assert_eq!(picture.status, 200);
    assert_eq!(picture.headers[CONTENT_TYPE], "image/jpeg");
    assert_eq!(picture.text.len(), 600_000);
    // What the account has prepared is shown to its members only.
    let prepared = prepared_file();
    let shown = format!("/accounts/{account}/pictures/{prepared}");
    assert_eq!(owner.get(&shown).await.status, 200);
    assert_eq!(
        owner.get(&format!("/pictures/{prepared}")).await.status,
        404
    );
    for name in ["x.jpg", "..%2fsecret.jpg", &"0a".repeat(32)] {
        let page = owner
            .get(&format!("/accounts/{account}/pictures/{name}"))
            .await;
        page.assert(404, "Not found");
    }
}
