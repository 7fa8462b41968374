//! GET /events and GET /events/{slug} (§2.5, §4.2, §10.5).

use contracts::public::Event;
use e2e::{Client, Fleet, Staff};
use serde_json::json;

use crate::lists::{
    assert_cursor_is_bound, assert_empty, assert_pages, assert_refused, live, sample,
};

async fn events(client: &Client, path: &str) -> Vec<Event> {
    client.rows(path, 100).await
}

/// Days compare as texts.
fn last_day(event: &Event) -> &str {
    event.ends_at.as_deref().unwrap_or(&event.starts_at)
}

fn by_day(event: &Event) -> (String, String) {
    (event.starts_at.clone(), event.slug.clone())
}

#[tokio::test]
async fn the_soonest_come_first_and_of_past_ones_the_latest() {
    let client = sample(&Fleet::shared());
    let upcoming = events(&client, "/events").await;
    let past = events(&client, "/events?when=past").await;
    let all = events(&client, "/events?when=all").await;
    assert_eq!(events(&client, "/events?when=upcoming").await, upcoming);
    assert!(upcoming.is_sorted_by_key(by_day));
    assert!(all.is_sorted_by_key(by_day));
    assert!(past.iter().rev().is_sorted_by_key(by_day));

    // Every event is either past or upcoming, by its last day.
    let mut both = [past.clone(), upcoming.clone()].concat();
    both.sort_by_key(by_day);
    assert_eq!(both, all);
    let over = past.iter().map(last_day).max();
    let under_way = upcoming.iter().map(last_day).min();
    if let (Some(over), Some(under_way)) = (over, under_way) {
        assert!(over < under_way, "{over} is past, {under_way} is not");
    }
}

/// Whatever the year is, one of the test's own events is past, one runs, and one is still to come.
#[tokio::test]
async fn what_is_past_and_what_is_upcoming_goes_by_the_last_day() {
    let fleet = Fleet::shared();
    let word = format!("w{}", kit::ids::row_id().simple());
    let event = |name: &str, starts_at: &str, ends_at: &str| {
        json!({
            "slug": format!("{name}-{word}"), "title": format!("{name} {word}"), "kind": "jam", "starts_at": starts_at,
            "ends_at": ends_at, "country_code": "GH", "city": "Accra",
        })
    };
    let rows = [
        event("over", "1999-01-01", "1999-01-02"),
        event("running", "1999-01-01", "2998-12-31"),
        event("coming", "2999-01-01", "2999-01-02"),
    ];
    Staff::of(&fleet).await.import("event", &rows).await;
    let client = live(&fleet).await;
    for (when, expected) in [
        ("", &["running", "coming"][..]),
        ("&when=upcoming", &["running", "coming"]),
        ("&when=past", &["over"]),
        ("&when=all", &["over", "running", "coming"]),
    ] {
        let found = events(&client, &format!("/events?q={word}{when}")).await;
        let found: Vec<String> = found.into_iter().map(|event| event.slug).collect();
        let expected: Vec<String> = expected
            .iter()
            .map(|name| format!("{name}-{word}"))
            .collect();
        assert_eq!(found, expected, "{when}");
    }
}

#[tokio::test]
async fn real_events_are_listed() {
    let fleet = Fleet::shared();
    let all = events(&live(&fleet).await, "/events?when=all").await;
    assert!(all.len() >= 45, "{} are listed", all.len());
    let matatu = all
        .iter()
        .find(|event| event.slug == "matatu-thon-2013")
        .unwrap();
    assert_eq!(
        (matatu.kind.as_str(), matatu.starts_at.as_str()),
        ("tournament", "2013-08-16")
    );
    assert_eq!(
        (matatu.country_code.as_str(), matatu.city_slug.as_str()),
        ("UG", "kampala")
    );
    assert!(
        matatu.url.ends_with("/events/matatu-thon-2013"),
        "{}",
        matatu.url
    );
}

