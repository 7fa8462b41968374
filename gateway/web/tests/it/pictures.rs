//! Pictures of a listing: the upload, the order of screenshots, and the files.

use http::header::CONTENT_TYPE;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::stub_pictures::{file, pending_file, screenshot_url};
use crate::support::{BOB, Site, studio};

const FORM: &str = "multipart/form-data; boundary=edge";

/// Posts a file as a browser does from a page of the site.
async fn upload(browser: &mut Browser, path: &str, file: &[u8]) -> Page {
    upload_with(browser, path, &[], file).await
}

/// Posts the form of the pictures with its texts and a file. The last part of the path is the
/// name of the file's field.
async fn upload_with(
    browser: &mut Browser,
    path: &str,
    texts: &[(&str, &str)],
    file: &[u8],
) -> Page {
    let part = |head: String, content: &[u8]| {
        let head = format!("--edge\r\ncontent-disposition: form-data; {head}\r\n\r\n");
        [head.as_bytes(), content, b"\r\n"].concat()
    };
    let mut body = Vec::new();
    for (name, value) in texts {
        body.extend(part(format!("name=\"{name}\""), value.as_bytes()));
    }
    let field = path.rsplit('/').next().unwrap();
    body.extend(part(format!("name=\"{field}\"; filename=\"a.jpg\""), file));
    body.extend_from_slice(b"--edge--\r\n");
    browser.post_body(path, FORM, body).await
}

/// The form of a page of pictures, with these texts in the places of their rows.
async fn opened(browser: &mut Browser, page: &str, rows: &[(&str, &str)]) -> Vec<(String, String)> {
    let shown = browser.get(page).await;
    shown.assert(200, "name=\"base\"");
    form(&shown, rows)
}

fn form(page: &Page, rows: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut fields = vec![("base".to_owned(), page.hidden()["base"].clone())];
    for (index, (url, alt)) in rows.iter().enumerate() {
        fields.push(("url".to_owned(), (*url).to_owned()));
        fields.push(("alt".to_owned(), (*alt).to_owned()));
        fields.push(("place".to_owned(), (index + 1).to_string()));
    }
    fields
}

async fn send(browser: &mut Browser, path: &str, fields: &[(String, String)]) -> Page {
    let fields: Vec<_> = fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    browser.post(path, &fields).await
}

/// The texts of the game's screenshots, in their order.
fn alts(site: &Site, account: &str) -> Vec<String> {
    let games = site.listings.games.lock().unwrap();
    let game = &games[&(account.to_owned(), "okoto".to_owned())];
    game.screenshots.iter().map(|shot| shot.alt.clone()).collect()
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
    let [one, two] = [file(), file().replace("0a", "0b")]
        .map(|name| format!("https://mchezo.example/pictures/{name}"));
    let shot = |url: &str, alt: &str| contracts::listings::v1::Screenshot {
        url: url.to_owned(),
        width: 640,
        height: 480,
        alt: alt.to_owned(),
    };
    site.listings.change(&account, "okoto", |game| {
        game.screenshots = vec![shot(&one, "A \"hill\""), shot(&two, "A road")];
        game.cover_url = Some("https://elsewhere.example/cover.jpg".to_owned());
    });
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    let page = owner.get(&base).await;
    page.assert(200, "A &#34;hill&#34;");
    page.assert(200, "On another site");
    assert!(!page.text.contains("src=\"https://"), "{}", page.text);
    let path = format!("{base}/arrange");
    let rows = |alt| [(one.as_str(), alt), (two.as_str(), "A road")];
    let mut form = opened(&mut owner, &base, &rows("bad")).await;
    // The first screenshot moves down.
    form[3].1 = "2".to_owned();
    let refused = send(&mut owner, &path, &form).await;
    refused.assert(422, "Write another text.");
    refused.assert(422, "id=\"alt-2-error\"");
    form[2].1 = "A hill".to_owned();
    send(&mut owner, &path, &form).await.location();
    let remove = [("remove", one.as_str())];
    owner.post(&format!("{base}/screenshot/remove"), &remove).await.location();
    assert_eq!(
        site.listings.recorded(),
        ["arrange A road,A hill".to_owned(), format!("remove Screenshot {one}")]
    );
    assert_eq!(alts(&site, &account), ["A road"]);
}

/// Two people have the page open, each in a browser, with two screenshots that have no texts.
async fn two_browsers(pool: PgPool) -> (Site, String, String, [Browser; 2]) {
    let (site, account, ada) = studio(pool).await;
    let bob = site.person(BOB).await;
    site.join(account.parse().unwrap(), bob, Role::Editor).await;
    for url in ["one", "two"] {
        site.listings.add_screenshot(&account, "okoto", url);
    }
    let bob = site.signed_in(BOB).await;
    let base = format!("/accounts/{account}/listings/game/okoto/pictures");
    (site, account, base, [ada, bob])
}

