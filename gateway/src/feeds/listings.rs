//! Follows the listings feed into `gateway.game` and `gateway.page`: the keys of a game work while the game is published and their
//! account owns the game's page (§5.1).

use std::collections::HashMap;

use anyhow::Context as _;
use contracts::listings::v1 as listings;
use kit::Mode;
use kit::feed::{Change, Projection};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::games::{self, Game};
use crate::store::pages::{self, Page};

/// The producer's name in `gateway.feed_cursor`.
pub const PRODUCER: &str = "listings";

/// Stores games and the owners of pages.
#[derive(Debug, Clone, Copy)]
pub struct GamesAndPages;

#[derive(Debug)]
pub enum Row {
    Game(Game),
    Page(Page),
}

impl Projection for GamesAndPages {
    type Row = Row;
    type Message = ();

    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        match change.entity.as_str() {
            "game" => game(change).map(Row::Game).map(Some),
            "page" => page(change).map(Row::Page).map(Some),
            _ => Ok(None),
        }
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        // Only the newest state of each game: one statement cannot update a row twice.
        let mut newest = HashMap::new();
        for row in rows {
            match row {
                Row::Game(game) => drop(newest.insert(game.id.clone(), game)),
                Row::Page(page) => pages::upsert(connection, &page, generation).await?,
            }
        }
        let games: Vec<Game> = newest.into_values().collect();
        Ok(games::upsert(connection, &games, generation).await?)
    }

    async fn sweep(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
    ) -> Result<(), sqlx::Error> {
        games::sweep(connection, generation).await?;
        pages::sweep(connection, generation).await
    }
}

fn game(change: &Change) -> anyhow::Result<Game> {
    let game = listings::Game::decode(change.state.clone())?;
    let mode = Mode::try_from(game.mode).ok();
    let mode = mode.context("the game has no mode")?;
    Ok(Game {
        published: game.state() == listings::State::Published,
        mode: mode.as_str(),
        id: change.id.clone(),
        slug: game.slug,
        page: game.page_id,
    })
}

fn page(change: &Change) -> anyhow::Result<Page> {
    let page = listings::Page::decode(change.state.clone())?;
    let owners = page.owners.iter().map(|owner| owner.parse());
    Ok(Page {
        id: change.id.clone(),
        owners: owners.collect::<Result<_, _>>().context("an owner is not a UUID")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode_of(mode: i32) -> anyhow::Result<&'static str> {
        let game = listings::Game { mode, ..listings::Game::default() };
        let change = Change { state: game.encode_to_vec().into(), ..Change::default() };
        super::game(&change).map(|game| game.mode)
    }

    #[test]
    fn a_game_without_a_known_mode_is_refused() {
        assert_eq!(mode_of(Mode::Live.into()).unwrap(), "live");
        assert_eq!(mode_of(Mode::Test.into()).unwrap(), "test");
        for mode in [0, 99] {
            let refused = mode_of(mode).unwrap_err();
            assert_eq!(refused.to_string(), "the game has no mode");
        }
    }
}
