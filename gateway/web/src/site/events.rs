//! Events: upcoming and past ones, and the page of one.

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use contracts::catalogue::v1 as proto;
use contracts::public::{self, EVENT_KINDS};
use futures::future::try_join;
use kit::Fault;
use pages::site::cards::Link;
use pages::site::events::EventPage;
use pages::site::list::EventsPage;
use pages::site::{Frame, Head};
use time::Date;
use time::format_description::well_known::Iso8601;

use super::cached::{Version, respond};
use super::query::{Query, address};
use super::{ROWS, cards, feeds, filters, share_card, structured_data, visitor_actions};
use crate::app::App;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::upstream::catalogue::page;
use crate::visit::Visit;

const LIST: &str = "/events";
const WHEN: [&str; 3] = ["upcoming", "past", "all"];

pub async fn list(
    State(app): State<App>,
    Extension(mut visit): Extension<Visit>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = Query::parse(query.as_deref());
    let names = ["when", "kind", "country", "city", "from", "to", "q"];
    let set = names.map(|name| (name, query.get(name)));
    let cursor = query.get("cursor");
    let request = proto::ListEventsRequest {
        page: Some(page(ROWS, cursor)),
        when: query.text("when"),
        kind: query.text("kind"),
        country: query.text("country"),
        city: query.text("city"),
        from: query.text("from"),
        to: query.text("to"),
        q: query.text("q"),
        ..proto::ListEventsRequest::default()
    };
    let catalogue = &app.catalogue;
    let reads = try_join(catalogue.events(request), catalogue.countries_with_events());
    let (events, countries) = reads.await?;
    visit.path = address(LIST, &[&set[..], &[("cursor", cursor)]].concat());
    let version = Version::new(&app, &visit).rows(&events).rows(&countries);
    respond(&app, &visit, &version, |mut frame| {
        let texts = frame.texts;
        let title = match (query.get("when"), query.get("country")) {
            (Some("past"), _) => texts.say("events-past-title").to_owned(),
            (_, Some(code)) => texts.say_of("events-in", &cards::country(texts, code)),
            _ => texts.say("events-title").to_owned(),
        };
        frame.head = Head {
            title,
            description: texts.say("events-description").to_owned(),
            is_indexed: filters::is_indexed(&set, cursor),
        };
        frame.api_call = Some(format!("GET /v1{}", address(LIST, &set)));
        frame.share.documents = feeds::of_events(&frame, query.get("country"));
        let mut when = filters::choice(
            &frame,
            ("when", "filter-when"),
            filters::fixed(&frame, "when", &WHEN),
            query.get("when").or(Some("upcoming")),
        );
        // Remove the empty choice: without the parameter, the page has upcoming events.
        when.options.remove(0);
        let kinds = filters::fixed(&frame, "event-kind", &EVENT_KINDS);
        let choices = vec![
            when,
            filters::choice(&frame, ("kind", "filter-kind"), kinds, query.get("kind")),
            filters::countries(&frame, &countries, query.get("country"))?,
        ];
        let rows: Vec<public::Event> = events.parse()?;
        let cards = rows.into_iter().map(|row| cards::event(&frame, row));
        Ok(EventsPage {
            filters: filters::form(&frame, LIST, choices, &set),
            total: events.page.total,
            events: cards.collect(),
            pager: filters::pager(&frame, LIST, &set, cursor, &events),
            frame,
        })
    })
}

pub async fn show(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(slug): Path<String>,
) -> PageResult {
    let event = app.catalogue.event_or_sample(&slug).await?;
    // The page says whether the event is over, so it changes at midnight too.
    let today = app.clock.now().to_offset(time::UtcOffset::UTC).date();
    let version = Version::new(&app, &visit)
        .one(&event)
        .text(&today.to_string());
    respond(&app, &visit, &version, |frame| {
        let mut page = event_page(frame, event.parse()?, today)?;
        if event.is_sample {
            page.frame.mark_sample();
        }
        Ok(page)
    })
}

fn event_page(mut frame: Frame, event: public::Event, today: Date) -> Result<EventPage, Fault> {
    let texts = frame.texts;
    frame.path = format!("{LIST}/{}", event.slug);
    frame.head = Head {
        title: event.title.clone(),
        description: texts.say_of("event-description", &event.title),
        is_indexed: true,
    };
    frame.api_call = Some(format!("GET /v1/events/{}", event.slug));
    frame.share.image = share_card::of_event(&frame, &event)?;
    frame.share.structured_data = Some(structured_data::event(&frame, &event));
    let last = event.ends_at.as_deref().unwrap_or(&event.starts_at);
    let last = Date::parse(last, &Iso8601::DATE).ok();
    let website = event.website.filter(|url| cards::is_https(url));
    Ok(EventPage {
        kind: Link {
            href: frame.href(&address(LIST, &[("kind", Some(&event.kind))])),
            label: texts
                .value("event-kind", &event.kind, &event.kind)
                .to_owned(),
        },
        days: texts.days(&event.starts_at, event.ends_at.as_deref()),
        is_over: last.is_some_and(|last| last < today),
        place: cards::place_links(&frame, (&event.city_slug, &event.city), &event.country_code),
        website: website.map(|href| Link {
            label: cards::host(&href),
            href,
        }),
        actions: visitor_actions(&frame, ListingKind::Event, &event.slug),
        title: event.title,
        starts_at: event.starts_at,
        is_online: event.online,
        description: event.description,
        frame,
    })
}
