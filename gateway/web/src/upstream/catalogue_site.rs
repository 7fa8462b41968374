//! catalogue-svc: reads that only the public site needs, for its sitemap, its feed of new games and its games of the day.

use std::ops::ControlFlow;

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::public::GameRow;
use kit::Fault;

use super::call::{incomplete, rpcs};
use super::catalogue::{Catalogue, One, Times};
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
            Ok(NewGame { row, times: Times::decode(game.first_published_at, game.updated_at)? })
        };
        rows.into_iter().zip(&self.games).map(game).collect()
    }
}

impl Catalogue {
    /// Calls `each` for all listings of a kind, in the order of the sitemap, until it breaks.
    pub async fn sitemap(
        &self,
        kind: &str,
        mut each: impl FnMut(proto::SitemapEntry) -> ControlFlow<()> + Send,
    ) -> Result<(), Fault> {
        let request = proto::ListSitemapRequest { kind: kind.to_owned(), at_least: None };
        let each =
            |part: proto::ListSitemapResponse| part.entries.into_iter().try_for_each(&mut each);
        self.0.stream(Site::list_sitemap, request, each).await
    }
}

rpcs! { Catalogue:
    /// The newest games; the featured ones are not preferred.
    idempotent new_games(limit: u32) -> NewGames =
        Site::list_new_games(proto::ListNewGamesRequest { limit, at_least: None })
        => |listed| NewGames { json: listed.json, games: listed.games };

    /// Some of all games. The same `seed` draws the same ones until a game comes or goes.
    idempotent draw_games(seed: u64, limit: u32) -> One =
        Site::draw_games(proto::DrawGamesRequest { seed, limit, at_least: None })
        => |drawn| One::new(drawn.json);
}
