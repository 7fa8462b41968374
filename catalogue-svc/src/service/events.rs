//! Published events (§2.5, §4.2, §10.5).

use contracts::catalogue::v1::events_service_server::EventsService;
use contracts::catalogue::v1::{
    GetEventRequest, GetEventResponse, ListEventsRequest, ListEventsResponse,
};
use contracts::public::EVENT_KINDS;
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::cursor::Binding;
use time::{Date, OffsetDateTime, UtcOffset};
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{self, ListQuery, filter, non_empty, one_of, query_words, words_key};
use crate::domain::days::{self, Span, When};
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::listing::Mode;
use crate::domain::order::EventKey;
use crate::index::{Document as _, Query, Snapshot};

#[tonic::async_trait]
impl EventsService for Reads {
    async fn list_events(
        &self,
        request: Request<ListEventsRequest>,
    ) -> Result<Response<ListEventsResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let with_times = request.with_times;
        let list = read(request, &snapshot, self.clock.now())?;
        let page = snapshot.dataset(list.mode).events.search(&list.query);
        let timed = page.rows.iter().filter(|_| with_times);
        let updated_at = timed
            .clone()
            .map(|event| answer::timestamp(event.updated_at));
        let published_at = timed.map(|event| answer::timestamp(event.published_at));
        Ok(Response::new(ListEventsResponse {
            json: answer::rows(&page.rows),
            page: Some(answer::page_info(&page, list.binding)?),
            position: Some(snapshot.position.into()),
            updated_at: updated_at.collect(),
            first_published_at: published_at.collect(),
        }))
    }

    async fn get_event(
        &self,
        request: Request<GetEventRequest>,
    ) -> Result<Response<GetEventResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let mode = Mode::try_from(request.mode)?;
        let event = snapshot.dataset(mode).events.get(&request.slug);
        let event = event.ok_or_else(|| unknown(mode))?;
        let json = answer::single(event.text()).await?;
        Ok(Response::new(GetEventResponse {
            json: json.into(),
            position: Some(snapshot.position.into()),
            revision: event.revision,
        }))
    }
}

/// Reads and checks the parameters. The country must be one of `snapshot`.
fn read(
    request: ListEventsRequest,
    snapshot: &Snapshot,
    now: OffsetDateTime,
) -> Result<ListQuery<EventKey>, Fault> {
    let today = now.to_offset(UtcOffset::UTC).date();
    let mut bad = BadFields::default();
    let mode = bad.mode(request.mode);
    let country = query_params::country_code(request.country);
    let kind = non_empty(request.kind);
    let city = non_empty(request.city);
    let when = non_empty(request.when);
    let (from, to) = (non_empty(request.from), non_empty(request.to));
    let words = query_words(request.q.as_deref());
    let updated_since = query_params::updated_since(&mut bad, request.updated_since, now);
    let facets = [
        filter(&mut bad, "kind", kind.as_deref(), |key| {
            Facet::event_kind(key).ok_or_else(|| one_of(&EVENT_KINDS))
        }),
        query_params::country(&mut bad, country.as_deref(), snapshot),
    ];
    let first = day(&mut bad, "from", from.as_deref());
    let last = day(&mut bad, "to", to.as_deref());
    let chosen = match when.as_deref() {
        Some(key) => {
            let chosen = query_params::named(&mut bad, "when", Some(key));
            chosen.unwrap_or(When::All)
        }
        // A range that names past days asks for past events.
        None if first.is_some() || last.is_some_and(|last| last < today) => When::All,
        None => When::Upcoming,
    };
    if first.zip(last).is_some_and(|(first, last)| last < first) {
        bad.add("to", "Use a day that is not before `from`.".to_owned());
    }
    // Absent or given, it is the same list.
    let default = if from.is_some() { "all" } else { "upcoming" };
    let since = updated_since.map(|since| since.to_string());
    let binding = Binding::new(
        "events",
        [
            Some(mode.as_str()),
            kind.as_deref(),
            country.as_deref(),
            city.as_deref(),
            when.as_deref().or(Some(default)),
            from.as_deref(),
            to.as_deref(),
            words_key(words.as_ref()).as_deref(),
            since.as_deref(),
        ],
    );
    let page = bad.read_public_page(binding, request.page);
    bad.check()?;
    let city = city.map(|slug| Keyword::City(slug.into()));
    Ok(ListQuery {
        mode,
        query: Query {
            facets: facets.into_iter().flatten().collect(),
            keywords: city.into_iter().collect(),
            words,
            span: Some(Span::new(chosen, today, first, last)),
            updated_since,
            backwards: chosen == When::Past,
            after: page.after,
            limit: page.limit,
        },
        binding,
    })
}

fn day(bad: &mut BadFields, field: &str, text: Option<&str>) -> Option<Date> {
    let day = days::read(text?);
    let day = day.ok_or_else(|| "Use a day as YYYY-MM-DD, such as 2026-03-01.".to_owned());
    bad.read(field, day)
}

fn unknown(mode: Mode) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => {
            "No published event has this slug. `GET /search?q=…` finds one by its name, even with a typo. Sample events are for test keys."
        }
        Mode::Test => {
            "No sample event has this slug. A test key sees sample events only, a live key the real ones."
        }
    })
}