#[testing::database_test(web::MIGRATOR)]
async fn two_people_who_describe_different_screenshots_keep_both_texts(pool: PgPool) {
    let (site, account, base, [mut ada, mut bob]) = two_browsers(pool).await;
    let arrange = format!("{base}/arrange");
    let hill = opened(&mut ada, &base, &[("one", "A hill"), ("two", "")]).await;
    let road = opened(&mut bob, &base, &[("one", ""), ("two", "A road")]).await;
    let both = opened(&mut bob, &base, &[("one", "Bob's hill"), ("two", "")]).await;
    for (browser, form) in [(&mut ada, &hill), (&mut bob, &road)] {
        // Sent twice, a form has the same answer, and saves nothing again.
        for _ in 0..2 {
            let sent = send(browser, &arrange, form).await;
            assert!(sent.location().ends_with("/pictures?done=pictures-changed"));
        }
    }
    assert_eq!(alts(&site, &account), ["A hill", "A road"]);
    assert_eq!(site.listings.recorded(), ["arrange A hill,", "arrange A hill,A road"]);
    // A text that both have changed is shown, and saved when the form is sent again.
    let refused = send(&mut bob, &arrange, &both).await;
    refused
        .assert(422, "Somebody else has changed this since you opened the form. It is now: A hill");
    refused.assert(422, "value=\"Bob&#39;s hill\"");
    assert_eq!(alts(&site, &account), ["A hill", "A road"]);
    let again = form(&refused, &[("one", "Bob's hill"), ("two", "A road")]);
    send(&mut bob, &arrange, &again).await.location();
    assert_eq!(alts(&site, &account), ["Bob's hill", "A road"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn texts_can_be_saved_after_a_picture_was_added_or_removed_meanwhile(pool: PgPool) {
    let (site, account, base, [mut ada, mut bob]) = two_browsers(pool).await;
    let arrange = format!("{base}/arrange");
    let typed = opened(&mut bob, &base, &[("one", "A hill"), ("two", "A road")]).await;
    upload(&mut ada, &format!("{base}/screenshot"), b"JPEG").await.location();
    send(&mut bob, &arrange, &typed).await.location();
    assert_eq!(alts(&site, &account), ["A hill", "A road", ""]);
    let typed = opened(&mut bob, &base, &[("one", "A hill"), ("two", "A path")]).await;
    let remove = [("remove", "one")];
    ada.post(&format!("{base}/screenshot/remove"), &remove).await.location();
    // The row of the uploaded screenshot is not in this form either.
    send(&mut bob, &arrange, &typed).await.location();
    assert_eq!(alts(&site, &account), ["A path", ""]);
    // What was typed for a screenshot that is gone is shown, and what is left can be saved.
    let typed = opened(&mut bob, &base, &[("two", "A lake")]).await;
    ada.post(&format!("{base}/screenshot/remove"), &[("remove", "two")]).await.location();
    let refused = send(&mut bob, &arrange, &typed).await;
    refused.assert(422, "A lake");
    let left = form(&refused, &[(&screenshot_url(b"JPEG"), "Dusk")]);
    send(&mut bob, &arrange, &left).await.location();
    assert_eq!(alts(&site, &account), ["Dusk"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn an_upload_and_a_removal_keep_texts_that_are_not_saved(pool: PgPool) {
    let (site, account, base, [mut ada, _]) = two_browsers(pool).await;
    let typed = opened(&mut ada, &base, &[("one", "A <hill>"), ("two", "A road")]).await;
    let texts: Vec<_> = typed.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let is_kept = |page: &Page, status: u16| {
        page.assert(status, "value=\"A road\"");
        page.assert(status, "A &#60;hill&#62;");
    };
    for (kind, file) in [("cover", &b"JPEG"[..]), ("screenshot", b"JPEG")] {
        let page = upload_with(&mut ada, &format!("{base}/{kind}"), &texts, file).await;
        is_kept(&page, 200);
        page.assert(200, "not saved yet");
    }
    // A file that is refused, none, and one that is too long.
    let long = vec![7; 10 * 1024 * 1024 + 1];
    for (file, status) in [(&b"GIF"[..], 422), (b"", 422), (&long, 413)] {
        let page = upload_with(&mut ada, &format!("{base}/screenshot"), &texts, file).await;
        is_kept(&page, status);
    }
    let removal = [&texts[..], &[("remove", "one")]].concat();
    for kind in ["cover", "screenshot"] {
        let path = format!("{base}/{kind}/remove");
        let page = ada.post(&path, &removal).await;
        page.assert(200, "value=\"A road\"");
        assert_eq!(page.text.contains("A &#60;hill&#62;"), kind == "cover", "{}", page.text);
        let saved = form(&page, &[("two", "A road"), (&screenshot_url(b"JPEG"), "")]);
        assert_eq!(alts(&site, &account).iter().filter(|alt| !alt.is_empty()).count(), 0);
        if kind == "screenshot" {
            send(&mut ada, &format!("{base}/arrange"), &saved).await.location();
        }
    }
    assert_eq!(alts(&site, &account), ["A road", ""]);
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
    for name in ["x.jpg", "..%2Fsecret.jpg", &"0a".repeat(32)] {
        let page = owner.get(&format!("/accounts/{account}/pictures/{name}")).await;
        page.assert(404, "Not found");
    }
}
