//! catalogue-svc: reads of public listings, for the pages of the site.
//!
//! Lists and listings arrive as the JSON of the API, which catalogue-svc has rendered already.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contracts::Unary;
use contracts::catalogue::v1 as proto;
use contracts::common::v1::{Mode, PageInfo, Position};
use contracts::public;
use kit::api::timestamp;
use kit::feed::HighWaterMark;
use kit::overload::ConcurrencyLimit;
use kit::rpc::client;
use kit::{Code, Fault};
use prost_types::Timestamp;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;
use tokio::sync::OnceCell;

pub use super::call::page;
use super::call::{Calls, incomplete, rpcs};
use super::position::ListingRead;

/// How long a call waits for a permit.
pub(super) const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);

/// Files of the sitemap that are read at once. Further ones wait, and no other page does.
const SITEMAP_CALLS: usize = 2;

/// The mode of all requests of public pages.
pub(super) const MODE: i32 = Mode::Live as i32;

/// The client of all public pages. It limits their concurrent calls, so that pages do not slow callers of the API down.
#[derive(Debug, Clone)]
pub struct Client {
    pub(super) calls: Calls,
    limit: Arc<ConcurrencyLimit>,
    /// Limits concurrent reads of all listings of a kind: one takes as long as many other reads.
    pub(super) sitemap_limit: Arc<ConcurrencyLimit>,
    /// That of listings-svc.
    mark: HighWaterMark,
}

/// The calls for one page.
#[derive(Debug, Clone)]
pub struct Catalogue(pub(super) PageCalls);

#[derive(Debug, Clone)]
pub(super) struct PageCalls {
    pub(super) client: Client,
    /// The newest position of the listings, which all reads of the page must have reached. It is read once, before the first of them.
    position: Arc<OnceCell<Option<Position>>>,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Rows {
    pub json: Bytes,
    pub page: PageInfo,
}

/// Rows with their times.
#[derive(Debug, Clone)]
pub struct TimedRows {
    pub rows: Rows,
    pub times: Vec<Times>,
}

/// The times of a listing.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// When it became public.
    pub published: OffsetDateTime,
    /// When it changed last.
    pub updated: OffsetDateTime,
}

impl Times {
    pub(super) fn decode(
        published: Option<Timestamp>,
        updated: Option<Timestamp>,
    ) -> Result<Self, Fault> {
        let decode = |at: Option<Timestamp>| at.and_then(timestamp::decode).ok_or_else(incomplete);
        Ok(Self { published: decode(published)?, updated: decode(updated)? })
    }
}

/// JSON of the API: a listing, or drawn ones.
#[derive(Debug, Clone)]
pub struct One {
    pub json: Bytes,
    /// When it became public, if the answer says so.
    pub published: Option<OffsetDateTime>,
}

/// Results of a search.
#[derive(Debug, Clone)]
pub struct Results {
    pub rows: Rows,
    /// Whether the results only resemble the searched words.
    pub is_similar: bool,
    /// The number of results of each kind, whatever kind is shown.
    pub totals: Vec<proto::SearchTotal>,
    /// The covers and avatars of the rows, empty for a row without one.
    pub picture_urls: Vec<String>,
}

impl Rows {
    pub(super) fn new(json: Bytes, page: Option<PageInfo>) -> Self {
        Self { json, page: page.unwrap_or_default() }
    }

    pub fn parse<T: DeserializeOwned>(&self) -> Result<Vec<T>, Fault> {
        serde_json::from_slice(&self.json).map_err(|error| Fault::internal(&error))
    }
}

impl TimedRows {
    pub fn parse<T: DeserializeOwned>(&self) -> Result<impl Iterator<Item = (T, Times)>, Fault> {
        let rows: Vec<T> = self.rows.parse()?;
        if rows.len() != self.times.len() {
            return Err(incomplete());
        }
        Ok(rows.into_iter().zip(self.times.iter().copied()))
    }
}

impl One {
    pub(super) fn new(json: Bytes) -> Self {
        let published = None;
        Self { json, published }
    }

    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        serde_json::from_slice(&self.json).map_err(|error| Fault::internal(&error))
    }
}

impl Client {
    /// `calls` is the number of calls at once.
    pub fn new(
        client: client::Client,
        deadline: Duration,
        calls: usize,
        mark: HighWaterMark,
    ) -> Self {
        Self {
            calls: Calls { client, deadline },
            limit: Arc::new(ConcurrencyLimit::new("public pages", calls)),
            sitemap_limit: Arc::new(ConcurrencyLimit::new("sitemap", SITEMAP_CALLS)),
            mark,
        }
    }

    /// The calls for a page that shows all earlier writes.
    pub fn begin_page(&self) -> Catalogue {
        Catalogue(PageCalls { client: self.clone(), position: Arc::default() })
    }
}

impl PageCalls {
    async fn position(&self) -> Option<Position> {
        let mark = &self.client.mark;
        let read = async || mark.read().await.map(Into::into);
        self.position.get_or_init(read).await.clone()
    }

    /// Reads listings as they are after all earlier writes.
    pub(super) async fn idempotent<Q: ListingRead>(
        &self,
        mut message: Q,
    ) -> Result<Q::Response, Fault> {
        message.set_at_least(self.position().await);
        let _permit = self.client.limit.acquire(QUEUE_TIMEOUT).await?;
        self.client.calls.idempotent(message).await
    }

    /// Makes a call that is never repeated.
    pub(super) async fn once<Q: Unary>(&self, message: Q) -> Result<Q::Response, Fault> {
        let _permit = self.client.limit.acquire(QUEUE_TIMEOUT).await?;
        self.client.calls.once(message).await
    }
}

