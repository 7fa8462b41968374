//! Follows listings-svc: which games there are.

use anyhow::Context as _;
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::{Game, State};
use kit::boot::Boot;
use kit::feed::{Store, Taken};
use prost::Message as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::config::Settings;
use crate::store::games;
use crate::{SCHEMA, store};

/// Starts following.
pub(crate) fn follow(boot: &Boot<Settings>, pool: &PgPool) -> anyhow::Result<()> {
    let addresses = &boot.settings.listings_addresses;
    boot.follow(pool, SCHEMA, "listings", addresses, Listings)
}

/// Takes games in; everything else on the feed is passed over.
#[derive(Clone)]
struct Listings;

impl Store for Listings {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        taken: Taken,
    ) -> anyhow::Result<()> {
        let games = changes
            .iter()
            .filter(|change| change.entity == "game")
            .map(|change| {
                game(change).with_context(|| format!("change {} of listings", change.seq))
            })
            .collect::<anyhow::Result<Vec<_>>>()?;
        store::games::upsert(connection, taken.epoch, games).await?;
        Ok(())
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        store::games::sweep(connection, epoch).await?;
        Ok(())
    }
}

fn game(change: &Change) -> anyhow::Result<games::Row> {
    let game = Game::decode(change.state.clone())?;
    let mode = match game.mode() {
        Mode::Live => "live",
        Mode::Test => "test",
        Mode::Unspecified => anyhow::bail!("a game without a mode"),
    };
    let published = game.state() == State::Published;
    Ok(games::Row {
        id: game.id.parse()?,
        mode,
        slug: game.slug,
        title: game.title,
        published,
    })
}
