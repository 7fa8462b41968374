//! Published events (§2.5, §4.2, §10.5).

use std::sync::Arc;

use contracts::catalogue::v1::events_service_server::EventsService;
use contracts::catalogue::v1::{
    GetEventRequest, GetEventResponse, ListEventsRequest, ListEventsResponse,
};
use contracts::public::EVENT_KINDS;
use kit::cursor::Binding;
use kit::{Clock, Fault};
use time::{Date, UtcOffset};
use tonic::{Request, Response, Status};

use super::answer;
use super::ask::{self, Ask, Fields, accepted};
use super::typed;
use crate::domain::days::{self, Span, When};
use crate::domain::facet::Facet;
use crate::domain::listing::Mode;
use crate::domain::order::EventKey;
use crate::domain::tag::Tag;
use crate::domain::words;
use crate::memory::{Catalogue, Listed as _, Question, State};

/// Answers calls about events.
#[derive(Debug)]
pub struct Events {
    catalogue: Arc<Catalogue>,
    clock: Clock,
}

impl Events {
    /// Answers from `catalogue`; `clock` says what day it is.
    pub fn new(catalogue: Arc<Catalogue>, clock: Clock) -> Self {
        Self { catalogue, clock }
    }

    async fn list(&self, request: ListEventsRequest) -> Result<ListEventsResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let today = self.clock.now().to_offset(UtcOffset::UTC).date();
        let ask = read(request, &state, today)?;
        let page = state.world(ask.mode).events.search(&ask.question);
        let (json, events) = answer::rows(&page.rows, ask.form, typed::events::event)?;
        Ok(ListEventsResponse {
            events,
            json,
            page: Some(answer::page_info(&page, ask.binding)?),
            position: Some(state.position.into()),
        })
    }

    async fn get(&self, request: GetEventRequest) -> Result<GetEventResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let (mode, form) = ask::single(request.mode, request.form)?;
        let event = state.world(mode).events.get(&request.slug);
        let event = event.ok_or_else(|| unknown(mode))?;
        let json = event.text().json().to_vec();
        let (json, event) = answer::single(json, form, typed::events::event)?;
        Ok(GetEventResponse {
            event,
            json,
            position: Some(state.position.into()),
        })
    }
}

#[tonic::async_trait]
impl EventsService for Events {
    async fn list_events(
        &self,
        request: Request<ListEventsRequest>,
    ) -> Result<Response<ListEventsResponse>, Status> {
        Ok(Response::new(self.list(request.into_inner()).await?))
    }

    async fn get_event(
        &self,
        request: Request<GetEventRequest>,
    ) -> Result<Response<GetEventResponse>, Status> {
        Ok(Response::new(self.get(request.into_inner()).await?))
    }
}

/// Which countries there are, `state` says.
fn read(request: ListEventsRequest, state: &State, today: Date) -> Result<Ask<EventKey>, Fault> {
    let mut fields = Fields::default();
    let mode = fields.mode(request.mode);
    let form = fields.form(request.form);
    let country = ask::code(request.country);
    let q = ask::text(request.q.as_deref());
    let facets = [
        fields.filter("kind", request.kind.as_deref(), |key| {
            Facet::event_kind(key).ok_or_else(|| accepted("a kind of events", &EVENT_KINDS))
        }),
        fields.country(country.as_deref(), state),
    ];
    let when = request.when.as_deref().unwrap_or("upcoming");
    let chosen = When::read(when).ok_or_else(|| format!("one of {}", When::KEYS.join(", ")));
    let chosen = fields.note("when", chosen).unwrap_or(When::All);
    let from = day(&mut fields, "from", request.from.as_deref());
    let to = day(&mut fields, "to", request.to.as_deref());
    if from.zip(to).is_some_and(|(from, to)| to < from) {
        fields.note::<()>("to", Err("a day that is not before `from`".to_owned()));
    }
    let binding = Binding::new(
        "events",
        [
            Some(mode.as_str()),
            request.kind.as_deref(),
            country.as_deref(),
            request.city.as_deref(),
            Some(when),
            request.from.as_deref(),
            request.to.as_deref(),
            q,
        ],
    );
    let (limit, after) = fields.page(request.page, binding);
    fields.finish()?;
    let city = request.city.map(|slug| Tag::City(slug.into()));
    Ok(Ask {
        mode,
        form,
        question: Question {
            facets: facets.into_iter().flatten().collect(),
            tags: city.into_iter().collect(),
            words: q.map(words::of_question),
            span: Some(Span::new(chosen, today, from, to)),
            backwards: chosen == When::Past,
            after,
            limit,
        },
        binding,
    })
}

fn day(fields: &mut Fields, field: &str, text: Option<&str>) -> Option<Date> {
    let day = days::read(text?).ok_or_else(|| "has to be a day such as 2026-03-01".to_owned());
    fields.note(field, day)
}

fn unknown(mode: Mode) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => "no published event has this slug; sample events are for test keys",
        Mode::Test => {
            "no sample event has this slug; a test key sees sample events only, a live key the real ones"
        }
    })
}
