//! Pictures of a listing: the upload, the order of screenshots, and the files.

use http::header::CONTENT_TYPE;
use sqlx::PgPool;

use crate::browser::{Browser, Page};
use crate::stub_pictures::{file, pending_file};
use crate::support::studio;

const FORM: &str = "multipart/form-data; boundary=edge";

/// Posts a file as a browser does from a page of the site.
async fn upload(browser: &mut Browser, path: &str, file: &[u8]) -> Page {
    let mut body = b"--edge\r\ncontent-disposition: form-data; name=\"picture\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n".to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--edge--\r\n");
    browser.post_body(path, FORM, body).await
}

#[testing::database_test(web::MIGRATOR)]
async fn an_uploaded_picture_is_shown_at_once(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    owner.get(&base).await.assert(200, "enctype=\"multipart/form-data\"");
    let large = [b"JPEG".as_slice(), &vec![7; 300_000]].concat();
    let sent = upload(&mut owner, &format!("{base}/cover"), &large).await;
    assert!(sent.location().ends_with("/pictures?done=pictures-changed"));
    let sent = upload(&mut owner, &format!("{base}/screenshot"), b"JPEG").await;
    sent.location();
    assert_eq!(site.listings.recorded(), ["add Cover okoto 300004", "add Screenshot okoto 4"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_file_over_ten_megabytes_is_refused(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    let mut large = b"JPEG".to_vec();
    // Only the beginning of the longest file is read.
    for size in [10 * 1024 * 1024 + 1, 65 * 1024 * 1024] {
        large.resize(size, 7);
        let page = upload(&mut owner, &format!("{base}/cover"), &large).await;
        page.assert(413, "10 MB at most");
    }
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
    let event = format!("/accounts/{account}/listings/event/okoto/pictures/cover");
    for path in [format!("{base}/avatar"), event] {
        let page = upload(&mut owner, &path, b"JPEG").await;
        page.assert(404, "Not found");
    }
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
    owner.post(&format!("{base}/screenshot/remove"), &[("url", "one")]).await.location();
    assert_eq!(site.listings.recorded(), ["arrange A road,A hill", "remove Screenshot one"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn files_come_through_the_site(pool: PgPool) {
    let (_site, account, mut owner) = studio(pool).await;
    let picture = owner.get(&format!("/accounts/{account}/pictures/{}", file())).await;
    assert_eq!(picture.status, 200);
    assert_eq!(picture.headers[CONTENT_TYPE], "image/jpeg");
    assert_eq!(picture.headers["x-content-type-options"], "nosniff");
    assert_eq!(picture.text.len(), 600_000);
    // The picture of a pending listing is shown only to members of its account.
    let pending = pending_file();
    let shown = format!("/accounts/{account}/pictures/{pending}");
    assert_eq!(owner.get(&shown).await.status, 200);
    assert_eq!(owner.get(&format!("/pictures/{pending}")).await.status, 404);
    for name in ["x.jpg", "..%2fsecret.jpg", &"0a".repeat(32)] {
        let page = owner.get(&format!("/accounts/{account}/pictures/{name}")).await;
        page.assert(404, "Not found");
    }
}
