//! The page for votes: who votes, which forms are accepted, and how the page responds.

use contracts::catalogue::v1::voter::Voter;
use http::header::{CACHE_CONTROL, SET_COOKIE};
use sqlx::PgPool;
use uuid::Uuid;
use web::domain::role::Role;

use crate::browser::{Browser, Page};
use crate::stub_pictures;
use crate::stub_votes::State;
use crate::support::{ADA, Site};

const COOKIE: &str = "__Host-voter";

/// Opens a page with a pair, and votes for a listing of it.
async fn vote(browser: &mut Browser, path: &str, pick: &str) -> Page {
    let page = browser.get(path).await;
    page.assert(200, "name=\"draw\"");
    send(browser, path, &page, pick).await
}

/// Votes for a listing of the pair on a page.
async fn send(browser: &mut Browser, path: &str, page: &Page, pick: &str) -> Page {
    let hidden = page.hidden();
    let hidden = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let fields: Vec<(&str, &str)> = hidden.chain([("pick", pick)]).collect();
    browser.post(path, &fields).await
}

/// The voters of the counted votes.
fn voters(site: &Site) -> Vec<Voter> {
    let cast = site.catalogue.votes.cast.lock().unwrap();
    cast.iter().map(|vote| vote.voter.clone().unwrap().voter.unwrap()).collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_visitor_votes_by_cookie(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/vote").await;
    for part in [
        "Vote for <bdi>Okoto &#60;b&#62;</bdi>",
        "Vote for <bdi>Gone</bdi>",
        "<h2 dir=\"auto\"><a href=\"/games/okoto\">Okoto &#60;b&#62;</a></h2>",
        "Nigeria",
        "without an account",
        "href=\"/sign-in?next=/vote\"",
        "<meta name=\"robots\" content=\"noindex\">",
    ] {
        page.assert(200, part);
    }
    let file = stub_pictures::file();
    let cover = format!("<span class=\"art\"><img src=\"/pictures/{file}\" ");
    assert_eq!(page.text.matches(&cover).count(), 2, "{}", page.text);
    assert_eq!(page.headers[CACHE_CONTROL], "no-store");
    assert_eq!(page.headers["content-language"], "en");
    let cookie = page.headers[SET_COOKIE].to_str().unwrap().to_owned();
    for part in ["__Host-voter=", "Max-Age=31536000", "HttpOnly", "SameSite=Lax", "Secure"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    let voted = send(&mut browser, "/vote", &page, "second").await;
    assert_eq!(voted.location(), "/vote?done=voted");
    let next = browser.get("/vote?done=voted").await;
    next.assert(200, "Your vote is counted.");
    assert!(!next.headers.contains_key(SET_COOKIE));
    let french = vote(&mut browser, "/fr/vote/creators", "first").await;
    assert_eq!(french.location(), "/fr/vote/creators?done=voted");

    let cast = site.catalogue.votes.cast.lock().unwrap().clone();
    let [first, second] = &cast[..] else {
        panic!("{cast:?}");
    };
    let names = [&first.kind, &first.winner, &first.loser].map(String::as_str);
    assert_eq!(names, ["games", "gone", "okoto"]);
    let names = [&second.kind, &second.winner, &second.loser].map(String::as_str);
    assert_eq!(names, ["creators", "okoto", "gone"]);
    let voter = first.voter.clone().unwrap();
    assert_eq!(voter.address, "203.0.113.7");
    let Some(Voter::CookieId(id)) = voter.voter else {
        panic!("{first:?}");
    };
    assert_eq!(id.parse::<Uuid>().unwrap().get_version_num(), 4);
    assert_eq!(first.voter, second.voter);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_pair_is_skipped_by_a_vote_for_neither(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/vote").await;
    page.assert(200, "name=\"pick\" value=\"neither\"");
    // Escape is not a shortcut: it also stops loading and closes menus.
    assert!(!page.text.contains("Escape"), "{}", page.text);
    let skipped = send(&mut browser, "/vote", &page, "neither").await;
    assert_eq!(skipped.location(), "/vote?done=skipped");
    assert!(!skipped.headers.contains_key(SET_COOKIE));
    browser.get("/vote?done=skipped").await.assert(200, "name=\"draw\"");
    let cast = site.catalogue.votes.cast.lock().unwrap();
    assert!(cast.iter().all(|vote| vote.neither));
    assert_eq!(cast.len(), 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_votes_as_the_oldest_account(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut person = site.signed_in(ADA).await;
    person.get("/vote").await.assert(200, "without an account");
    let first = site.account(ada, Role::Editor).await;
    let page = person.get("/vote").await;
    page.assert(200, "You vote as <bdi>Savanna</bdi>.");
    assert!(!page.headers.contains_key(SET_COOKIE));
    vote(&mut person, "/vote", "first").await.location();
    let voter = Voter::AccountId(first.to_string());
    assert_eq!(voters(&site), [voter]);
    // Listings of the person's other accounts are not drawn for this voter either.
    let second = site.account(ada, Role::Owner).await;
    vote(&mut person, "/vote", "first").await.location();
    let cast = site.catalogue.votes.cast.lock().unwrap();
    let voter = cast.last().unwrap().voter.clone().unwrap();
    assert_eq!(voter.voter, Some(Voter::AccountId(first.to_string())));
    assert_eq!(voter.address, "203.0.113.7");
    assert_eq!(voter.other_account_ids, [second.to_string()]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_draw_counts_once_also_in_two_tabs(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/vote").await;
    let mut other_tab = browser.clone();
    let voted = send(&mut browser, "/vote", &page, "first").await;
    assert_eq!(voted.location(), "/vote?done=voted");
    let again = send(&mut other_tab, "/vote", &page, "second").await;
    assert_eq!(again.location(), "/vote?done=repeated");
    browser.get("/vote?done=repeated").await.assert(200, "A pair counts once a day");
    assert_eq!(voters(&site).len(), 1);
}

/// A retry would be reported as a repeated vote that does not count.
#[testing::database_test(web::MIGRATOR)]
async fn a_vote_without_a_response_is_not_retried(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/vote").await;
    site.catalogue.votes.set(State::LosesAnswer);
    let lost = send(&mut browser, "/vote", &page, "first").await;
    lost.assert(503, "This took too long");
    assert_eq!(voters(&site).len(), 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_votes_with_the_draw_or_the_cookie_of_another(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut one, mut other) = (site.browser(), site.browser());
    let page = one.get("/vote").await;
    other.get("/vote").await;
    let refused = send(&mut other, "/vote", &page, "first").await;
    assert_eq!(refused.location(), "/vote?done=refused");
    other
        .get("/vote?done=refused")
        .await
        .assert(200, "role=\"alert\">That vote was not counted: the pair was drawn");
    // A forged cookie belongs to nobody; its browser becomes a new voter.
    let cookie = other.cookies[COOKIE].clone();
    let mut forged = cookie.clone().into_bytes();
    forged[3] = if forged[3] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).unwrap();
    other.cookies.insert(COOKIE.to_owned(), forged.clone());
    let refused = send(&mut other, "/vote", &page, "first").await;
    assert_eq!(refused.location(), "/vote?done=unknown");
    let page = other.get("/vote?done=unknown").await;
    page.assert(200, "Allow cookies");
    assert!(![&cookie, &forged].contains(&&other.cookies[COOKIE]));
    assert_eq!(voters(&site), []);
    let drawn_for = site.catalogue.votes.drawn_for.lock().unwrap().clone();
    let last = &drawn_for[drawn_for.len() - 1];
    assert!(!drawn_for[..drawn_for.len() - 1].contains(last));
}

#[testing::database_test(web::MIGRATOR)]
async fn malformed_votes_are_refused(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let page = browser.get("/vote").await;
    for pick in ["", "third", "okoto"] {
        let refused = send(&mut browser, "/vote", &page, pick).await;
        assert_eq!(refused.location(), "/vote?done=refused");
    }
    let refused = browser.post("/vote", &[]).await;
    assert_eq!(refused.location(), "/vote?done=refused");
    assert_eq!(voters(&site), []);
    // Text in the URL is not shown as a notice.
    let page = browser.get("/vote?done=%3Cb%3Eyes").await;
    assert!(!page.text.contains("role=\"status\""), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_limit_says_how_long(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for (seconds, path, text) in [
        (90, "/vote", "Try again in 2 minutes."),
        (3_601, "/vote", "Try again in 2 hours."),
        (1, "/fr/vote", "Réessayez dans 1 minute."),
    ] {
        site.catalogue.votes.set(State::Limited(seconds));
        let limited = vote(&mut browser, path, "first").await;
        limited.assert(429, text);
        assert_eq!(limited.headers["retry-after"], seconds.to_string().as_str());
        assert!(!limited.text.contains("name=\"draw\""), "{}", limited.text);
    }
    assert_eq!(voters(&site), []);
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_votes_while_everything_is_read_only(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    site.gateway.switched.lock().unwrap().insert("read_only");
    let closed = vote(&mut browser, "/vote", "first").await;
    assert_eq!(closed.location(), "/vote?done=closed");
    browser.get("/vote?done=closed").await.assert(200, "this site is read-only at the moment");
    assert_eq!(voters(&site), []);
}

#[testing::database_test(web::MIGRATOR)]
async fn without_pairs_or_votes_the_page_says_so(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    site.catalogue.votes.set(State::NoPairs);
    let page = browser.get("/vote").await;
    page.assert(200, "There are no pairs left for you today.");
    page.assert(200, "href=\"/vote/creators\"");
    site.catalogue.votes.set(State::Open);
    let page = browser.get("/vote").await;
    site.catalogue.votes.set(State::Away);
    let fields = send(&mut browser, "/fr/vote", &page, "first").await;
    fields.assert(503, "Indisponible pour le moment");
    browser.get("/vote").await.assert(503, "Not available now");
}
