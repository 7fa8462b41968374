//! People who read French sign up, sign in and get mails in French. The dashboard is in English.

use axum::body::Body;
use http::Request;
use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::second_factor::{half_signed_in, turn_on};
use crate::site::get_with;
use crate::support::{ADA, BOB, PASSWORD, Site};

/// The path of the French link in the newest mail to this address.
pub(crate) async fn french_link(site: &Site, recipient: &str) -> String {
    let mails = site.mails().await;
    let mut newest = mails.iter().rev().filter(|mail| mail.0 == recipient);
    let (_, _, body) = newest.next().unwrap();
    let (_, rest) = body.split_once("https://mchezo.example/fr/link/").unwrap();
    format!("/fr/link/{}", rest.split_whitespace().next().unwrap())
}

#[testing::database_test(web::MIGRATOR)]
async fn a_french_visitor_signs_up_in_french(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let form = browser.get("/fr/sign-up").await;
    for part in [
        "<html lang=\"fr\">",
        "Créer un compte",
        "action=\"/fr/sign-up\"",
        "href=\"/en/sign-up\" hreflang=\"en\"",
    ] {
        form.assert(200, part);
    }
    let bad = browser.post("/fr/sign-up", &[("email", "ada")]).await;
    bad.assert(422, "Indiquez une adresse e-mail");
    let sent = browser.post("/fr/sign-up", &[("email", ADA)]).await;
    sent.assert(200, "Consultez votre messagerie");
    let mails = site.mails().await;
    assert_eq!(mails[0].1, "Créez votre compte sur Mchezo");

    let link = french_link(&site, ADA).await;
    let page = browser.get(&link).await;
    page.assert(200, "Choisissez un mot de passe");
    page.assert(200, &format!("action=\"{link}\""));
    let short = [("account_name", ""), ("password", "kora")];
    let refused = browser.post(&link, &short).await;
    refused.assert(422, "Remplissez ce champ.");
    refused.assert(422, "Utilisez au moins 10 caractères");
    let fields = [("account_name", "Savane"), ("password", PASSWORD)];
    let made = browser.post(&link, &fields).await;
    let overview = browser.get(made.location()).await;
    overview.assert(200, "<html lang=\"en\">");
    assert_eq!(browser.get(&link).await.location(), made.location());
    let elsewhere = site.browser().get(&link).await;
    elsewhere.assert(410, "Ce lien n’est plus utile");

    let new = [("current", PASSWORD), ("password", "kora balafon ngoni sabar")];
    browser.post("/you/password", &new).await.location();
    let mails = site.mails().await;
    let newest = mails.last().unwrap();
    assert_eq!(newest.1, "Votre mot de passe a été changé");
    // Without a session the page keeps its language, whatever the browser prefers.
    let goodbye = browser.post("/sign-out", &[]).await;
    assert_eq!(goodbye.location(), "/fr?done=signed-out");
    let goodbye = browser.get(goodbye.location()).await;
    goodbye.assert(200, "<html lang=\"fr\">");
}

#[testing::database_test(web::MIGRATOR)]
async fn sign_in_is_in_the_language_of_the_path_or_the_browser(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.browser();
    let wrong = [("email", ADA), ("password", "wrong")];
    let refused = browser.post("/fr/sign-in", &wrong).await;
    refused.assert(422, "L’adresse e-mail ou le mot de passe est incorrect");
    let refused = browser.post("/sign-in", &wrong).await;
    refused.assert(422, "The email address or the password is wrong");
    for (path, language) in [("/sign-in", "fr"), ("/en/sign-in", "en"), ("/fr/reset", "fr")] {
        let request = Request::get(path).header("accept-language", "fr-SN, en;q=0.5");
        let page = browser.send(request.body(Body::empty()).unwrap()).await;
        page.assert(200, &format!("<html lang=\"{language}\">"));
    }
    let request = Request::get("/link/no-such-link").header("accept-language", "fr");
    let page = browser.send(request.body(Body::empty()).unwrap()).await;
    page.assert(410, "Ce lien ne fonctionne plus");
    page.assert(410, "Mot de passe oublié");
    let right = [("email", ADA), ("password", PASSWORD)];
    let signed_in = browser.post("/fr/sign-in", &right).await;
    assert_eq!(signed_in.location(), "/accounts");
}

