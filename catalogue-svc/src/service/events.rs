//! Published events (§2.5, §4.2, §10.5).

use contracts::catalogue::v1::events_service_server::EventsService;
use contracts::catalogue::v1::{
    GetEventRequest, GetEventResponse, ListEventsRequest, ListEventsResponse,
};
use contracts::public::EVENT_KINDS;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use time::{Date, OffsetDateTime, UtcOffset};
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{ListParams, ListQuery, non_empty, one_of};
use crate::domain::days::{self, Span, When};
use crate::domain::facet::Facet;
use crate::domain::order::EventKey;
use crate::index::Document as _;
use kit::Mode;

#[tonic::async_trait]
impl EventsService for Reads {
    async fn list_events(
        &self,
        request: Request<ListEventsRequest>,
    ) -> Result<Response<ListEventsResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let with_times = request.with_times;
        let list = read(request, self.clock.now())?;
        let page = self.list(&snapshot, |dataset| &dataset.events, &list).await?;
        let timed = page.rows.iter().filter(|_| with_times);
        let updated_at = timed.clone().map(|event| answer::timestamp(event.updated_at()));
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
        let event = event.ok_or_else(|| answer::not_found(mode, "event", "slug"))?;
        let json = event.json().single().map_err(|error| answer::broken(&error))?;
        Ok(Response::new(GetEventResponse {
            json: json.into(),
            position: Some(snapshot.position.into()),
            revision: event.revision,
            updated_at: Some(answer::timestamp(event.updated_at())),
            first_published_at: Some(answer::timestamp(event.published_at)),
        }))
    }
}

fn read(request: ListEventsRequest, now: OffsetDateTime) -> Result<ListQuery<EventKey>, Fault> {
    let today = now.to_offset(UtcOffset::UTC).date();
    let mut params = ListParams::new(request.mode);
    params.facet("kind", request.kind, |key| {
        Facet::event_kind(key).ok_or_else(|| one_of(&EVENT_KINDS))
    });
    params.country(request.country);
    params.any(request.city, Facet::City);
    let when = non_empty(request.when);
    let (from, to) = (non_empty(request.from), non_empty(request.to));
    let first = day(&mut params.bad, "from", from.as_deref());
    let last = day(&mut params.bad, "to", to.as_deref());
    // A range that names past days asks for past events.
    let is_past = first.is_some() || last.is_some_and(|last| last < today);
    let default = if is_past { "all" } else { "upcoming" };
    let chosen = when.as_deref().unwrap_or(default);
    // Absent or given, it is the same list. Only the default of a `to` alone changes at a midnight, and the cursor must not end there.
    let is_stable = when.is_some() || from.is_some() || to.is_none();
    params.bind(Some(chosen).filter(|_| is_stable));
    let chosen = params.bad.named("when", chosen).unwrap_or(When::All);
    params.bind(from.as_deref());
    params.bind(to.as_deref());
    params.words(request.q.as_deref());
    params.updated_since(request.updated_since, now);
    if first.zip(last).is_some_and(|(first, last)| last < first) {
        let reason = "Use a day that is not before `from`.";
        params.bad.add("to", reason);
    }
    params.query.span = Some(Span::new(chosen, today, first, last));
    params.query.backwards = chosen == When::Past;
    params.finish("events", request.page)
}

fn day(bad: &mut BadFields, field: &str, text: Option<&str>) -> Option<Date> {
    let day = days::read(text?);
    let day = day.ok_or_else(|| "Use a day as YYYY-MM-DD, such as 2026-03-01.".to_owned());
    bad.read(field, day)
}
