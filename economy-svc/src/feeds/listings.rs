//! Follows listings-svc: games and the owners of their pages.

use anyhow::Context as _;
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::{Game, Page};
use kit::boot::Boot;
use kit::feed::{ApplyContext, ChangeHandler};
use prost::Message as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::SCHEMA;
use crate::config::Settings;
use crate::store::{games, pages};

pub(crate) fn follow(boot: &Boot<Settings>, pool: &PgPool) -> anyhow::Result<()> {
    let addresses = &boot.settings.listings_addresses;
    boot.follow(pool, SCHEMA, "listings", addresses, Listings)
}

/// Stores games and pages; other entities on the feed are skipped.
#[derive(Clone)]
struct Listings;

impl ChangeHandler for Listings {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        context: ApplyContext,
    ) -> anyhow::Result<()> {
        games::upsert(connection, context.generation, read(changes, "game", game)?).await?;
        pages::upsert(connection, context.generation, read(changes, "page", page)?).await?;
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        games::sweep(connection, epoch).await?;
        pages::sweep(connection, epoch).await?;
        Ok(())
    }
}

/// The changes of one entity.
fn read<T>(
    changes: &[Change],
    entity: &str,
    of: fn(&Change) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<T>> {
    let ours = changes.iter().filter(|change| change.entity == entity);
    ours.map(|change| of(change).with_context(|| format!("change {} of listings", change.seq)))
        .collect()
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
    let mode = match game.mode() {
        Mode::Live => "live",
        Mode::Test => "test",
        Mode::Unspecified => anyhow::bail!("the game has no mode"),
    };
    let published = game.is_visible();
    Ok(games::Row {
        id: game.id.parse()?,
        mode,
        slug: game.slug,
        title: game.title,
        published,
        page_id: game.page_id.parse()?,
    })
}
