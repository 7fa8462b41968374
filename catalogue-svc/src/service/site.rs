//! Reads of the public site: its sitemap, the newest games, featured or not, and drawn ones.

use std::cmp::Reverse;
use std::iter;
use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kit::Fault;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use crate::domain::order::GameKey;
use crate::index::{Dataset, Document, Game, HitKind, Index, Query, Snapshot};
use kit::Mode;

/// Listings in a message: some 200 KB.
const MESSAGE_ROWS: usize = 5_000;
/// The most games that may be asked for.
const MAX_GAMES: u32 = 50;

type SitemapMessages = Box<dyn Iterator<Item = Vec<proto::SitemapEntry>> + Send>;

/// The live listings of a kind, message by message.
fn sitemap_messages(snapshot: Arc<Snapshot>, kind: HitKind) -> SitemapMessages {
    match kind {
        HitKind::Games => Box::new(messages(snapshot, |live| &live.games, true)),
        HitKind::Creators => Box::new(messages(snapshot, |live| &live.creators, true)),
        HitKind::Events => Box::new(messages(snapshot, |live| &live.events, false)),
        HitKind::Cities => Box::new(messages(snapshot, |live| &live.cities, false)),
    }
}

fn messages<L: Document>(
    snapshot: Arc<Snapshot>,
    index: fn(&Dataset) -> &Index<L>,
    backwards: bool,
) -> impl Iterator<Item = Vec<proto::SitemapEntry>> {
    let mut query = Query { backwards, limit: MESSAGE_ROWS, ..Query::default() };
    iter::from_fn(move || {
        let rows = index(snapshot.dataset(Mode::Live)).search(&query).rows;
        query.after = Some(rows.last()?.key().clone());
        let entries = rows.iter().map(|row| proto::SitemapEntry {
            address: row.address().as_ref().to_owned(),
            // A city has no time.
            updated_at: Some(row.updated_at()).filter(|at| *at != 0).map(answer::timestamp),
        });
        Some(entries.collect())
    })
}

#[tonic::async_trait]
impl SiteService for Reads {
    type ListSitemapStream = BoxStream<'static, Result<proto::ListSitemapResponse, Status>>;

    async fn list_sitemap(
        &self,
        request: Request<proto::ListSitemapRequest>,
    ) -> Result<Response<Self::ListSitemapStream>, Status> {
        let proto::ListSitemapRequest { kind, at_least } = request.into_inner();
        let kind = kind.parse::<HitKind>().map_err(|_unknown| {
            Fault::invalid_field("kind", "Use games, creators, events or cities.")
        })?;
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let messages = sitemap_messages(snapshot, kind)
            .map(|entries| Ok(proto::ListSitemapResponse { entries }));
        Ok(Response::new(stream::iter(messages).boxed()))
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
