//! Listings of an account: the list, submissions, changes, takedowns and claims.

use std::sync::atomic::Ordering;

use contracts::gateway::v1::Plan;
use sqlx::PgPool;

use crate::browser::Page;
use crate::support::studio;

/// The fields of a game's form, as a browser sends them.
fn fields<'a>(title: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![
        ("creator", "studio"),
        ("title", title),
        ("tagline", ""),
        ("description", "One\r\ntwo"),
        ("genres", "puzzle"),
        ("stage", ""),
        ("release_year", "2026"),
        ("trailer_url", ""),
        ("links.play", ""),
    ];
    fields.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    fields.extend_from_slice(more);
    fields
}

#[testing::database_test(web::MIGRATOR)]
async fn the_list_links_to_each_listing(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings");
    let list = owner.get(&base).await;
    list.assert(200, &format!("{base}/game/okoto"));
    list.assert(200, "GET /v1/me/listings");
    let page = owner.get(&format!("{base}/game/okoto")).await;
    page.assert(200, "GET /v1/games/okoto");
    site.listings.change(&account, "okoto", |game| {
        game.set_state(contracts::listings::v1::State::Rejected);
    });
    let page = owner.get(&format!("{base}/game/okoto")).await;
    page.assert(200, "Too &#60;b&#62;short");
    for path in ["game/nothing", "genre/okoto", "page/okoto"] {
        let page = owner.get(&format!("{base}/{path}")).await;
        page.assert(404, "Not found");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_that_is_sent_twice_submits_one_game(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let id = owner.get(&path).await.hidden()["form"].clone();
    let more = [("form", id.as_str())];
    for _ in 0..2 {
        let sent = owner.post(&path, &fields("A game", &more)).await;
        // The next page is that of the game's pictures.
        assert!(
            sent.location()
                .ends_with("/listings/game/new-game/pictures?done=listing-submitted")
        );
    }
    let base = format!("/accounts/{account}/listings/game/new-game");
    let pictures = format!("{base}/pictures?done=listing-submitted");
    let page = owner.get(&pictures).await;
    page.assert(200, "Thank you. We review it before it goes public.");
    page.assert(200, "Upload the cover");
    owner.get(&base).await.assert(200, "Add a cover");
    // The used form cannot submit another listing; its error page has a new form id.
    let page = owner.post(&path, &fields("Another game", &more)).await;
    page.assert(422, "has submitted a listing already");
    assert_ne!(page.hidden()["form"], id);
    let games = site.listings.games.lock().unwrap();
    assert_eq!(games[&(account, "new-game".to_owned())].title, "A game");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_stale_form_is_refused_with_the_typed_fields(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/game/okoto/edit");
    let form = owner.get(&path).await;
    form.assert(200, "value=\"Okoto\"");
    let revision = form.hidden()["revision"].clone();
    let more = [("revision", revision.as_str())];
    let saved = owner.post(&path, &fields("It's Okoto", &more)).await;
    assert!(
        saved
            .location()
            .ends_with("/game/okoto?done=listing-changed")
    );
    let recorded = site.listings.recorded().remove(0);
    assert!(
        recorded.contains("It's Okoto") && !recorded.contains("genres"),
        "{recorded}"
    );
    let done = format!("/accounts/{account}/listings/game/okoto?done=listing-changed");
    owner.get(&done).await.assert(200, "The change is saved.");

    // The form has an older revision now.
    let late = owner.post(&path, &fields("Mine", &more)).await;
    late.assert(422, "Somebody else changed this listing");
    late.assert(422, "value=\"Mine\"");
    assert_eq!(site.listings.recorded().len(), 1);
    // Sent again, the form overwrites the newer revision.
    let hidden = late.hidden();
    assert_eq!(hidden["revision"], "2");
    let more = [("revision", hidden["revision"].as_str())];
    let saved = owner.post(&path, &fields("Mine", &more)).await;
    assert!(saved.location().ends_with("?done=listing-changed"));
    let more = [("revision", "3")];
    let same = owner.post(&path, &fields("", &more)).await;
    same.assert(422, "Give a title.");
}

#[testing::database_test(web::MIGRATOR)]
async fn forms_show_the_remaining_writes_of_the_day(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings");
    let counts = |page: &Page| page.text.contains("You can submit or change");
    let unlimited = owner.get(&format!("{base}/new/game")).await;
    unlimited.assert(200, "<form");
    assert!(!counts(&unlimited), "{}", unlimited.text);
    let set_limit = |writes| {
        let plan = Plan {
            writes_per_day: Some(writes),
            ..Plan::default()
        };
        *site.gateway.plan.lock().unwrap() = Some(plan);
    };
    // The account has used seven writes.
    set_limit(50);
    let left = "You can submit or change 43 more listings today.";
    for path in [
        "new/game",
        "new/event",
        "game/okoto/pictures",
        "game/okoto/edit",
    ] {
        let page = owner.get(&format!("{base}/{path}")).await;
        page.assert(200, left);
    }
    // A new page does not count as a write.
    let page = owner.get(&format!("{base}/new/page")).await;
    page.assert(200, "<form");
    assert!(!counts(&page), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_is_claimed_with_evidence(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/claims");
    owner.get(&path).await.assert(200, "No claim yet");
    let fields = [("handle", "nobody"), ("evidence", "See <b>our site</b>")];
    let page = owner.post(&path, &fields).await;
    page.assert(422, "There is no public page with this handle.");
    page.assert(422, "See &#60;b&#62;our site");
    let fields = [("handle", " maliyo "), ("evidence", "See our site")];
    let page = owner.post(&path, &fields).await;
    assert!(page.location().ends_with("/claims?done=page-claimed"));
    assert_eq!(site.listings.recorded(), ["claim maliyo: See our site"]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_game_whose_page_is_in_review_has_no_problem(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let note = "Its page `studio` is pending review: the game is shown once the page is public.";
    *site.listings.note.lock().unwrap() = Some(note.to_owned());
    let base = format!("/accounts/{account}/listings");
    let page = owner.get(&format!("{base}/game/okoto")).await;
    page.assert(200, &format!("<p class=\"notice\">{note}</p>"));
    owner.get(&base).await.assert(200, note);
}

#[testing::database_test(web::MIGRATOR)]
async fn an_account_without_pages_is_led_to_submit_one_first(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings");
    site.listings.has_no_pages.store(true, Ordering::Relaxed);
    let game = owner.get(&format!("{base}/new/game")).await;
    game.assert(
        200,
        &format!("<a class=\"button\" href=\"{base}/new/page\">"),
    );
    assert!(!game.text.contains("name=\"title\""), "{}", game.text);
    // The first page is prefilled with the account's name; a second page may be for somebody else.
    for (has_no_pages, count) in [(true, 1), (false, 0)] {
        let has = &site.listings.has_no_pages;
        has.store(has_no_pages, Ordering::Relaxed);
        let page = owner.get(&format!("{base}/new/page")).await;
        let named = page.text.matches("value=\"Savanna\"").count();
        assert_eq!(named, count, "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn all_errors_of_a_new_game_are_shown_together(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let id = owner.get(&path).await.hidden()["form"].clone();
    let more = [("form", id.as_str()), ("credits", "Ada\r\n|||")];
    let page = owner.post(&path, &fields("", &more)).await;
    // The errors of the form and of the service are shown together.
    for name in ["credits", "title", "genres"] {
        page.assert(422, &format!("<a href=\"#{name}\">"));
        page.assert(422, &format!("id=\"{name}-error\""));
    }
    page.assert(422, "Begin each line with a name.");
    let page = owner.post(&path, &fields("A game", &more)).await;
    page.assert(422, "Begin each line with a name.");
    assert!(site.listings.find(&account, "new-game").is_err());
    let without = owner.post(&path, &fields("A title", &[])).await;
    without.assert(422, "Open the page again");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_repeated_title_asks_for_confirmation_once(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    site.listings.game(&account, "okoto", "Okoto");
    site.clock.advance(time::Duration::MINUTE);
    let path = format!("/accounts/{account}/listings/new/game");
    let opened = owner.get(&path).await.hidden();
    let send = |hidden: &std::collections::BTreeMap<String, String>| {
        let names = ["form", "opened_at", "same_title"];
        names.map(|name| (name, hidden[name].clone()))
    };
    let first = send(&opened);
    let first: Vec<(&str, &str)> = first
        .iter()
        .map(|(name, it)| (*name, it.as_str()))
        .collect();
    let asked = owner.post(&path, &fields("OKOTO", &first)).await;
    asked.assert(422, "already listed something with this title");
    let again = send(&asked.hidden());
    let again: Vec<(&str, &str)> = again
        .iter()
        .map(|(name, it)| (*name, it.as_str()))
        .collect();
    let sent = owner.post(&path, &fields("OKOTO", &again)).await;
    assert!(sent.location().ends_with("?done=listing-submitted"));
}