impl Catalogue {
    /// The newest position of the listings when the page was begun, if it is known.
    pub async fn position(&self) -> Option<Position> {
        self.0.position().await
    }

    /// This function sets the `mode` of the request, as the other functions do.
    pub async fn games(&self, mut request: proto::ListGamesRequest) -> Result<Rows, Fault> {
        request.mode = MODE;
        let answer = self.0.idempotent(request).await?;
        Ok(Rows::new(answer.json, answer.page))
    }

    pub async fn game(&self, slug: &str) -> Result<One, Fault> {
        let request = proto::GetGameRequest { mode: MODE, slug: slug.to_owned(), at_least: None };
        let game = self.0.idempotent(request).await?;
        Ok(One {
            published: game.first_published_at.and_then(timestamp::decode),
            ..One::new(game.json)
        })
    }

    pub async fn creators(&self, mut request: proto::ListCreatorsRequest) -> Result<Rows, Fault> {
        request.mode = MODE;
        let answer = self.0.idempotent(request).await?;
        Ok(Rows::new(answer.json, answer.page))
    }

    /// A creator with at most this many games, and the number of all.
    pub async fn creator(&self, handle: &str, max_games: u32) -> Result<(One, u64), Fault> {
        let request = proto::GetCreatorRequest {
            mode: MODE,
            handle: handle.to_owned(),
            at_least: None,
            max_games: Some(max_games),
        };
        let creator = self.0.idempotent(request).await?;
        Ok((One::new(creator.json), creator.total_games))
    }

    pub async fn events(&self, request: proto::ListEventsRequest) -> Result<Rows, Fault> {
        let answer = self.list_events(request).await?;
        Ok(Rows::new(answer.json, answer.page))
    }

    async fn list_events(
        &self,
        mut request: proto::ListEventsRequest,
    ) -> Result<proto::ListEventsResponse, Fault> {
        request.mode = MODE;
        self.0.idempotent(request).await
    }

    /// Events with their times.
    pub async fn events_with_times(
        &self,
        mut request: proto::ListEventsRequest,
    ) -> Result<TimedRows, Fault> {
        request.with_times = true;
        let answer = self.list_events(request).await?;
        let times = answer
            .first_published_at
            .into_iter()
            .zip(answer.updated_at)
            .map(|(published, updated)| Times::decode(Some(published), Some(updated)));
        Ok(TimedRows {
            times: times.collect::<Result<_, _>>()?,
            rows: Rows::new(answer.json, answer.page),
        })
    }

    /// The countries of creators and games or, `with_events`, also those of events; there are 54 at most.
    pub async fn countries(&self, with_events: bool) -> Result<Rows, Fault> {
        let request = proto::ListCountriesRequest {
            mode: MODE,
            page: Some(page(100, None)),
            with_events,
            ..proto::ListCountriesRequest::default()
        };
        let answer = self.0.idempotent(request).await?;
        Ok(Rows::new(answer.json, answer.page))
    }

    pub async fn cities(&self, mut request: proto::ListCitiesRequest) -> Result<Rows, Fault> {
        request.mode = MODE;
        let answer = self.0.idempotent(request).await?;
        Ok(Rows::new(answer.json, answer.page))
    }

    /// A city with creators, or one that only events are in, which is no city of the API (§4.2).
    pub async fn city_or_place_of_events(&self, slug: &str) -> Result<One, Fault> {
        match self.city(slug).await {
            Err(fault) if fault.code == Code::NotFound => {
                self.place_of_events(slug).await?.ok_or(fault)
            }
            read => read,
        }
    }

    async fn place_of_events(&self, slug: &str) -> Result<Option<One>, Fault> {
        let request = proto::ListEventsRequest {
            page: Some(page(1, None)),
            when: Some("all".to_owned()),
            city: Some(slug.to_owned()),
            ..proto::ListEventsRequest::default()
        };
        let events: Vec<public::Event> = self.events(request).await?.parse()?;
        let Some(event) = events.into_iter().next() else {
            return Ok(None);
        };
        let city = serde_json::to_vec(&public::CityRow {
            slug: event.city_slug,
            name: event.city,
            country_code: event.country_code,
            creators: 0,
            games: 0,
        })
        .map_err(|error| Fault::internal(&error))?;
        Ok(Some(One::new(city.into())))
    }

    async fn city(&self, slug: &str) -> Result<One, Fault> {
        let request = proto::GetCityRequest { mode: MODE, slug: slug.to_owned(), at_least: None };
        let json = self.0.idempotent(request).await?.json;
        Ok(One::new(json))
    }

    pub async fn search(&self, mut request: proto::SearchRequest) -> Result<Results, Fault> {
        request.mode = MODE;
        request.with_details = true;
        let answer = self.0.idempotent(request).await?;
        Ok(Results {
            rows: Rows::new(answer.json, answer.page),
            is_similar: answer.similar,
            totals: answer.totals,
            picture_urls: answer.picture_urls,
        })
    }
}

rpcs! { Catalogue:
    idempotent genres() -> Rows =
        proto::ListGenresRequest { mode: MODE, at_least: None }
        => |listed| Rows::new(listed.json, listed.page);

    idempotent event(slug: &str) -> (One, Times) =
        proto::GetEventRequest { mode: MODE, slug, at_least: None }
        => |found| (One::new(found.json), Times::decode(found.first_published_at, found.updated_at)?);

    idempotent country(code: &str) -> One =
        proto::GetCountryRequest { mode: MODE, code, at_least: None }
        => |found| One::new(found.json);
}
