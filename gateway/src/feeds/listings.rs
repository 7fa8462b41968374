//! Follows the listings feed into `gateway.game`: the keys of a game work while the game is published (§5.1).

use std::collections::HashMap;

use contracts::common::v1::Mode;
use contracts::listings::v1 as listings;
use kit::feed::{Change, Projection};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::games::{self, Game};

/// The producer's name in `gateway.feed_cursor`.
pub const PRODUCER: &str = "listings";

/// Stores games.
#[derive(Debug, Clone, Copy)]
pub struct Games;

impl Projection for Games {
    type Row = Game;
    type Message = ();

    fn row(&self, change: &Change) -> anyhow::Result<Option<Game>> {
        match change.entity.as_str() {
            "game" => game(change).map(Some),
            _ => Ok(None),
        }
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Game>,
    ) -> anyhow::Result<()> {
        // Only the newest state of each game: one statement cannot update a row twice.
        let newest: HashMap<String, Game> =
            rows.into_iter().map(|row| (row.id.clone(), row)).collect();
        let games: Vec<Game> = newest.into_values().collect();
        Ok(games::upsert(connection, &games, generation).await?)
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
        games::sweep(connection, epoch).await
    }
}

fn game(change: &Change) -> anyhow::Result<Game> {
    let game = listings::Game::decode(change.state.clone())?;
    Ok(Game {
        published: game.state() == listings::State::Published,
        mode: match game.mode() {
            Mode::Test => "test",
            Mode::Live | Mode::Unspecified => "live",
        },
        id: change.id.clone(),
        slug: game.slug,
    })
}
