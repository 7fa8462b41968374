//! Events: upcoming and past ones, and the page of one.

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public::{self, EVENT_KINDS};
use futures::future::try_join;
use pages::site::events::EventPage;
use pages::site::list::Rows;
use pages::{ApiCall, Frame, Head, Link};
use time::Date;
use time::format_description::well_known::Iso8601;

use super::filters::{FilteredList, FixedFilter, ListRequest, RowNames};
use super::response::respond;
use super::{cards, feeds, or_sample, structured_data, visitor_actions};
use crate::app::Web;
use crate::domain::link_host;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::query::address;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;

const PATH: &str = "/events";
pub const FILTERS: [&str; 7] = ["when", "kind", "country", "city", "from", "to", "q"];
const LIST: FilteredList = FilteredList {
    path: PATH,
    filters: &FILTERS,
    title: "events-title",
    description: "events-description",
};
const WHEN: FixedFilter = FixedFilter {
    name: "when",
    label: "filter-when",
    group: "when",
    values: &["upcoming", "past", "all"],
};
const KIND: FixedFilter =
    FixedFilter { name: "kind", label: "filter-kind", group: "event-kind", values: &EVENT_KINDS };

pub async fn list(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    let list = ListRequest::new(LIST, query);
    let when = list.get("when").unwrap_or_else(|| {
        let today = super::today(app);
        default_when(list.get("from"), list.get("to"), today)
    });
    let request = proto::ListEventsRequest {
        page: Some(list.page()),
        when: Some(when.to_owned()),
        kind: list.text("kind"),
        country: list.text("country"),
        city: list.text("city"),
        from: list.text("from"),
        to: list.text("to"),
        q: list.text("q"),
        ..proto::ListEventsRequest::default()
    };
    let reads = try_join(catalogue.events(request), catalogue.countries(true));
    let (events, countries) = reads.await?;
    // Upcoming events are at the address without a filter.
    visit.path = list.address();
    respond(app, &visit, |mut frame| {
        frame.share.documents = feeds::of_events(&frame, list.get("country"));
        let mut choice_of_when = list.fixed(&frame, WHEN);
        // One of them is always chosen.
        choice_of_when.options.remove(0);
        for option in &mut choice_of_when.options {
            option.is_chosen = option.value == when;
        }
        let choices =
            vec![choice_of_when, list.fixed(&frame, KIND), list.countries(&frame, &countries)?];
        let rows: Vec<public::Event> = events.parse()?;
        let first = rows.first();
        let names = RowNames {
            creator: None,
            city: first.map(|row| cards::city_name(frame.texts(), &row.city, &row.country_code)),
        };
        let cards = Rows::Events(cards::events(&frame, rows));
        Ok(list.list_page(frame, choices, &names, &events, cards))
    })
}

/// The value of an absent `when`. As in the API, a range that names past days includes past events.
fn default_when(from: Option<&str>, to: Option<&str>, today: Date) -> &'static str {
    let is_past = |day: &str| Date::parse(day, &Iso8601::DATE).is_ok_and(|day| day < today);
    if from.is_some() || to.is_some_and(is_past) { "all" } else { "upcoming" }
}

pub async fn show(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
    Path(slug): Path<String>,
) -> PageResult {
    let event = match catalogue.event(&slug).await {
        Ok((event, _times)) => event,
        Err(fault) => return or_sample(&app, &visit, &slug, fault),
    };
    // The page says whether the event is over, so it also changes at midnight.
    let today = super::today(&app);
    respond(&app, &visit, |frame| Ok(event_page(&app, frame, event.parse()?, today)))
}

fn event_page(app: &Web, mut frame: Frame, event: public::Event, today: Date) -> EventPage {
    let texts = frame.texts();
    frame.path = format!("{PATH}/{}", event.slug);
    let days = texts.days(&event.starts_at, event.ends_at.as_deref());
    let place = cards::place(texts, &event.city, &event.country_code);
    let kind = texts.value("event-kind", &event.kind, &event.kind);
    frame.head = Head::new(
        format!("{} – {days}, {place}", event.title),
        texts.say_of("event-description", &format!("{kind}, {days}, {place}")),
    );
    frame.api_call = Some(ApiCall::same(format!("GET /v1/events/{}", event.slug)));
    frame.share.structured_data = Some(structured_data::event(&frame, &event));
    let last = event.ends_at.as_deref().unwrap_or(&event.starts_at);
    let last = Date::parse(last, &Iso8601::DATE).ok();
    let website = event.website.filter(|url| cards::is_https(url));
    EventPage {
        picture: cards::listing_picture(&frame, "events", None, &event.country_code, &event.slug),
        share: frame.canonical(),
        kind: frame.link(&address(PATH, &[("kind", Some(&event.kind))]), kind),
        days,
        is_over: last.is_some_and(|last| last < today),
        place: cards::place_links(&frame, &event.city_slug, &event.city, &event.country_code),
        calendar: frame.href(&format!("{PATH}/{}/calendar.ics", event.slug)),
        website: website.map(|href| Link { label: link_host::of(&href), href }),
        actions: visitor_actions(app, &frame, ListingKind::Event, &event.slug),
        title: event.title,
        starts_at: event.starts_at,
        is_online: event.online,
        description: event.description,
        frame,
    }
}
