//! catalogue-svc: reads that only the public site needs, for its sitemap and its feed of new games.

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::public::GameRow;
use kit::Fault;

use super::call::{incomplete, rpcs};
use super::catalogue::{Catalogue, Times};
use super::clients::Site;

/// The newest games.
#[derive(Debug, Clone)]
pub struct NewGames {
    /// Rows as in `GET /games`.
    pub json: Bytes,
    /// What the rows do not have.
    pub games: Vec<proto::NewGame>,
}

/// A new game.
#[derive(Debug, Clone)]
pub struct NewGame {
    pub row: GameRow,
    pub times: Times,
}

impl NewGames {
    pub fn parse(&self) -> Result<Vec<NewGame>, Fault> {
        let rows: Vec<GameRow> =
            serde_json::from_slice(&self.json).map_err(|error| Fault::internal(&error))?;
        if rows.len() != self.games.len() {
            return Err(incomplete());
        }
        let game = |(row, game): (_, &proto::NewGame)| {
            Ok(NewGame {
                row,
                times: Times::decode(game.first_published_at, game.updated_at)?,
            })
        };
        rows.into_iter().zip(&self.games).map(game).collect()
    }
}

rpcs! { Catalogue:
    /// The files of the sitemap.
    read sitemap_files() -> Vec<proto::SitemapFile> =
        Site::list_sitemap_files(proto::ListSitemapFilesRequest { at_least: None })
        => |listed| listed.files;

    /// A part of a file of the sitemap. The first part has an empty cursor.
    read sitemap_part(kind: &str, number: u32, cursor: &str) -> proto::ReadSitemapFileResponse =
        Site::read_sitemap_file(proto::ReadSitemapFileRequest { kind, number, cursor, at_least: None });

    /// The newest games; the featured ones are not preferred.
    read new_games(limit: u32) -> NewGames =
        Site::list_new_games(proto::ListNewGamesRequest { limit, at_least: None })
        => |listed| NewGames { json: listed.json, games: listed.games };
}
