//! Follows listings-svc: pages, games and events.

use anyhow::Context as _;
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::{Event, Game, Page, State};
use kit::boot::Boot;
use kit::feed::{Store, Taken};
use prost::Message as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::SCHEMA;
use crate::config::Settings;
use crate::store::listings::{self, Row};

/// Starts following.
pub(crate) fn follow(boot: &Boot<Settings>, pool: &PgPool) -> anyhow::Result<()> {
    let addresses = &boot.settings.listings_addresses;
    boot.follow(pool, SCHEMA, "listings", addresses, Listings)
}

#[derive(Clone)]
struct Listings;

impl Store for Listings {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        taken: Taken,
    ) -> anyhow::Result<()> {
        let mut rows = Vec::new();
        for change in changes {
            let row = row(change).with_context(|| format!("change {} of listings", change.seq))?;
            rows.extend(row);
        }
        listings::upsert(connection, taken.epoch, rows).await?;
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        listings::sweep(connection, epoch).await?;
        Ok(())
    }
}

/// The listing that a change is about; `None` for the gazetteer and whatever else is on the feed.
fn row(change: &Change) -> anyhow::Result<Option<Row>> {
    let state = change.state.clone();
    let (kind, mode, listed, slug, name, url) = match change.entity.as_str() {
        "page" => {
            let page = Page::decode(state)?;
            (
                "page",
                page.mode(),
                page.state(),
                page.handle,
                page.name,
                page.url,
            )
        }
        "game" => {
            let game = Game::decode(state)?;
            (
                "game",
                game.mode(),
                game.state(),
                game.slug,
                game.title,
                game.url,
            )
        }
        "event" => {
            let event = Event::decode(state)?;
            (
                "event",
                event.mode(),
                event.state(),
                event.slug,
                event.title,
                event.url,
            )
        }
        _ => return Ok(None),
    };
    let mode = match mode {
        Mode::Live => "live",
        Mode::Test => "test",
        Mode::Unspecified => anyhow::bail!("a listing without a mode"),
    };
    Ok(Some(Row {
        kind,
        id: change.id.parse()?,
        mode,
        slug,
        name,
        url,
        published: listed == State::Published,
        revision: change.revision,
    }))
}