#[tokio::test]
async fn every_filter_gives_what_the_whole_list_holds() {
    let client = sample(&Fleet::shared());
    let whole = events(&client, "/events?when=all").await;
    let some = whole
        .iter()
        .find(|event| event.ends_at.as_ref() > Some(&event.starts_at))
        .unwrap();
    let is = async |query: String, keep: &dyn Fn(&Event) -> bool| {
        let expected: Vec<Event> = whole.iter().filter(|event| keep(event)).cloned().collect();
        assert!(!expected.is_empty(), "{query} would show nothing");
        let path = format!("/events?when=all&{query}");
        let found: Vec<Event> = client.rows(&path, 3).await;
        assert_eq!(found, expected, "{query}");
    };
    let (kind, country, city) = (&some.kind, &some.country_code, &some.city_slug);
    is(format!("kind={kind}"), &|event| &event.kind == kind).await;
    is(format!("city={city}&q="), &|event| &event.city_slug == city).await;
    is(format!("country={}", country.to_lowercase()), &|event| {
        &event.country_code == country
    })
    .await;
    is(
        format!("kind={kind}&country={country}&city={city}"),
        &|event| &event.kind == kind && &event.country_code == country && &event.city_slug == city,
    )
    .await;

    // The days of a range are its first, its last and those between; an event takes place on all of its own.
    let (first, last) = (some.starts_at.as_str(), last_day(some));
    is(format!("from={last}&to={last}"), &|event| {
        event.starts_at.as_str() <= last && last_day(event) >= last
    })
    .await;
    is(format!("from={last}"), &|event| last_day(event) >= last).await;
    is(format!("to={first}"), &|event| {
        event.starts_at.as_str() <= first
    })
    .await;
    assert_empty(&client, "/events?when=all&city=atlantis").await;
    assert_empty(&client, "/events?when=upcoming&to=2001-01-01").await;
}

#[tokio::test]
async fn words_match_by_prefix_in_title_and_city() {
    let client = sample(&Fleet::shared());
    let found = async |q: &str| -> bool {
        let events = events(&client, &format!("/events?when=all&q={q}")).await;
        events
            .iter()
            .any(|event| event.slug == "sample-harmattan-jam-2024")
    };
    for q in ["harmattan", "HARM", "kano", "jam%20k%C3%A1no", "harmatan"] {
        assert!(found(q).await, "q={q}");
    }
    for q in ["mattan", "harmattan%20zebra"] {
        assert!(!found(q).await, "q={q}");
    }
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_list() {
    let client = sample(&Fleet::shared());
    for path in ["/events", "/events?when=past", "/events?when=all"] {
        assert_pages(&client, path).await;
    }
    assert_cursor_is_bound(&client, "/events?when=past", "/events?when=all").await;
    assert_cursor_is_bound(&client, "/games", "/events").await;
}

#[tokio::test]
async fn a_single_event_is_its_row() {
    let client = sample(&Fleet::shared());
    for row in events(&client, "/events?when=all").await {
        let event: Event = client.one(&format!("/events/{}", row.slug)).await;
        assert_eq!(event, row);
    }
    let event: Event = client.one("/events/sample-harmattan-jam-2024").await;
    assert_eq!(
        event.website.as_deref(),
        Some("https://harmattan-jam-2024.example/")
    );
    assert!(event.description.starts_with("Forty-eight hours"));
}

#[tokio::test]
async fn live_and_sample_events_are_apart() {
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    let real = live.get("/events/matatu-thon-2013").await;
    assert_eq!(
        (real.status.as_u16(), &real.body["meta"]["mode"]),
        (200, &"live".into())
    );
    for (client, slug) in [
        (&sample, "matatu-thon-2013"),
        (&live, "sample-harmattan-jam-2024"),
    ] {
        let answer = client.get(&format!("/events/{slug}")).await;
        answer.assert_error(404, "not_found");
        let listed = events(client, "/events?when=all").await;
        assert!(listed.iter().all(|event| event.slug != slug));
    }
}

#[tokio::test]
async fn a_wrong_question_is_told_what_is_wrong_with_it() {
    let client = sample(&Fleet::shared());
    let cases = [
        ("kind=party", "kind"),
        ("country=FR", "country"),
        ("when=soon", "when"),
        ("when=past&when=past", "when"),
        ("from=2026-02-30", "from"),
        ("from=tomorrow", "from"),
        ("to=2026-2-3", "to"),
        ("from=2026-02-03&to=2026-02-02", "to"),
        ("q=%FF", "q"),
    ];
    assert_refused(&client, "/events", &cases).await;
    for slug in ["no-such-event", "%FF", "a%2Fb"] {
        let answer = client.get(&format!("/events/{slug}")).await;
        answer.assert_error(404, "not_found");
    }
}
