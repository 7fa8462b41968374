//! Follows the listings feed into `gateway.game`: the keys of a game work while the game is published (§5.1).

use std::collections::HashMap;

use anyhow::Context as _;
use contracts::common::v1::Mode;
use contracts::listings::v1 as listings;
use kit::feed::{ApplyContext, Change, ChangeHandler};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::games::{self, Game};

/// The producer's name in `gateway.feed_cursor`.
pub const PRODUCER: &str = "listings";

/// Stores games. Other entities of the feed are ignored.
#[derive(Debug, Clone, Copy)]
pub struct Games;

impl ChangeHandler for Games {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        context: ApplyContext,
    ) -> anyhow::Result<()> {
        // Only the newest state of each game: one statement cannot update a row twice.
        let mut newest: HashMap<&str, &Change> = HashMap::new();
        for change in changes.iter().filter(|change| change.entity == "game") {
            newest.insert(&change.id, change);
        }
        if newest.is_empty() {
            return Ok(());
        }
        let games = newest
            .values()
            .map(|change| game(change))
            .collect::<anyhow::Result<Vec<_>>>()?;
        games::upsert(connection, &games, context.generation).await?;
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        games::sweep(connection, epoch).await?;
        Ok(())
    }
}

fn game(change: &Change) -> anyhow::Result<Game> {
    let game = listings::Game::decode(change.state.clone())
        .with_context(|| format!("change {} is not a game", change.seq))?;
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
