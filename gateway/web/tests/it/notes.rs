//! What a visitor can do about a listing: suggest a correction, report it, claim its page, ask for its takedown.

use contracts::listings::v1::NoteKind;
use http::header::{CACHE_CONTROL, ETAG, RETRY_AFTER, SET_COOKIE};
use http::{Request, StatusCode};
use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::stub_notes::NOTE;
use crate::stub_pictures::file;
use crate::support::{ADA, BOB, PASSWORD, Site};

const REPORT: &str = "/report/game/okoto";
const CORRECT: &str = "/correct/game/okoto";

/// Opens a form and sends it.
async fn send(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let form = browser.get(path).await.hidden()["form"].clone();
    let fields = [&[("form", form.as_str())][..], fields].concat();
    let path = path.split('?').next().unwrap();
    browser.post(path, &fields).await
}

#[testing::database_test(web::MIGRATOR)]
async fn a_report_is_sent_without_an_account_and_without_javascript(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get(&format!("{REPORT}?reason=rights")).await;
    page.assert(200, "<h1>Report <bdi>Okoto &#60;b&#62;</bdi></h1>");
    page.assert(200, "<option value=\"rights\" selected>");
    page.assert(200, "<meta name=\"robots\" content=\"noindex\">");
    page.assert(200, "href=\"/sign-in?next=%2Ftakedown%2Fgame%2Fokoto");
    assert_eq!(page.headers[CACHE_CONTROL], "no-store");
    assert!(!page.headers.contains_key(SET_COOKIE));
    let form = page.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("reason", "rights"),
        ("text", "It is mine.\r\nSee my site."),
        ("email", "reader@new.example"),
    ];
    // A double click.
    for _ in 0..2 {
        let sent = browser.post(REPORT, &fields).await;
        assert_eq!(sent.location(), "/report/game/okoto?done=sent");
    }
    let thanks = browser.get("/report/game/okoto?done=sent").await;
    thanks.assert(200, "Thank you.");
    thanks.assert(200, "href=\"/games/okoto\"");
    {
        let notes = site.listings.notes.lock().unwrap();
        let [note] = &notes[..] else {
            unreachable!("one note: {notes:?}");
        };
        assert_eq!(note.note(), NoteKind::Report);
        assert_eq!(
            (
                note.text.as_str(),
                note.network.as_str(),
                note.kind.as_str()
            ),
            ("It is mine.\nSee my site.", "203.0.113.7", "game")
        );
        assert_ne!(note.form, form, "the id of the form is stored as a hash");
    }
    // Another form of the same network.
    let fields = [("reason", "rights"), ("text", "Again")];
    let again = send(&mut browser, REPORT, &fields).await;
    assert_eq!(again.location(), "/report/game/okoto?done=duplicate");
    let told = browser.get("/fr/report/game/okoto?done=duplicate").await;
    told.assert(200, "n’a pas été enregistrée");
    assert_eq!(site.listings.notes.lock().unwrap().len(), 1);
    assert_eq!(site.mails().await, []);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_note_says_why_in_the_language_of_the_page(pool: PgPool) {
    let site = Site::new(pool).await;
    let french = format!("/fr{REPORT}");
    let fields = [("reason", "rights"), ("text", "Écrit"), ("email", "nobody")];
    let mut browser = site.browser();
    let refused = send(&mut browser, &french, &fields).await;
    refused.assert(422, "Écrivez une adresse e-mail comme");
    refused.assert(422, ">\nÉcrit</textarea>");
    refused.assert(422, "<option value=\"rights\" selected>");
    refused.assert(422, "href=\"/fr/sign-in?next=%2Ftakedown%2Fgame%2Fokoto");
    assert_eq!(refused.headers["content-language"], "fr");
    let refused = send(&mut browser, &french, &[("reason", "typed"), ("text", "x")]).await;
    refused.assert(422, "Choisissez un motif.");
    let lost = [("form", "x"), ("reason", "rights"), ("text", "Typed")];
    let lost = browser.post(REPORT, &lost).await;
    lost.assert(422, "Part of the form was lost");
    // The form that is shown then works.
    let form = lost.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("reason", "rights"), ("text", "x")];
    browser.post(REPORT, &fields).await.location();

    let mut limited = Browser::at(&site.router, 99);
    let fields = [("reason", "rights"), ("text", "Typed")];
    let refused = send(&mut limited, REPORT, &fields).await;
    refused.assert(429, "in 3 minutes");
    refused.assert(429, ">\nTyped</textarea>");
    assert_eq!(refused.headers[RETRY_AFTER], "150");

    site.gateway.switched.lock().unwrap().insert("read_only");
    let closed = send(&mut site.browser(), CORRECT, &[("text", "Typed")]).await;
    closed.assert(503, "accepts no notes for a while");
    closed.assert(503, ">\nTyped</textarea>");
    site.gateway.switched.lock().unwrap().clear();
    site.listings
        .is_down
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let away = send(&mut site.browser(), CORRECT, &[("text", "Typed")]).await;
    away.assert(503, "could not be stored");
    away.assert(503, ">\nTyped</textarea>");
    for nothing in [
        "/report/game/nothing",
        "/report/genre/okoto",
        "/correct/game/A",
    ] {
        site.browser().get(nothing).await.assert(404, "not found");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn owners_and_editors_get_one_mail_a_day_about_corrections(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    for (email, role) in [
        ("editor@studio.example", Role::Editor),
        ("developer@studio.example", Role::Developer),
    ] {
        let member = site.person(email).await;
        site.join(account, member, role).await;
    }
    *site.listings.owners.lock().unwrap() = vec![account.to_string()];
    for last in [1, 2] {
        let mut browser = Browser::at(&site.router, last);
        let text = ("text", "Buy <b>this");
        send(&mut browser, CORRECT, &[text]).await.location();
    }
    let mails = site.mails().await;
    let mut readers: Vec<&str> = mails.iter().map(|mail| mail.0.as_str()).collect();
    readers.sort_unstable();
    assert_eq!(readers, [ADA, "editor@studio.example"]);
    let (_, subject, body) = &mails[0];
    assert!(!subject.contains("Okoto"), "{subject}");
    let listing = format!("https://mchezo.example/accounts/{account}/listings/game/okoto\n");
    assert!(body.contains(&listing), "{body}");
    assert!(body.contains("Read it and close it:"), "{body}");
    assert!(!body.contains("Buy"), "nothing of a note is mailed: {body}");
    site.clock.advance(Duration::DAY);
    let mut browser = Browser::at(&site.router, 3);
    send(&mut browser, CORRECT, &[("text", "x")])
        .await
        .location();
    assert_eq!(site.mails().await.len(), 4);
    // A report is for staff.
    let fields = [("reason", "rights"), ("text", "x")];
    site.clock.advance(Duration::DAY);
    send(&mut browser, REPORT, &fields).await.location();
    assert_eq!(site.mails().await.len(), 4);
}

#[testing::database_test(web::MIGRATOR)]
async fn owners_and_editors_read_and_close_corrections(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Developer).await;
    let listing = format!("/accounts/{account}/listings/game/okoto");
    let close = format!("{listing}/notes/{NOTE}");
    let mut developer = site.signed_in(BOB).await;
    let page = developer.get(&listing).await;
    page.assert(200, "The &#60;b&#62;year is wrong.");
    assert!(!page.text.contains(&close), "{}", page.text);
    let refused = developer.post(&close, &[("state", "done")]).await;
    refused.assert(403, "Your role does not allow this");

    let mut owner = site.signed_in(ADA).await;
    let page = owner.get(&listing).await;
    page.assert(200, &format!("action=\"{close}\""));
    page.assert(200, "reader@new.example");
    let refused = owner.post(&close, &[("state", "typed")]).await;
    refused.assert(422, "Give done or dismissed.");
    for unknown in ["x", "019a6f1c-0000-7000-8000-000000000000"] {
        let path = format!("{listing}/notes/{unknown}");
        let page = owner.post(&path, &[("state", "done")]).await;
        page.assert(404, "Not found");
    }
    for _ in 0..2 {
        let closed = owner.post(&close, &[("state", "dismissed")]).await;
        assert_eq!(closed.location(), format!("{listing}?done=note-closed"));
    }
    assert_eq!(site.listings.recorded(), ["close Dismissed"]);
    let page = owner.get(&format!("{listing}?done=note-closed")).await;
    page.assert(200, "The correction is closed.");
    assert!(!page.text.contains("year is wrong"), "{}", page.text);
    let activity = owner.get(&format!("/accounts/{account}/activity")).await;
    activity.assert(200, "dismissed a correction for okoto");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_pages_of_listings_lead_to_the_forms(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (page, parts) in [
        (
            "/fr/games/okoto",
            &[
                "href=\"/fr/correct/game/okoto\"",
                "href=\"/fr/report/game/okoto\"",
                "href=\"/takedown/game/okoto?language=fr\"",
            ][..],
        ),
        (
            "/creators/savanna",
            &["href=\"/claim/savanna\"", "href=\"/report/page/savanna\""],
        ),
        ("/events/jam", &["href=\"/correct/event/jam\""]),
    ] {
        let shown = browser.get(page).await;
        for part in parts {
            shown.assert(200, part);
        }
        assert_eq!(shown.text.contains("/claim/"), page.contains("creators"));
    }
    for path in ["/correct/event/jam", "/report/page/savanna"] {
        browser.get(path).await.assert(200, "<textarea");
    }
}

/// Opens a path that needs a person, below the prefix of a language, and signs up on the way to it.
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
async fn a_new_game_is_added_to_an_account_that_the_person_may_change(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    assert_eq!(browser.get("/add-game").await.location(), "/accounts");
    let reads = site.account(ada, Role::Developer).await;
    let refused = browser.get("/add-game").await;
    refused.assert(403, "Your role does not allow this");
    let one = site.account(ada, Role::Owner).await;
    let form = |account| format!("/accounts/{account}/listings/new/game");
    assert_eq!(browser.get("/add-game").await.location(), form(one));
    let two = site.account(ada, Role::Editor).await;
    let choice = browser.get("/add-game").await;
    for account in [one, two] {
        choice.assert(200, &format!("href=\"{}\"", form(account)));
    }
    assert!(!choice.text.contains(&reads.to_string()), "{}", choice.text);
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

    // Anything else is not put into a mail.
    let fields = [("email", "other@studio.example"), ("next", "/you/delete")];
    site.browser()
        .post("/sign-up", &fields)
        .await
        .assert(200, "");
    let link = site.link("other@studio.example").await;
    assert!(!link.contains('?'), "{link}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_french_page_leads_to_the_sign_in_in_french_whatever_the_browser_prefers(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let creator = browser.get("/fr/creators/savanna").await;
    for (path, next) in [
        ("/fr/add-game", "%2Fadd%2Dgame"),
        ("/fr/claim/savanna", "%2Fclaim%2Fsavanna"),
    ] {
        creator.assert(200, &format!("href=\"{path}\""));
        let request = Request::get(path).header("accept-language", "en");
        let request = request.body(axum::body::Body::empty()).unwrap();
        let sign_in = browser.send(request).await;
        assert_eq!(sign_in.location(), format!("/fr/sign-in?next={next}"));
        let page = browser.get(sign_in.location()).await;
        page.assert(200, "<html lang=\"fr\">");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_claim_is_made_for_one_of_several_accounts(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    assert_eq!(browser.get("/claim/savanna").await.location(), "/accounts");
    let reads = site.account(ada, Role::Developer).await;
    let refused = browser.get("/claim/savanna").await;
    refused.assert(403, "Your role does not allow this");
    let one = site.account(ada, Role::Owner).await;
    let only = browser.get("/claim/savanna").await;
    assert_eq!(
        only.location(),
        format!("/accounts/{one}/claims?handle=savanna")
    );
    let two = site.account(ada, Role::Editor).await;
    let choice = browser.get("/claim/savanna").await;
    for account in [one, two] {
        let form = format!("href=\"/accounts/{account}/claims?handle=savanna\"");
        choice.assert(200, &form);
    }
    assert!(!choice.text.contains(&reads.to_string()), "{}", choice.text);
    browser.get("/claim/A%2F..").await.assert(404, "Not found");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_request_for_a_takedown_is_a_report(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (language, prefix) in [("fr", "/fr"), ("xx", "")] {
        let page = browser.get(&format!("/takedown/game/okoto?language={language}"));
        let report = format!("{prefix}/report/game/okoto?reason=rights");
        assert_eq!(page.await.location(), report);
    }
    for nothing in ["/takedown/genre/okoto", "/takedown/game/A"] {
        browser.get(nothing).await.assert(404, "Not found");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn pictures_come_in_two_sizes(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let large = file();
    let page = browser.get("/games/okoto").await;
    let srcset =
        format!("srcset=\"/pictures/{large}?width=600 600w, /pictures/{large} 1200w\" sizes=\"");
    page.assert(200, &srcset);
    let picture = browser.get(&format!("/pictures/{large}?width=600")).await;
    picture.assert(200, "small");
    let tag = picture.headers[ETAG].clone();
    assert_eq!(
        tag,
        format!("\"{}-600\"", large.trim_end_matches(".jpg")).as_str()
    );
    let again = Request::get(format!("/pictures/{large}?width=600"));
    let again = again.header("if-none-match", &tag);
    let again = browser
        .send(again.body(axum::body::Body::empty()).unwrap())
        .await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    for query in ["", "?width=1", "?width=x", "?width=-1", "?other=1"] {
        let picture = browser.get(&format!("/pictures/{large}{query}")).await;
        assert_eq!(
            (picture.status, picture.text.len()),
            (StatusCode::OK, 600_000)
        );
        assert_ne!(picture.headers[ETAG], tag, "{query}");
    }
}
