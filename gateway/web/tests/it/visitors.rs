//! What visitors can do about a listing: write to staff, claim its page, add another listing.

use http::header::ETAG;
use http::{Request, StatusCode};
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::stub_pictures::{file, small_file};
use crate::support::{ADA, PASSWORD, Site};

#[testing::database_test(web::MIGRATOR)]
async fn pages_of_listings_link_to_a_mail_and_a_claim(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let mail = "href=\"mailto:staff@mchezo.example?subject=https%3A%2F%2Fmchezo%2Eexample%2F";
    for (page, subject) in [
        ("/fr/games/okoto", "fr%2Fgames%2Fokoto\""),
        ("/creators/savanna", "creators%2Fsavanna\""),
        ("/events/jam", "events%2Fjam\""),
    ] {
        let shown = browser.get(page).await;
        shown.assert(200, &format!("{mail}{subject}"));
        assert_eq!(shown.text.contains("/claim/"), page.contains("creators"));
        assert!(!shown.text.contains("Know "), "{}", shown.text);
    }
    // The page asks for what the listing lacks.
    *site.catalogue.words.lock().unwrap() = Some((String::new(), ""));
    site.clock.advance(time::Duration::SECOND);
    for (page, question) in [
        ("/games/okoto", "Know where to play it?"),
        ("/games/okoto", "Nobody has described this game yet."),
        ("/events/jam", "Know the event’s site?"),
    ] {
        browser.get(page).await.assert(200, question);
    }
    let silent = site.changed(|web| web.staff_mail = None);
    let shown = Browser::new(&silent).get("/games/okoto").await;
    assert!(!shown.text.contains("mailto:"), "{}", shown.text);
}

/// Opens a path that needs a person, under a language prefix, and signs up on the way.
async fn sign_up_for(site: &Site, browser: &mut Browser, prefix: &str, path: &str) {
    let query = format!("?next={}", path.replace('/', "%2F").replace('-', "%2D"));
    let page = browser.get(&format!("{prefix}{path}")).await;
    assert_eq!(page.location(), format!("{prefix}/sign-in{query}"));
    let sign_in = browser.get(page.location()).await;
    let reason = match (prefix, path) {
        ("/fr", _) => "Pour ajouter votre jeu, connectez-vous.",
        (_, "/add-game") => "To add your game, sign in.",
        _ => "To claim this page, sign in.",
    };
    sign_in.assert(200, reason);
    sign_in.assert(200, &format!("href=\"{prefix}/sign-up{query}\""));
    let sign_up = browser.get(&format!("/sign-up{query}")).await;
    let next = sign_up.hidden()["next"].clone();
    let fields = [("email", "new@studio.example"), ("next", next.as_str())];
    browser.post("/sign-up", &fields).await.assert(200, "");
    let link = site.link("new@studio.example").await;
    assert!(link.ends_with(&query), "{link}");
    let shown = browser.get(&link).await;
    shown.assert(200, &format!("{query}\""));
    let fields = [("account_name", "Savanna"), ("password", PASSWORD)];
    let made = browser.post(&link, &fields).await;
    assert_eq!(made.location(), path);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_game_leads_through_sign_up_to_its_form(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let games = browser.get("/fr/games").await;
    games.assert(200, "href=\"/fr/add-game\"");
    sign_up_for(&site, &mut browser, "/fr", "/add-game").await;
    let form = browser.get("/add-game").await.location().to_owned();
    assert!(form.ends_with("/listings/new/game"), "{form}");
    browser.get(&form).await.assert(200, "name=\"title\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_claim_leads_through_sign_up_to_its_form(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    sign_up_for(&site, &mut browser, "", "/claim/savanna").await;
    let claim = browser.get("/claim/savanna").await;
    let form = claim.location().to_owned();
    assert!(form.ends_with("/claims?handle=savanna"), "{form}");
    browser.get(&form).await.assert(200, "value=\"savanna\"");

    // Any other target is not put into the mail.
    let fields = [("email", "other@studio.example"), ("next", "/you/delete")];
    site.browser().post("/sign-up", &fields).await.assert(200, "");
    let link = site.link("other@studio.example").await;
    assert!(!link.contains('?'), "{link}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_french_page_leads_to_the_french_sign_in(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let creator = browser.get("/fr/creators/savanna").await;
    for (path, next) in
        [("/fr/add-game", "%2Fadd%2Dgame"), ("/fr/claim/savanna", "%2Fclaim%2Fsavanna")]
    {
        creator.assert(200, &format!("href=\"{path}\""));
        let request = Request::get(path)
            .header("accept-language", "en")
            .body(axum::body::Body::empty())
            .unwrap();
        let sign_in = browser.send(request).await;
        assert_eq!(sign_in.location(), format!("/fr/sign-in?next={next}"));
        let page = browser.get(sign_in.location()).await;
        page.assert(200, "<html lang=\"fr\">");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_claim_and_a_new_game_are_for_one_of_several_accounts(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let both = [("/claim/savanna", "claims?handle=savanna"), ("/add-game", "listings/new/game")];
    for (path, _) in both {
        assert_eq!(browser.get(path).await.location(), "/accounts");
    }
    let reads = site.account(ada, Role::Developer).await;
    for (path, _) in both {
        let refused = browser.get(path).await;
        refused.assert(403, "Your role does not allow this");
    }
    let one = site.account(ada, Role::Owner).await;
    for (path, form) in both {
        let only = browser.get(path).await;
        assert_eq!(only.location(), format!("/accounts/{one}/{form}"));
    }
    let two = site.account(ada, Role::Editor).await;
    for (path, form) in both {
        let choice = browser.get(path).await;
        for account in [one, two] {
            choice.assert(200, &format!("href=\"/accounts/{account}/{form}\""));
        }
        assert!(!choice.text.contains(&reads.to_string()), "{}", choice.text);
    }
    browser.get("/claim/A%2F..").await.assert(404, "Not found");
}

#[testing::database_test(web::MIGRATOR)]
async fn pictures_come_in_two_sizes(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let large = file();
    let page = browser.get("/games/okoto").await;
    let small = small_file();
    let srcset = format!("srcset=\"/pictures/{small} 600w, /pictures/{large} 1200w\" sizes=\"");
    page.assert(200, &srcset);
    let picture = browser.get(&format!("/pictures/{small}")).await;
    picture.assert(200, "small");
    let whole = browser.get(&format!("/pictures/{large}?width=600")).await;
    assert_eq!((whole.status, whole.text.len()), (StatusCode::OK, 600_000));
    assert_ne!(whole.headers[ETAG], picture.headers[ETAG]);
}
