//! Events: when they are upcoming, one event, and errors.

use catalogue::service::Reads;
use contracts::catalogue::v1::events_service_server::EventsService as _;
use contracts::catalogue::v1::{GetEventRequest, GetEventResponse, ListEventsRequest};
use contracts::common::v1::{Mode, PageRequest};
use contracts::listings::v1 as listings;
use contracts::public;
use kit::{Clock, Code, Fault};
use time::macros::datetime;
use tonic::Request;

use super::{catalogue, parse};
use crate::build::{at, event, event_change, reads};

/// Event 2 is on 3 March, event 9 on 10 to 12 March, event 19 on 20 March. The clock shows the last second of 11 March.
fn events() -> (Reads, Clock) {
    let clock = Clock::fixed(datetime!(2026-03-11 23:59:59 UTC));
    let mut long = event(9);
    long.ends_at = Some("2026-03-12".to_owned());
    let changes = [event(2), long, event(19)].map(|event| event_change(&event));
    (Reads { clock: clock.clone(), ..reads(catalogue(&changes)) }, clock)
}

fn live() -> ListEventsRequest {
    ListEventsRequest { mode: Mode::Live.into(), ..ListEventsRequest::default() }
}

#[tokio::test]
async fn a_cursor_outlives_midnight() {
    let (events, clock) = events();
    let page = |cursor| Some(PageRequest { limit: 1, cursor });
    let mut request = live();
    request.page = page(String::new());
    let first = events.list_events(Request::new(request.clone())).await;
    let info = first.unwrap().into_inner().page.unwrap();
    assert_eq!(info.total, 2);
    clock.advance(time::Duration::days(2));
    // `when=upcoming` is the default: the cursor stays valid.
    request.when = Some("upcoming".to_owned());
    request.page = page(info.next_cursor.unwrap());
    let second = events.list_events(Request::new(request)).await.unwrap().into_inner();
    let rows: Vec<public::Event> = parse(&second.json);
    assert_eq!(rows[0].slug, "event-19");
    let info = second.page.unwrap();
    assert_eq!((info.total, info.next_cursor), (1, None));
}

#[tokio::test]
async fn a_cursor_up_to_a_day_outlives_the_midnight_after_it() {
    let (events, clock) = events();
    let list = async |when: Option<&str>, to: &str, cursor: String| {
        let request = ListEventsRequest {
            when: when.map(str::to_owned),
            to: Some(to.to_owned()),
            page: Some(PageRequest { limit: 1, cursor }),
            ..live()
        };
        let listed =
            events.list_events(Request::new(request)).await.map_err(Fault::from)?.into_inner();
        let rows: Vec<public::Event> = parse(&listed.json);
        let slugs: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        Ok::<_, Fault>((slugs, listed.page.unwrap().next_cursor))
    };
    // Yesterday: past events are part of the list without `when`.
    let (slugs, cursor) = list(None, "2026-03-10", String::new()).await.unwrap();
    assert_eq!(slugs, ["event-2"]);
    let refused = list(Some("upcoming"), "2026-03-10", cursor.unwrap()).await.unwrap_err();
    assert!(refused.fields.contains_key("cursor"), "{refused:?}");
    // The last day is not over when page 1 is read, and is over when page 2 is.
    let last_day = "2026-03-20";
    let (slugs, cursor) = list(None, last_day, String::new()).await.unwrap();
    assert_eq!(slugs, ["event-9"]);
    clock.advance(datetime!(2026-03-21 0:00 UTC) - clock.now());
    let (slugs, cursor) = list(None, last_day, cursor.unwrap()).await.unwrap();
    assert_eq!((&*slugs, cursor), (&["event-19".to_owned()][..], None));
}

#[tokio::test]
async fn bad_fields_are_named_at_once() {
    let (events, _) = events();
    let refused = async |request: ListEventsRequest| {
        let outcome = events.list_events(Request::new(request)).await;
        let fault = Fault::from(outcome.unwrap_err());
        fault.fields.into_keys().collect::<Vec<_>>()
    };
    let bad = ListEventsRequest {
        kind: Some("party".to_owned()),
        country: Some("FR".to_owned()),
        when: Some("soon".to_owned()),
        from: Some("2026-02-29".to_owned()),
        to: Some("tomorrow".to_owned()),
        ..live()
    };
    assert_eq!(refused(bad).await, ["country", "from", "kind", "to", "when"]);
    let backwards = ListEventsRequest {
        from: Some("2026-03-02".to_owned()),
        to: Some("2026-03-01".to_owned()),
        ..live()
    };
    assert_eq!(refused(backwards).await, ["to"]);
}

