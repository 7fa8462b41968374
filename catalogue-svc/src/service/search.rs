//! One search over games, creators, events and cities (§2.5, §4.2).

use std::sync::Arc;

use contracts::catalogue::v1::search_service_server::SearchService;
use contracts::catalogue::v1::{SearchRequest, SearchResponse, SearchTotal};
use contracts::public::{SearchAddress, SearchResult};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use time::{Date, UtcOffset};
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{self, non_empty, query_words, words_key};
use crate::index::{Document as _, Hit, HitKind, Search};
use kit::Mode;

struct SearchQuery {
    mode: Mode,
    search: Search,
    /// Binds cursors to this search.
    binding: Binding,
}

impl Reads {
    /// The row of a hit, and its cover or avatar.
    fn result(&self, hit: &Hit) -> anyhow::Result<(SearchResult, Option<String>)> {
        let (kind, row, name, picture) = match hit {
            Hit::Game(game) => (HitKind::Games, game.text(), "title", Some("cover_url")),
            Hit::Creator(creator) => {
                let picture = Some("avatar_url");
                (HitKind::Creators, creator.text(), "name", picture)
            }
            Hit::Event(event) => (HitKind::Events, event.text(), "title", None),
            Hit::City(city) => (HitKind::Cities, city.text(), "name", None),
        };
        let address = match hit {
            Hit::Creator(_) => SearchAddress::Handle(row.field("handle")?),
            _ => SearchAddress::Slug(row.field("slug")?),
        };
        let result = SearchResult {
            kind: kind.as_str().to_owned(),
            address,
            name: row.field(name)?,
            // Events and cities have none.
            tagline: row.text("tagline").into_owned(),
            country_code: match hit {
                Hit::Game(game) => game.creator.country_code.clone().into(),
                _ => row.field("country_code")?,
            },
            url: match hit {
                Hit::City(city) => format!("{}/cities/{}", self.public_url, city.key.slug),
                _ => row.field("url")?,
            },
            starts_at: match hit {
                Hit::Event(_) => Some(row.field("starts_at")?),
                _ => None,
            },
        };
        let picture = picture.map(|name| row.field::<Option<String>>(name));
        Ok((result, picture.transpose()?.flatten()))
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
        let query = read(request, self.clock.now().to_offset(UtcOffset::UTC).date())?;
        let (mode, search) = (query.mode, query.search);
        let hits = if let Some(hits) = snapshot.dataset(mode).search_exactly(&search) {
            hits
        } else {
            let snapshot = Arc::clone(&snapshot);
            let search = move || snapshot.dataset(mode).search(&search);
            self.typo_searches.run(search).await?
        };
        let rows: anyhow::Result<(Vec<_>, Vec<_>)> =
            hits.rows.iter().map(|hit| self.result(hit)).collect();
        let (rows, pictures) = rows.map_err(|error| answer::broken(&error))?;
        let pictures = pictures.into_iter().filter(|_| with_details);
        let totals = hits.totals.into_iter().filter(|_| with_details);
        Ok(Response::new(SearchResponse {
            json: answer::json(&rows)?.into(),
            page: Some(answer::page_info_after(hits.total, hits.next.as_ref(), query.binding)?),
            position: Some(snapshot.position.into()),
            similar: hits.similar,
            totals: totals
                .map(|(kind, total)| SearchTotal { kind: kind.as_str().to_owned(), total })
                .collect(),
            picture_urls: pictures.map(Option::unwrap_or_default).collect(),
        }))
    }
}

fn read(request: SearchRequest, today: Date) -> Result<SearchQuery, Fault> {
    let mut bad = BadFields::default();
    let mode = bad.mode(request.mode);
    let words = query_words(Some(&request.q));
    if request.q.trim().is_empty() {
        bad.add("q", "Say what to search for.".to_owned());
    }
    let key = non_empty(request.r#type);
    let kind: Option<HitKind> = key.as_deref().and_then(|key| bad.named("type", key));
    let country = query_params::country_code(request.country);
    let facet = query_params::country(&mut bad, country.as_deref());
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
