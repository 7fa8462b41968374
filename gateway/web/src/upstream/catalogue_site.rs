//! catalogue-svc: reads that only the public site needs, for its sitemap and its feed of new games.

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::public::GameRow;
use kit::Fault;

use super::call::incomplete;
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
    pub description: String,
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
                description: game.description.clone(),
            })
        };
        rows.into_iter().zip(&self.games).map(game).collect()
    }
}

impl Catalogue {
    /// The files of the sitemap.
    pub async fn sitemap_files(&self) -> Result<Vec<proto::SitemapFile>, Fault> {
        let request = proto::ListSitemapFilesRequest { at_least: None };
        let answer = self.read(Site::list_sitemap_files, request).await?;
        Ok(answer.files)
    }

    /// A part of a file of the sitemap. The first part has an empty cursor.
    pub async fn sitemap_part(
        &self,
        kind: &str,
        number: u32,
        cursor: &str,
    ) -> Result<proto::ReadSitemapFileResponse, Fault> {
        let request = proto::ReadSitemapFileRequest {
            kind: kind.to_owned(),
            number,
            cursor: cursor.to_owned(),
            at_least: None,
        };
        self.read(Site::read_sitemap_file, request).await
    }

    /// The newest games; the featured ones are not preferred.
    pub async fn new_games(&self, limit: u32) -> Result<NewGames, Fault> {
        let request = proto::ListNewGamesRequest {
            limit,
            at_least: None,
        };
        let answer = self.read(Site::list_new_games, request).await?;
        Ok(NewGames {
            json: answer.json,
            games: answer.games,
        })
    }
}