#[tokio::test]
async fn days_of_the_years_1_to_9999_are_accepted() {
    let (events, _) = events();
    // A range of past days needs no `when`.
    for (when, from, to, total) in [
        (Some("all"), Some("0001-01-01"), Some("1899-12-31"), 0),
        (Some("all"), Some("3000-01-01"), Some("9999-12-31"), 0),
        (None, Some("0001-01-01"), Some("9999-12-31"), 3),
        (None, None, Some("1899-12-31"), 0),
        (None, None, Some("2026-03-10"), 2),
        // Today is not a past day: without `when`, past events are left out.
        (None, None, Some("2026-03-11"), 1),
    ] {
        let request = ListEventsRequest {
            when: when.map(str::to_owned),
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            ..live()
        };
        let found = events
            .list_events(Request::new(request))
            .await
            .unwrap()
            .into_inner()
            .page
            .unwrap()
            .total;
        assert_eq!(found, total, "{from:?} {to:?}");
    }
    for bad in ["10000-01-01", "-001-01-01", "2026-3-1"] {
        let request = ListEventsRequest { from: Some(bad.to_owned()), ..live() };
        let refused = events.list_events(Request::new(request)).await;
        let fault = Fault::from(refused.unwrap_err());
        assert!(fault.fields.contains_key("from"), "{bad}");
    }
}

async fn get(events: &Reads, mode: Mode, slug: &str) -> Result<GetEventResponse, Fault> {
    let request = GetEventRequest { mode: mode.into(), slug: slug.to_owned(), at_least: None };
    let response = events.get_event(Request::new(request)).await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn a_single_event_is_its_row() {
    let clock = Clock::fixed(datetime!(2030-01-01 0:00 UTC));
    let whole = listings::Event {
        ends_at: Some("2026-03-31".to_owned()),
        online: true,
        website: Some("https://jam.example".to_owned()),
        description: "A \"jam\".".to_owned(),
        ..event(1)
    };
    let events = Reads { clock, ..reads(catalogue(&[event_change(&whole)])) };
    let json = get(&events, Mode::Live, "event-1").await;
    let json = json.unwrap().json;
    let single: public::Event = serde_json::from_slice(&json).unwrap();
    assert_eq!(serde_json::to_vec(&single).unwrap(), json);
    assert_eq!(single.description, "A \"jam\".");
    assert_eq!(single.ends_at.as_deref(), Some("2026-03-31"));
    assert_eq!(single.website, whole.website);
    let request = ListEventsRequest { when: Some("past".to_owned()), ..live() };
    let list = events.list_events(Request::new(request)).await.unwrap();
    let rows: Vec<public::Event> = serde_json::from_slice(&list.get_ref().json).unwrap();
    assert_eq!(rows, [single]);

    for (mode, slug) in [(Mode::Test, "event-1"), (Mode::Live, "event-2")] {
        let fault = get(&events, mode, slug).await.unwrap_err();
        assert_eq!(fault.code, Code::NotFound);
    }
}

#[tokio::test]
async fn an_event_has_its_times_and_a_list_on_request() {
    let moved = listings::Event {
        updated_at: Some(at(5_000)),
        first_published_at: Some(at(4_000)),
        ..event(9)
    };
    let changes = [event_change(&moved), event_change(&event(19))];
    let clock = Clock::fixed(datetime!(2026-01-01 12:00 UTC));
    let events = Reads { clock, ..reads(catalogue(&changes)) };
    let times = async |with_times| {
        let request = ListEventsRequest { when: Some("all".to_owned()), with_times, ..live() };
        let list = events.list_events(Request::new(request)).await.unwrap().into_inner();
        (list.updated_at, list.first_published_at)
    };
    let (updated, published) = times(false).await;
    assert!(updated.is_empty() && published.is_empty());
    let (updated, published) = times(true).await;
    assert_eq!((updated.len(), updated[0]), (2, at(5_000)));
    assert_eq!((published.len(), published[0]), (2, at(4_000)));
    let single = get(&events, Mode::Live, "event-9").await.unwrap();
    assert_eq!(single.updated_at, Some(at(5_000)));
    assert_eq!(single.first_published_at, Some(at(4_000)));
}
