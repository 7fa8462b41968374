//! Follows listings-svc: games and the owners of their pages.

use contracts::common::v1::Change;
use contracts::listings::v1::{Game, Page};
use kit::Mode;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{games, pages};

/// Stores games and pages.
#[derive(Clone)]
pub(crate) struct Listings;

/// A game or a page.
#[derive(Debug)]
pub(crate) enum Row {
    Game(games::Row),
    Page(pages::Row),
}

impl Projection for Listings {
    type Row = Row;
    type Message = ();

    const TABLES: &'static [&'static str] = &["page"];

    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        Ok(match change.entity.as_str() {
            "game" => Some(Row::Game(game(change)?)),
            "page" => Some(Row::Page(page(change)?)),
            _ => None,
        })
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        let (mut new_games, mut new_pages) = (Vec::new(), Vec::new());
        for row in rows {
            match row {
                Row::Game(row) => new_games.push(row),
                Row::Page(row) => new_pages.push(row),
            }
        }
        games::upsert(connection, generation, new_games).await?;
        pages::upsert(connection, generation, new_pages).await?;
        Ok(())
    }

    async fn sweep(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
    ) -> Result<(), sqlx::Error> {
        games::sweep(connection, generation).await
    }
}

fn page(change: &Change) -> anyhow::Result<pages::Row> {
    let page = Page::decode(change.state.clone())?;
    let owners = page.owners.iter().map(|account| account.parse());
    Ok(pages::Row {
        id: page.id.parse()?,
        owners: owners.collect::<Result<_, uuid::Error>>()?,
    })
}

fn game(change: &Change) -> anyhow::Result<games::Row> {
    let game = Game::decode(change.state.clone())?;
    let published = game.visible;
    Ok(games::Row {
        id: game.id.parse()?,
        mode: Mode::try_from(game.mode)?.as_str(),
        slug: game.slug,
        title: game.title,
        published,
        page_id: game.page_id.parse()?,
    })
}