#[testing::database_test(web::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "a lock is no query")]
async fn a_page_of_sign_in_that_takes_too_long_says_so_in_its_language(pool: PgPool) {
    let site = Site::new(pool.clone()).await;
    site.person(ADA).await;
    // The session is read first, and the lock holds the read up.
    let mut holding = pool.begin().await.unwrap();
    let lock = "lock table web.session in access exclusive mode";
    let slow = site.changed(|web| web.timeout = std::time::Duration::ZERO);
    let mut browser = site.signed_in(ADA).await.with_router(&slow);
    sqlx::query(lock).execute(&mut *holding).await.unwrap();
    let page = get_with(&mut browser, "/sign-in", &[("accept-language", "fr")]).await;
    page.assert(503, "<html lang=\"fr\">");
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_are_in_the_chosen_language(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let settings = [("language", "fr"), ("notices", "on")];
    browser.post("/you/settings", &settings).await.location();
    turn_on(&site, &mut browser).await;
    let mails = site.mails().await;
    let (_, subject, _) = mails.last().unwrap();
    assert_eq!(subject, "La double authentification est active");
    // The second step of signing in is in French too.
    site.clock.advance(Duration::minutes(16));
    let mut half = half_signed_in(&site).await;
    let page = half.get("/sign-in/code").await;
    page.assert(200, "<html lang=\"fr\">");
    // An invitation to a person without a language is in the inviter's language.
    browser.invite(account, BOB, "editor").await.location();
    let mails = site.mails().await;
    let (to, subject, body) = mails.last().unwrap();
    assert_eq!((to.as_str(), subject.as_str()), (BOB, "Une invitation à rejoindre Mchezo"));
    assert!(body.contains("en tant qu’éditeur"), "{body}");
    let link = french_link(&site, BOB).await;
    let mut invited = Browser::at(&site.router, 9);
    invited.get(&link).await.assert(200, "Vous devenez éditeur du compte.");
}

#[testing::database_test(web::MIGRATOR)]
async fn new_recovery_codes_replace_the_earlier_ones(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (_, earlier) = turn_on(&site, &mut browser).await;
    let page = browser.get("/you/totp/codes").await;
    let form = page.hidden()["form"].clone();
    let send = async |browser: &mut Browser, code: &str| {
        let fields = [("form", &*form), ("code", code), ("password", PASSWORD)];
        browser.post("/you/totp/codes", &fields).await
    };
    send(&mut browser, "12345").await.assert(422, "has six digits");
    send(&mut browser, "000000").await.assert(422, "This code is wrong");
    let (one, two) = (send(&mut browser, &earlier[0]).await, send(&mut browser, &earlier[0]).await);
    one.assert(200, "do not work any more");
    // Sent twice, the form shows the same codes.
    let codes = |page: &Page| {
        let (_, rest) = page.text.split_once("id=\"codes\">").unwrap();
        rest.split("</ul>").next().unwrap().to_owned()
    };
    assert_eq!(codes(&one), codes(&two));
    assert!(!one.text.contains(&earlier[1]), "{}", one.text);
    browser.get("/you").await.assert(200, "10 recovery codes left");
    let mails = site.mails().await;
    let told = mails.iter().filter(|it| it.1 == "New recovery codes were created");
    assert_eq!(told.count(), 1);
    // The second factor stays the same, and the earlier recovery codes no longer work.
    let mut half = half_signed_in(&site).await;
    half.post("/sign-in/code", &[("code", &earlier[1])]).await.assert(422, "This code is wrong");
}
