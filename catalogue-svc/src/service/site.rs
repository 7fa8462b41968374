//! Reads of the public site: its sitemap, and the newest games, featured or not.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use contracts::public;
use kit::Fault;
use kit::cursor::Binding;
use prost_types::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use crate::domain::listing::Mode;
use crate::index::{Dataset, Direction, Document, Game, HitKind, Index};

/// Listings in a file of the sitemap: the most that search engines read from one file.
pub const SITEMAP_FILE_ROWS: u64 = 50_000;
/// Listings in a message: some 200 KB.
const MESSAGE_ROWS: u64 = 5_000;
/// The most new games that may be asked for.
const MAX_NEW_GAMES: u32 = 50;

/// The kinds of files, each with the order of its listings.
const KINDS: [(HitKind, Direction); 4] = [
    (HitKind::Games, Direction::Backwards),
    (HitKind::Creators, Direction::Backwards),
    (HitKind::Events, Direction::Forwards),
    (HitKind::Cities, Direction::Forwards),
];

/// The position in a file after which the next part begins.
#[derive(Debug, Serialize, Deserialize)]
struct PartCursor<K> {
    /// The most listings of the file that are still to come.
    left: u64,
    /// The last listing so far.
    after: K,
}

impl Reads {
    fn files(&self, dataset: &Dataset) -> Vec<proto::SitemapFile> {
        let rows = self.sitemap_file_rows;
        let of_kind = |(kind, direction): (HitKind, Direction)| {
            let latest = match kind {
                HitKind::Games => dataset.games.latest_by_group(direction, rows),
                HitKind::Creators => dataset.creators.latest_by_group(direction, rows),
                HitKind::Events => dataset.events.latest_by_group(direction, rows),
                HitKind::Cities => dataset.cities.latest_by_group(direction, rows),
            };
            let files = (1..).zip(latest).map(|(number, at)| proto::SitemapFile {
                kind: kind.as_str().to_owned(),
                number,
                updated_at: change_time(at),
            });
            files.collect::<Vec<_>>()
        };
        KINDS.into_iter().flat_map(of_kind).collect()
    }

    fn read(
        &self,
        dataset: &Dataset,
        request: &proto::ReadSitemapFileRequest,
    ) -> Result<proto::ReadSitemapFileResponse, Fault> {
        let mut kinds = KINDS.into_iter();
        let found = kinds.find(|(kind, _)| kind.as_str() == request.kind);
        let (kind, direction) = found.ok_or_else(no_file)?;
        match kind {
            HitKind::Games => self.part(&dataset.games, direction, request),
            HitKind::Creators => self.part(&dataset.creators, direction, request),
            HitKind::Events => self.part(&dataset.events, direction, request),
            HitKind::Cities => self.part(&dataset.cities, direction, request),
        }
    }

    fn part<L>(
        &self,
        index: &Index<L>,
        direction: Direction,
        request: &proto::ReadSitemapFileRequest,
    ) -> Result<proto::ReadSitemapFileResponse, Fault>
    where
        L: Document<Key: Serialize + DeserializeOwned>,
    {
        let first = u64::from(request.number).checked_sub(1);
        let first = first.and_then(|files| files.checked_mul(self.sitemap_file_rows));
        let first = first.filter(|first| *first < index.len());
        let first = first.ok_or_else(no_file)?;
        let number = request.number.to_string();
        let binding = Binding::new("sitemap", [Some(request.kind.as_str()), Some(&number)]);
        let (skipped, left, version) = if request.cursor.is_empty() {
            let version = version(index, direction, first, self.sitemap_file_rows);
            (first, self.sitemap_file_rows, version)
        } else {
            let cursor: Option<PartCursor<L::Key>> = binding.decode(&request.cursor);
            let cursor = cursor.ok_or_else(|| {
                Fault::invalid_field("cursor", "Use the `next_cursor` of the part before.")
            })?;
            let skipped = index.count_to(direction, &cursor.after);
            (skipped, cursor.left.min(self.sitemap_file_rows), 0)
        };
        let wanted = usize::try_from(left.min(MESSAGE_ROWS)).unwrap_or(usize::MAX);
        let rows: Vec<_> = index.walk_from(direction, skipped).take(wanted).collect();
        let read = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let has_more = left > read && skipped + read < index.len();
        let last = rows.last().filter(|_| has_more);
        let next = last.map(|(row, _)| PartCursor {
            left: left - read,
            after: row.key(),
        });
        let next_cursor = next.map(|next| binding.encode(&next)).transpose();
        let entries = rows.iter().map(|(row, at)| proto::SitemapEntry {
            address: row.address().as_ref().to_owned(),
            updated_at: change_time(*at),
        });
        Ok(proto::ReadSitemapFileResponse {
            entries: entries.collect(),
            next_cursor: next_cursor.map_err(|error| Fault::internal(&error))?,
            version,
        })
    }
}

#[tonic::async_trait]
impl SiteService for Reads {
    async fn list_sitemap_files(
        &self,
        request: Request<proto::ListSitemapFilesRequest>,
    ) -> Result<Response<proto::ListSitemapFilesResponse>, Status> {
        let at_least = request.get_ref().at_least.as_ref();
        let snapshot = self.snapshot_at(at_least).await?;
        let files = self.files(snapshot.dataset(Mode::Live));
        Ok(Response::new(proto::ListSitemapFilesResponse { files }))
    }

    async fn read_sitemap_file(
        &self,
        request: Request<proto::ReadSitemapFileRequest>,
    ) -> Result<Response<proto::ReadSitemapFileResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let part = self.read(snapshot.dataset(Mode::Live), &request)?;
        Ok(Response::new(part))
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
        let mut games = Vec::with_capacity(rows.len());
        for (game, updated_at) in rows.iter().zip(times) {
            let description = description(game).await;
            games.push(proto::NewGame {
                first_published_at: Some(answer::timestamp(game.key.published_at.0)),
                updated_at: Some(answer::timestamp(updated_at)),
                description: description.map_err(|error| answer::broken(&error))?,
            });
        }
        Ok(Response::new(proto::ListNewGamesResponse { json, games }))
    }
}

/// The description of a game, which is not in its row.
async fn description(game: &Game) -> anyhow::Result<String> {
    let json = game.text().json().await?;
    let game: public::Game = serde_json::from_slice(&json)?;
    Ok(game.description)
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

/// A hash of all listings of a file with the times of their changes.
fn version<L: Document>(index: &Index<L>, direction: Direction, first: u64, rows: u64) -> u64 {
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let mut hash = DefaultHasher::new();
    for (row, updated_at) in index.walk_from(direction, first).take(rows) {
        (row.address(), updated_at).hash(&mut hash);
    }
    hash.finish()
}

/// The time of a listing's last change. A city has none: its time is 0.
fn change_time(at: i64) -> Option<Timestamp> {
    (at != 0).then(|| answer::timestamp(at))
}

fn no_file() -> Fault {
    Fault::not_found("The sitemap has no such file.")
}
