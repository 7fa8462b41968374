//! The Atom feed of new games, and the calendar of events.

use roxmltree::{Document, Node};
use sqlx::PgPool;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::share::{children, file, text};
use crate::support::Site;

const ATOM: &str = "http://www.w3.org/2005/Atom";

/// Asserts what RFC 4287 requires of a feed and its entries.
fn check_feed(feed: &str, address: &str) {
    let document = Document::parse(feed).unwrap();
    let root = document.root_element();
    assert!(root.has_tag_name((ATOM, "feed")), "{feed}");
    let of_feed = ["id", "title", "subtitle", "updated", "link", "icon", "author", "entry"];
    let of_entry = ["id", "title", "link", "published", "updated", "author", "summary"];
    let check = |node: Node<'_, '_>, known: &[&str]| {
        for child in node.children().filter(Node::is_element) {
            assert_eq!(child.tag_name().namespace(), Some(ATOM));
            assert!(known.contains(&child.tag_name().name()), "{child:?}");
        }
    };
    check(root, &of_feed);
    let links = children(root, "link");
    let own = links.iter().find(|link| link.attribute("rel") == Some("self"));
    assert_eq!(own.unwrap().attribute("href"), Some(address));
    assert_eq!(text(root, "id"), address);
    let mut newest = String::new();
    let mut previous: Option<String> = None;
    let entries = children(root, "entry");
    assert!(!entries.is_empty(), "{feed}");
    for entry in entries {
        check(entry, &of_entry);
        url::Url::parse(text(entry, "id")).unwrap();
        assert!(!text(entry, "title").is_empty());
        for time in ["published", "updated"] {
            OffsetDateTime::parse(text(entry, time), &Rfc3339).unwrap();
        }
        let published = text(entry, "published").to_owned();
        assert!(previous.is_none_or(|it| published <= it), "{feed}");
        previous = Some(published);
        newest = newest.max(text(entry, "updated").to_owned());
    }
    assert_eq!(text(root, "updated"), newest);
}

#[testing::database_test(web::MIGRATOR)]
async fn new_games_have_a_feed(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let atom = "application/atom+xml; charset=utf-8";
    for (path, list, title) in [
        ("/games/feed.xml", "/games", "New games · Mchezo"),
        ("/fr/games/feed.xml", "/fr/games", "Nouveaux jeux · Mchezo"),
    ] {
        let feed = file(&mut browser, path, atom).await.text;
        check_feed(&feed, &format!("https://mchezo.example{path}"));
        assert!(feed.contains(&format!("<title>{title}</title>")), "{feed}");
        // The list links to its feed.
        let page = browser.get(list).await.text;
        assert!(page.contains(&format!("href=\"{path}\"")), "{page}");
    }
    let feed = browser.get("/fr/games/feed.xml").await.text;
    for part in [
        "<id>https://mchezo.example/games/okoto</id>",
        "href=\"https://mchezo.example/fr/games/okoto\"",
        // The date is that of publication; the game was submitted on 1 January.
        "<published>2026-11-12T00:00:00Z</published>",
        "<updated>2026-11-22T00:00:00Z</updated>",
        "<name>Savanna &#60;i&#62;Studio</name>",
    ] {
        assert!(feed.contains(part), "{part} is not in {feed}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn events_have_a_calendar(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let path = "/events/calendar.ics?country=NG";
    let calendar = file(&mut browser, path, "text/calendar; charset=utf-8").await.text;
    assert!(calendar.lines().all(|line| line.len() <= 75));
    assert_eq!(calendar.matches('\n').count(), calendar.matches("\r\n").count());
    let unfolded = calendar.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split_terminator("\r\n").collect();
    assert_eq!((lines[0], lines[1]), ("BEGIN:VCALENDAR", "VERSION:2.0"));
    assert_eq!(lines.last(), Some(&"END:VCALENDAR"));
    let event: Vec<&str> =
        lines.iter().copied().skip_while(|line| *line != "BEGIN:VEVENT").collect();
    assert_eq!(
        event,
        [
            "BEGIN:VEVENT",
            "UID:https://mchezo.example/events/jam",
            // The event was moved after it was listed.
            "DTSTAMP:20260202T100000Z",
            "LAST-MODIFIED:20260202T100000Z",
            "SEQUENCE:2080800",
            "DTSTART;VALUE=DATE:20261122",
            // `DTEND` is exclusive: the day after the last.
            "DTEND;VALUE=DATE:20261124",
            "SUMMARY:Lagos <Jam>",
            "DESCRIPTION:Bring\\nseeds.",
            "LOCATION:Lagos\\, Nigeria",
            "URL:https://mchezo.example/events/jam",
            "CATEGORIES:Game jam",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
            "END:VCALENDAR",
        ]
    );
    assert!(lines.contains(&"X-WR-CALNAME:Events in Nigeria · Mchezo"), "{calendar}");
    // A calendar application keeps the newer copy of an event, whichever of the two files it comes from.
    let single = browser.get("/events/jam/calendar.ics").await;
    assert_eq!(single.headers["content-type"], "text/calendar; charset=utf-8");
    let single = single.text.replace("\r\n ", "");
    let single: Vec<&str> = single.split_terminator("\r\n").collect();
    let single = single.into_iter().skip_while(|line| *line != "BEGIN:VEVENT");
    assert_eq!(single.collect::<Vec<_>>(), event);
    assert_eq!(browser.get("/events/none/calendar.ics").await.status, 404);
    browser.get("/events?country=NG").await.assert(200, &format!("href=\"{path}\""));
}

/// RFC 5545, section 3.6: a calendar has at least one component.
#[testing::database_test(web::MIGRATOR)]
async fn a_calendar_without_events_has_a_time_zone(pool: PgPool) {
    let site = Site::new(pool).await;
    *site.catalogue.is_empty.lock().unwrap() = true;
    let calendar = site.browser().get("/events/calendar.ics").await;
    calendar.assert(200, "BEGIN:VTIMEZONE\r\nTZID:UTC\r\n");
    assert!(!calendar.text.contains("VEVENT"), "{}", calendar.text);
}
