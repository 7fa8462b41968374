//! One search over games, creators, events and cities (§2.5, §4.2).

use contracts::catalogue::v1::search_service_server::SearchService;
use contracts::catalogue::v1::{SearchRequest, SearchResponse, SearchTotal};
use contracts::public::{self, SearchAddress, SearchResult};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use time::{Date, UtcOffset};
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{self, non_empty, query_words, words_key};
use crate::domain::listing::Mode;
use crate::index::{Document as _, Hit, HitKind, Search, Snapshot};

/// A valid search request.
struct SearchQuery {
    mode: Mode,
    search: Search,
    /// Binds cursors to this search.
    binding: Binding,
}

impl Reads {
    /// The row of a hit, and its cover or avatar.
    fn result(&self, hit: &Hit) -> anyhow::Result<(SearchResult, Option<String>)> {
        Ok(match hit {
            Hit::Game(row) => {
                let game: public::GameRow = row.text().parse_row()?;
                let row = SearchResult {
                    kind: HitKind::Games.as_str().to_owned(),
                    address: SearchAddress::Slug(game.slug),
                    name: game.title,
                    tagline: game.tagline,
                    country_code: game.country_code,
                    url: game.url,
                    starts_at: None,
                };
                (row, game.cover_url)
            }
            Hit::Creator(row) => {
                let creator: public::CreatorRow = row.text().parse_row()?;
                let row = SearchResult {
                    kind: HitKind::Creators.as_str().to_owned(),
                    address: SearchAddress::Handle(creator.handle),
                    name: creator.name,
                    tagline: creator.tagline,
                    country_code: creator.country_code,
                    url: creator.url,
                    starts_at: None,
                };
                (row, creator.avatar_url)
            }
            Hit::Event(row) => {
                let event: public::Event = row.text().parse_row()?;
                let row = SearchResult {
                    kind: HitKind::Events.as_str().to_owned(),
                    address: SearchAddress::Slug(event.slug),
                    name: event.title,
                    tagline: String::new(),
                    country_code: event.country_code,
                    url: event.url,
                    starts_at: Some(event.starts_at),
                };
                (row, None)
            }
            Hit::City(row) => {
                let city: public::CityRow = row.text().parse_row()?;
                let row = SearchResult {
                    kind: HitKind::Cities.as_str().to_owned(),
                    url: format!("{}/cities/{}", self.public_url, city.slug),
                    address: SearchAddress::Slug(city.slug),
                    name: city.name,
                    tagline: String::new(),
                    country_code: city.country_code,
                    starts_at: None,
                };
                (row, None)
            }
        })
    }
}

#[tonic::async_trait]
impl SearchService for Reads {
    async fn search(
        &self,
        request: Request<SearchRequest>,
    ) -> Result<Response<SearchResponse>, Status> {
        let request = request.into_inner();
        let with_details = request.with_details;
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let query = read(
            request,
            &snapshot,
            self.clock.now().to_offset(UtcOffset::UTC).date(),
        )?;
        let hits = snapshot.dataset(query.mode).search(&query.search);
        let rows = hits.rows.iter().map(|hit| self.result(hit));
        let rows: anyhow::Result<(Vec<_>, Vec<_>)> = rows.collect();
        let (rows, pictures) = rows.map_err(|error| answer::broken(&error))?;
        let pictures = pictures.into_iter().filter(|_| with_details);
        let totals = hits.totals.into_iter().filter(|_| with_details);
        Ok(Response::new(SearchResponse {
            json: answer::json(&rows)?.into(),
            page: Some(answer::page_info_after(
                hits.total,
                hits.next.as_ref(),
                query.binding,
            )?),
            position: Some(snapshot.position.into()),
            similar: hits.similar,
            totals: totals
                .map(|(kind, total)| SearchTotal {
                    kind: kind.as_str().to_owned(),
                    total,
                })
                .collect(),
            picture_urls: pictures.map(Option::unwrap_or_default).collect(),
        }))
    }
}

/// Reads and checks the parameters. The country must be one of `snapshot`.
fn read(request: SearchRequest, snapshot: &Snapshot, today: Date) -> Result<SearchQuery, Fault> {
    let mut bad = BadFields::default();
    let mode = bad.mode(request.mode);
    let words = query_words(Some(&request.q));
    if request.q.trim().is_empty() {
        bad.add("q", "Say what to search for.".to_owned());
    }
    let key = non_empty(request.r#type);
    let kind: Option<HitKind> = key.as_deref().and_then(|key| bad.named("type", key));
    let country = query_params::country_code(request.country);
    let facet = query_params::country(&mut bad, country.as_deref(), snapshot);
    let binding = Binding::new(
        "search",
        [
            Some(mode.as_str()),
            words_key(words.as_ref()).as_deref(),
            key.as_deref(),
            country.as_deref(),
        ],
    );
    let page = bad.read_public_page(binding, request.page);
    bad.check()?;
    Ok(SearchQuery {
        mode,
        search: Search {
            words: words.unwrap_or_default(),
            kind,
            country: facet,
            counts_every_kind: request.with_details,
            today,
            after: page.after,
            limit: page.limit,
        },
        binding,
    })
}
