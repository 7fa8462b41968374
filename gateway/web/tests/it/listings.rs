//! Listings of an account: the list, submissions, changes, takedowns and claims.

use std::sync::atomic::Ordering;

use contracts::gateway::v1::Plan;
use contracts::listings::v1::{Claim, ClaimState, State};
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::Page;
use crate::support::{BOB, Site, studio};

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
        game.set_state(State::Rejected);
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
            sent.location().ends_with("/listings/game/new-game/pictures?done=listing-submitted")
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
async fn two_people_who_change_one_listing_keep_the_changes_of_both(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/game/okoto/edit");
    let form = owner.get(&path).await;
    form.assert(200, "value=\"Okoto\"");
    let base = form.hidden()["base"].clone();
    let with = |more: &[(&'static str, &'static str)]| {
        let mut more: Vec<(&str, &str)> = more.to_vec();
        more.push(("base", base.as_str()));
        more
    };
    let title = || {
        let games = site.listings.games.lock().unwrap();
        games[&(account.clone(), "okoto".to_owned())].title.clone()
    };
    // Somebody else has saved another tagline, and staff have approved the listing: the title is changed, and nothing else.
    site.listings.change(&account, "okoto", |game| {
        "Theirs".clone_into(&mut game.tagline);
        game.revision = 7;
    });
    let saved = owner.post(&path, &fields("It's Okoto", &with(&[]))).await;
    assert!(saved.location().ends_with("/game/okoto?done=listing-changed"));
    let recorded = site.listings.recorded().remove(0);
    assert!(
        recorded.contains("It's Okoto")
            && !recorded.contains("genres")
            && !recorded.contains("tagline"),
        "{recorded}"
    );
    let done = format!("/accounts/{account}/listings/game/okoto?done=listing-changed");
    owner.get(&done).await.assert(200, "The change is saved.");

    // The title was changed since this form was opened: it is marked, with its present value.
    let late = owner.post(&path, &fields("Mine", &with(&[]))).await;
    late.assert(422, "It is now: It&#39;s Okoto");
    late.assert(422, "<a href=\"#title\">");
    late.assert(422, "value=\"Mine\"");
    // What the person has not changed is shown as it is now.
    late.assert(422, "value=\"Theirs\"");
    assert_eq!(title(), "It's Okoto");
    let more = [("base", late.hidden()["base"].clone())];
    let more: Vec<(&str, &str)> = more.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let more: Vec<(&str, &str)> = [&more[..], &[("tagline", "Theirs")]].concat();
    let saved = owner.post(&path, &fields("Mine", &more)).await;
    assert!(saved.location().ends_with("?done=listing-changed"));
    assert_eq!(title(), "Mine");
    let same = owner.post(&path, &fields("", &more)).await;
    same.assert(422, "It is now: Mine");
    let without = owner.post(&path, &fields("Yours", &[])).await;
    without.assert(422, "Open the page again");
    assert_eq!(title(), "Mine");
    // The error of a choice that both have changed names the other choice.
    let base = owner.get(&path).await.hidden()["base"].clone();
    site.listings.change(&account, "okoto", |game| {
        "released".clone_into(&mut game.stage);
    });
    let more = [("base", base.as_str()), ("stage", "early_access")];
    let late = owner.post(&path, &fields("Mine", &more)).await;
    late.assert(422, "id=\"stage-error\"");
    late.assert(422, "It is now: Released");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_change_at_the_same_moment_is_made_again(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/game/okoto/edit");
    let base = owner.get(&path).await.hidden()["base"].clone();
    site.listings.changes_meanwhile.store(2, Ordering::Relaxed);
    let more = [("base", base.as_str())];
    let saved = owner.post(&path, &fields("Mine", &more)).await;
    assert!(saved.location().ends_with("?done=listing-changed"));
    site.listings.changes_meanwhile.store(100, Ordering::Relaxed);
    let base = owner.get(&path).await.hidden()["base"].clone();
    let more = [("base", base.as_str())];
    let busy = owner.post(&path, &fields("Yours", &more)).await;
    busy.assert(422, "at the same moment");
    busy.assert(422, "value=\"Yours\"");
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
        let plan = Plan { writes_per_day: Some(writes), ..Plan::default() };
        *site.gateway.plan.lock().unwrap() = Some(plan);
    };
    // The account has used seven writes.
    set_limit(50);
    let left = "You can submit or change 43 more listings today.";
    for path in ["new/game", "new/event", "game/okoto/pictures", "game/okoto/edit"] {
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
    // One that waits can be withdrawn.
    let claim = Claim {
        id: kit::ids::row_id().to_string(),
        account_id: account.clone(),
        handle: "maliyo".to_owned(),
        state: ClaimState::Waiting.into(),
        ..Claim::default()
    };
    let withdraw = format!("{path}/{}/withdraw", claim.id);
    site.listings.claims.lock().unwrap().push(claim);
    let button = format!("action=\"{withdraw}\"");
    owner.get(&path).await.assert(200, &button);
    // The second time the claim is gone.
    for _ in 0..2 {
        let page = owner.post(&withdraw, &[]).await;
        assert!(page.location().ends_with("/claims?done=claim-withdrawn"));
        let page = owner.get(page.location()).await;
        page.assert(200, "The claim is withdrawn.");
        assert!(!page.text.contains(&button), "{}", page.text);
    }
    let activity = owner.get(&format!("/accounts/{account}/activity")).await;
    let withdrawn = "withdrew the claim of the page maliyo";
    assert_eq!(activity.text.matches(withdrawn).count(), 1);
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
    game.assert(200, &format!("<a class=\"button\" href=\"{base}/new/page\">"));
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
    let first: Vec<(&str, &str)> = first.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let asked = owner.post(&path, &fields("OKOTO", &first)).await;
    asked.assert(422, "already listed something with this title");
    let again = send(&asked.hidden());
    let again: Vec<(&str, &str)> = again.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let sent = owner.post(&path, &fields("OKOTO", &again)).await;
    assert!(sent.location().ends_with("?done=listing-submitted"));
}

const GAME: &str = "okoto";

/// The revision that a page names in its form.
fn seen(page: &Page) -> String {
    page.hidden()["revision"].clone()
}

fn state(site: &Site, account: &str) -> State {
    site.listings.games.lock().unwrap()[&(account.to_owned(), GAME.to_owned())].state()
}

fn set_state(site: &Site, account: &str, state: State) {
    site.listings.change(account, GAME, |game| game.set_state(state));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_listing_that_is_taken_down_says_who_did_it_and_whom_to_ask(pool: PgPool) {
    let (site, account, owner) = studio(pool).await;
    let changed = site.changed(|web| web.staff_mail = Some("staff@mchezo.example".to_owned()));
    let mut owner = owner.with_router(&changed);
    let base = format!("/accounts/{account}/listings/game/okoto");
    let revision = seen(&owner.get(&base).await);
    owner.post(&format!("{base}/take-down"), &[("revision", &revision)]).await.location();
    let edit = owner.get(&format!("{base}/edit")).await;
    assert_eq!(edit.location(), base);
    let page = owner.get(&base).await;
    page.assert(200, "Your account took this listing down, 23 November 2026");
    page.assert(200, "mailto:staff@mchezo.example");
    assert!(!page.text.contains("class=\"problem"), "{}", page.text);
    // Another owner, whose account the gateway does not name now.
    let other = kit::ids::row_id().to_string();
    let says = format!("The account {other} took this listing down");
    let key = (account.clone(), GAME.to_owned());
    site.listings.ended.lock().unwrap().get_mut(&key).unwrap().by_account = other;
    owner.get(&base).await.assert(200, &says);
    site.listings.end_by_staff(&account, GAME, State::Removed, "It is <i>stolen");
    let page = owner.get(&base).await;
    page.assert(200, "Our staff took this listing down, 23 November 2026");
    page.assert(200, "<bdi>It is &#60;i&#62;stolen</bdi>");
    let list = owner.get(&format!("/accounts/{account}/listings")).await;
    list.assert(200, "Staff took it down, 23 November 2026");
    list.assert(200, "<bdi>It is &#60;i&#62;stolen</bdi>");
}

#[testing::database_test(web::MIGRATOR)]
async fn each_state_has_its_own_button(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}/listings/game/okoto");
    for (state, button) in [
        (State::Published, Some("/take-down\"")),
        (State::Pending, Some("/withdraw\"")),
        (State::Rejected, Some("/withdraw\"")),
        (State::Removed, None),
    ] {
        set_state(&site, &account, state);
        let page = owner.get(&path).await;
        page.assert(200, "Okoto");
        for action in ["/take-down\"", "/withdraw\""] {
            let is_there = page.text.contains(action);
            assert_eq!(is_there, button == Some(action), "{state:?}: {}", page.text);
        }
    }
}

/// A page that stays open while staff decide.
#[testing::database_test(web::MIGRATOR)]
async fn a_form_of_an_older_page_ends_nothing(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let base = format!("/accounts/{account}/listings/game/okoto");
    set_state(&site, &account, State::Pending);
    let revision = seen(&owner.get(&base).await);
    site.listings.approve(&account, GAME);
    for (form, fields) in [
        ("withdraw", &[("revision", revision.as_str())][..]),
        ("take-down", &[("revision", revision.as_str())]),
        ("take-down", &[]),
        ("take-down", &[("revision", "x")]),
    ] {
        let page = owner.post(&format!("{base}/{form}"), fields).await;
        // It says what has happened, and shows the listing of now.
        page.assert(422, "meanwhile");
        page.assert(422, "/take-down\"");
        assert_eq!(seen(&page), "2");
        assert_eq!(state(&site, &account), State::Published);
    }
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
    owner.post(&format!("{base}/take-down"), &[("revision", "2")]).await.location();
    assert_eq!(state(&site, &account), State::Removed);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_withdrawal_is_answered_alike_whoever_sends_it_again(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let bob = site.person(BOB).await;
    site.join(account.parse().unwrap(), bob, Role::Editor).await;
    let mut editor = site.signed_in(BOB).await;
    let base = format!("/accounts/{account}/listings/game/okoto");
    set_state(&site, &account, State::Pending);
    let form = [("revision", seen(&owner.get(&base).await))];
    let form = form.each_ref().map(|(name, value)| (*name, value.as_str()));
    for browser in [&mut owner, &mut editor] {
        for _ in 0..2 {
            let sent = browser.post(&format!("{base}/withdraw"), &form).await;
            assert_eq!(sent.location(), format!("{base}?done=listing-withdrawn"));
        }
    }
    assert_eq!(site.listings.recorded(), ["withdraw okoto"]);
    let activity = owner.get(&format!("/accounts/{account}/activity")).await;
    assert_eq!(activity.text.matches("withdrew okoto").count(), 1, "{}", activity.text);
    // Nothing that an account does looks like a decision of staff.
    let list = format!("/accounts/{account}/listings");
    for path in [&base, &list, &format!("/accounts/{account}")] {
        let page = owner.get(path).await;
        let says_so = page.text.contains("withdr");
        assert!(says_so || path.ends_with(&account), "{}", page.text);
        for word in ["rejected", "class=\"problem", "class=\"state bad"] {
            assert!(!page.text.contains(word), "{word} in {}", page.text);
        }
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_rejected_listing_waits_until_it_is_put_away(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let today = format!("/accounts/{account}");
    let base = format!("{today}/listings/game/okoto");
    set_state(&site, &account, State::Pending);
    site.listings.end_by_staff(&account, GAME, State::Rejected, "Too dark");
    owner.get(&today).await.assert(200, "Too dark");
    let page = owner.get(&base).await;
    page.assert(200, "Our staff rejected this listing, 23 November 2026");
    let form = [("revision", seen(&page))];
    let form = form.each_ref().map(|(name, value)| (*name, value.as_str()));
    for _ in 0..2 {
        let sent = owner.post(&format!("{base}/withdraw"), &form).await;
        assert_eq!(sent.location(), format!("{base}?done=listing-withdrawn"));
    }
    let page = owner.get(&today).await;
    for word in ["Too dark", "was rejected"] {
        assert!(!page.text.contains(word), "{}", page.text);
    }
    let page = owner.get(&base).await;
    page.assert(200, "Your account withdrew this listing");
    page.assert(200, "<bdi>Too dark</bdi>");
    assert!(!page.text.contains("/withdraw\""), "{}", page.text);
}
