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
    // An owner that a later release names in another way must not keep the earlier owners.
    let owners = page.owners.iter().filter_map(|account| account.parse().ok());
    Ok(pages::Row { id: page.id.parse()?, owners: owners.collect() })
}

/// The row of a game. A hidden game needs only a readable id, so that fields that a later release changes cannot keep it
/// listed.
fn game(change: &Change) -> anyhow::Result<games::Row> {
    let game = Game::decode(change.state.clone())?;
    let (mode, page_id) = match (Mode::try_from(game.mode), game.page_id.parse::<Uuid>()) {
        (Ok(mode), Ok(page)) => (mode, Some(page)),
        (Err(mode), _) if game.visible => return Err(mode.into()),
        (_, Err(page)) if game.visible => return Err(page.into()),
        // Nothing looks up a test game.
        (mode, page) => (mode.unwrap_or(Mode::Test), page.ok()),
    };
    Ok(games::Row {
        id: game.id.parse()?,
        mode: mode.as_str(),
        slug: game.slug,
        title: game.title,
        published: game.visible,
        page_id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "018f2f3e-0000-7000-8000-000000000001";

    fn row(entity: &str, state: &impl prost::Message) -> anyhow::Result<Option<Row>> {
        Listings.row(&Change {
            entity: entity.to_owned(),
            state: state.encode_to_vec().into(),
            ..Change::default()
        })
    }

    #[test]
    fn a_hidden_game_needs_only_its_id() {
        let game = |mode, page_id: &str, visible| Game {
            id: ID.to_owned(),
            mode,
            page_id: page_id.to_owned(),
            visible,
            ..Game::default()
        };
        for (mode, page_id) in [(99, ID), (1, "page 1")] {
            let hidden = row("game", &game(mode, page_id, false)).unwrap();
            let Some(Row::Game(hidden)) = hidden else {
                panic!("it is a game");
            };
            assert_eq!((hidden.id.to_string().as_str(), hidden.published), (ID, false));
            assert!(row("game", &game(mode, page_id, true)).is_err());
        }
    }

    #[test]
    fn an_owner_that_is_not_understood_hides_no_other() {
        let page = Page {
            id: ID.to_owned(),
            owners: vec!["group 7".to_owned(), ID.to_owned()],
            ..Page::default()
        };
        let Some(Row::Page(page)) = row("page", &page).unwrap() else {
            panic!("it is a page");
        };
        assert_eq!(page.owners, [ID.parse::<Uuid>().unwrap()]);
    }
}
