//! Reads of the public site: its sitemap, the newest games, featured or not, and drawn ones.

use std::cmp::Reverse;
use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use kit::Fault;
use kit::api::cursor::Binding;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use crate::domain::order::GameKey;
use crate::index::{Document, Game, HitKind, Index, Query};
use kit::Mode;

/// Listings on a page of the sitemap: some 200 KB.
const SITEMAP_ROWS: usize = 5_000;
/// The most games that may be asked for.
const MAX_GAMES: u32 = 50;

/// A page of the listings of an index; `kind` binds its cursors.
fn sitemap_page<L: Document>(
    index: &Index<L>,
    backwards: bool,
    (kind, cursor): (&str, &str),
) -> Result<proto::ListSitemapResponse, Fault>
where
    L::Key: Serialize + DeserializeOwned,
{
    let binding = Binding::new("sitemap", [Some(kind)]);
    let after = binding.decode(cursor);
    if after.is_none() && !cursor.is_empty() {
        let reason = "Use the `next_cursor` of the page before, with the same `kind`.";
        return Err(Fault::invalid_field("cursor", reason));
    }
    let query = Query { after, backwards, limit: SITEMAP_ROWS, ..Query::default() };
    let rows = index.search(&query).rows;
    let last = rows.last().filter(|_| rows.len() == SITEMAP_ROWS);
    let next = last.map(|row| binding.encode(row.key())).transpose();
    let entries = rows.iter().map(|row| proto::SitemapEntry {
        address: row.address().as_ref().to_owned(),
        // A city has no time.
        updated_at: Some(row.updated_at()).filter(|at| *at != 0).map(answer::timestamp),
    });
    Ok(proto::ListSitemapResponse {
        entries: entries.collect(),
        next_cursor: next.map_err(|error| Fault::internal(&error))?.unwrap_or_default(),
    })
}

#[tonic::async_trait]
impl SiteService for Reads {
    async fn list_sitemap(
        &self,
        request: Request<proto::ListSitemapRequest>,
    ) -> Result<Response<proto::ListSitemapResponse>, Status> {
        let proto::ListSitemapRequest { kind, at_least, cursor } = request.into_inner();
        let parsed = kind.parse::<HitKind>().map_err(|_unknown| {
            Fault::invalid_field("kind", "Use games, creators, events or cities.")
        })?;
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let live = snapshot.dataset(Mode::Live);
        let page = (&*kind, &*cursor);
        let page = match parsed {
            HitKind::Games => sitemap_page(&live.games, true, page),
            HitKind::Creators => sitemap_page(&live.creators, true, page),
            HitKind::Events => sitemap_page(&live.events, false, page),
            HitKind::Cities => sitemap_page(&live.cities, false, page),
        };
        Ok(Response::new(page?))
    }

    async fn list_new_games(
        &self,
        request: Request<proto::ListNewGamesRequest>,
    ) -> Result<Response<proto::ListNewGamesResponse>, Status> {
        let proto::ListNewGamesRequest { limit, at_least } = request.into_inner();
        let limit = checked(limit)?;
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let rows = newest(&snapshot.dataset(Mode::Live).games, limit);
        let json = answer::rows(&rows);
        let games = rows
            .iter()
            .map(|game| proto::NewGame {
                first_published_at: Some(answer::timestamp(game.key.published_at.0)),
                updated_at: Some(answer::timestamp(game.updated_at())),
            })
            .collect();
        Ok(Response::new(proto::ListNewGamesResponse { json, games }))
    }

    async fn draw_games(
        &self,
        request: Request<proto::DrawGamesRequest>,
    ) -> Result<Response<proto::DrawGamesResponse>, Status> {
        let proto::DrawGamesRequest { seed, limit, at_least } = request.into_inner();
        let limit = checked(limit)?;
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let games = &snapshot.dataset(Mode::Live).games;
        let rows = games.sample(&mut StdRng::seed_from_u64(seed), limit);
        let json = answer::rows(&rows);
        Ok(Response::new(proto::DrawGamesResponse { json }))
    }
}

/// The number of games that a request asks for.
fn checked(limit: u32) -> Result<usize, Fault> {
    if (1..=MAX_GAMES).contains(&limit) {
        return Ok(limit as usize);
    }
    Err(Fault::invalid_field("limit", "Use a number from 1 to 50."))
}

/// The newest games. The list has the featured games first: the newest of both parts are merged.
fn newest(games: &Index<Game>, limit: usize) -> Vec<Arc<Game>> {
    // Behind all featured games, and before all others.
    let others =
        GameKey { featured: Reverse(false), published_at: Reverse(i64::MAX), slug: "".into() };
    let first = |after| {
        let query = Query { after, limit, ..Query::default() };
        games.search(&query).rows.into_iter()
    };
    let featured = first(None).take_while(|game| game.key.featured.0);
    let mut rows: Vec<Arc<Game>> = featured.chain(first(Some(others))).collect();
    rows.sort_by(|one, other| {
        let age = |game: &Game| game.key.published_at;
        (age(one), &one.key.slug).cmp(&(age(other), &other.key.slug))
    });
    rows.truncate(limit);
    rows
}
