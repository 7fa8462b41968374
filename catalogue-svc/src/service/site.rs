//! Reads of the public site: its sitemap, and the newest games, featured or not.

use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kit::Fault;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use crate::domain::listing::Mode;
use crate::index::{Dataset, Direction, Document, Game, HitKind, Index};

/// Listings in a message: some 200 KB.
const MESSAGE_ROWS: usize = 5_000;
/// The most new games that may be asked for.
const MAX_NEW_GAMES: u32 = 50;

const KINDS: [HitKind; 4] = [
    HitKind::Games,
    HitKind::Creators,
    HitKind::Events,
    HitKind::Cities,
];

/// The listings of a kind after the first `skipped` ones, as many as a message has.
fn sitemap_entries(dataset: &Dataset, kind: HitKind, skipped: u64) -> Vec<proto::SitemapEntry> {
    match kind {
        HitKind::Games => entries(&dataset.games, Direction::Backwards, skipped),
        HitKind::Creators => entries(&dataset.creators, Direction::Backwards, skipped),
        HitKind::Events => entries(&dataset.events, Direction::Forwards, skipped),
        HitKind::Cities => entries(&dataset.cities, Direction::Forwards, skipped),
    }
}

fn entries<L: Document>(
    index: &Index<L>,
    direction: Direction,
    skipped: u64,
) -> Vec<proto::SitemapEntry> {
    let rows = index.walk_from(direction, skipped).take(MESSAGE_ROWS);
    let entries = rows.map(|(row, at)| proto::SitemapEntry {
        address: row.address().as_ref().to_owned(),
        // A city has no time: it is 0.
        updated_at: (at != 0).then(|| answer::timestamp(at)),
    });
    entries.collect()
}

#[tonic::async_trait]
impl SiteService for Reads {
    type ListSitemapStream = BoxStream<'static, Result<proto::ListSitemapResponse, Status>>;

    async fn list_sitemap(
        &self,
        request: Request<proto::ListSitemapRequest>,
    ) -> Result<Response<Self::ListSitemapStream>, Status> {
        let proto::ListSitemapRequest { kind, at_least } = request.into_inner();
        let kind = KINDS.into_iter().find(|it| it.as_str() == kind);
        let kind = kind.ok_or_else(|| {
            Fault::invalid_field("kind", "Use games, creators, events or cities.")
        })?;
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let parts = (0..)
            .step_by(MESSAGE_ROWS)
            .map(move |skipped| sitemap_entries(snapshot.dataset(Mode::Live), kind, skipped))
            .take_while(|entries| !entries.is_empty())
            .map(|entries| Ok(proto::ListSitemapResponse { entries }));
        Ok(Response::new(stream::iter(parts).boxed()))
    }

    async fn list_new_games(
        &self,
        request: Request<proto::ListNewGamesRequest>,
    ) -> Result<Response<proto::ListNewGamesResponse>, Status> {
        let proto::ListNewGamesRequest { limit, at_least } = request.into_inner();
        if !(1..=MAX_NEW_GAMES).contains(&limit) {
            return Err(Fault::invalid_field("limit", "Use a number from 1 to 50.").into());
        }
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let newest = newest(&snapshot.dataset(Mode::Live).games, limit as usize);
        let (rows, times): (Vec<_>, Vec<_>) = newest.into_iter().unzip();
        let json = answer::rows(&rows);
        let games = rows.iter().zip(times).map(|(game, at)| proto::NewGame {
            first_published_at: Some(answer::timestamp(game.key.published_at.0)),
            updated_at: Some(answer::timestamp(at)),
        });
        let games = games.collect();
        Ok(Response::new(proto::ListNewGamesResponse { json, games }))
    }
}

/// The newest games. The list has the featured games first: the newest of both parts are merged.
fn newest(games: &Index<Game>, limit: usize) -> Vec<(Arc<Game>, i64)> {
    let featured = games.count_before(|game| game.key.featured.0);
    let of_featured = usize::try_from(featured).unwrap_or(usize::MAX).min(limit);
    let first = games.walk_from(Direction::Forwards, 0).take(of_featured);
    let others = games.walk_from(Direction::Forwards, featured).take(limit);
    let mut rows: Vec<_> = first
        .chain(others)
        .map(|(game, at)| (Arc::clone(game), at))
        .collect();
    rows.sort_by(|(one, _), (other, _)| {
        let age = |game: &Game| game.key.published_at;
        (age(one), &one.key.slug).cmp(&(age(other), &other.key.slug))
    });
    rows.truncate(limit);
    rows
}
