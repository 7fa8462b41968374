//! New games that come with their cover, in one form.

use std::sync::atomic::Ordering;

use http::header::RETRY_AFTER;
use sqlx::PgPool;
use web::domain::role::Role;
use web::session::limits;

use crate::browser::{Browser, Page};
use crate::support::{ADA, Site};

async fn studio(pool: PgPool) -> (Site, String, Browser) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    let owner = site.signed_in(ADA).await;
    (site, account, owner)
}

/// Sends the form of a new game, as a browser does, with this file as its cover.
async fn submit(browser: &mut Browser, path: &str, form: &str, title: &str, cover: &[u8]) -> Page {
    let mut body = b"--edge\r\ncontent-disposition: form-data; name=\"cover\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n".to_vec();
    body.extend_from_slice(cover);
    for (name, value) in [
        ("form", form),
        ("creator", "studio"),
        ("title", title),
        ("description", "One\r\ntwo & three"),
        ("genres", "puzzle"),
        ("link-1", "http://play.google.com/store/apps/details?id=a"),
    ] {
        let part =
            format!("\r\n--edge\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(b"\r\n--edge--\r\n");
    let media_type = "multipart/form-data; boundary=edge";
    browser.post_body(path, media_type, body).await
}

#[testing::database_test(web::MIGRATOR)]
async fn a_game_is_submitted_with_its_cover(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let page = owner.get(&path).await;
    page.assert(200, "enctype=\"multipart/form-data\"");
    page.assert(200, "Genres (up to three)");
    page.assert(200, "Choose a stage");
    // The form begins with the cover.
    let field = |name: &str| page.text.find(&format!("name=\"{name}\"")).unwrap();
    assert!(field("cover") < field("creator") && field("creator") < field("title"));
    let form = page.hidden()["form"].clone();
    for _ in 0..2 {
        let sent = submit(&mut owner, &path, &form, "A game", b"JPEG").await;
        assert!(
            sent.location()
                .ends_with("/listings/game/new-game?done=listing-submitted")
        );
    }
    assert_eq!(
        site.listings.recorded()[..2],
        ["prepare Cover new-game 4", "use \"\" None"]
    );
    // Without a file, the page of the game asks for a cover.
    let form = owner.get(&path).await.hidden()["form"].clone();
    let sent = submit(&mut owner, &path, &form, "A game", b"").await;
    let shown = sent.location().to_owned();
    assert_eq!(site.listings.recorded().len(), 4);
    owner.get(&shown).await.assert(200, "Add a cover");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_with_a_file_counts_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let form = owner.get(&path).await.hidden()["form"].clone();
    // All but one of the forms that a person has.
    let (person, now) = (ada.to_string(), site.clock.now());
    for _ in 1..limits::FORMS.tries {
        let counted = site.app.limits.count(limits::FORMS, &person, now).await;
        counted.unwrap().unwrap();
    }
    let sent = submit(&mut owner, &path, &form, "A game", b"JPEG").await;
    sent.location();
    let refused = submit(&mut owner, &path, &form, "A game", b"JPEG").await;
    refused.assert(429, "Too many forms");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_bad_cover_loses_neither_the_game_nor_what_was_typed(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let form = owner.get(&path).await.hidden()["form"].clone();
    // A file that is too long is refused before the game is submitted.
    let long = vec![7; 10 * 1024 * 1024 + 1];
    let page = submit(&mut owner, &path, &form, "A game", &long).await;
    page.assert(422, "10 MB at most");
    page.assert(422, "id=\"cover-error\"");
    page.assert(422, "value=\"A game\"");
    page.assert(422, "One\ntwo &#38; three");
    page.assert(422, "Choose the file again");
    assert!(site.listings.games.lock().unwrap().is_empty());
    // So is one with an error in another field.
    let page = submit(&mut owner, &path, &form, "", b"JPEG").await;
    page.assert(422, "Give a title.");
    page.assert(
        422,
        "value=\"https://play.google.com/store/apps/details?id=a\"",
    );
    page.assert(422, "There are 2 errors");
    page.assert(422, "<title>2 errors: ");
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
    // What only listings-svc finds is told on the page of the pictures.
    let page = submit(&mut owner, &path, &form, "A game", b"GIF89a").await;
    page.assert(422, "The game is submitted, without its cover");
    page.assert(422, "Send a JPEG.");
    page.assert(422, "/listings/game/new-game/pictures/cover");
    assert_eq!(site.listings.games.lock().unwrap().len(), 1);
    // So is a cover beyond the uploads of the day, with the time of the next one.
    *site.listings.upload_wait.lock().unwrap() = Some(5_400);
    let page = submit(&mut owner, &path, &form, "A game", b"JPEG").await;
    page.assert(429, "The game is submitted, without its cover");
    page.assert(429, "These were all pictures of the day.");
    assert_eq!(page.headers[RETRY_AFTER], "5400");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_with_a_file_keeps_its_text_when_nobody_is_signed_in(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let form = owner.get(&path).await.hidden()["form"].clone();
    let mut stranger = site.browser();
    let page = submit(&mut stranger, &path, &form, "A game", b"JPEG").await;
    page.assert(401, "name=\"title\" value=\"A game\"");
    page.assert(401, &format!("action=\"{path}\""));
    site.listings.is_down.store(true, Ordering::Relaxed);
    let page = submit(&mut owner, &path, &form, "A game", b"JPEG").await;
    page.assert(503, "value=\"A game\"");
    assert!(site.listings.games.lock().unwrap().is_empty());
}
