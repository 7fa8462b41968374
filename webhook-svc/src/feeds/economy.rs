//! Follows economy-svc: paid tips.

use anyhow::Context as _;
use contracts::common::v1::Change;
use contracts::economy::v1::Tip;
use kit::boot::Boot;
use kit::feed::{Store, Taken};
use kit::timestamp;
use prost::Message as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::Publisher;
use crate::SCHEMA;
use crate::config::Settings;
use crate::domain::event::Event;
use crate::domain::message::{Data, Listing, Message, Source, Subject};
use crate::store::listings::{self, Game};

pub(crate) fn follow(
    boot: &Boot<Settings>,
    pool: &PgPool,
    publisher: Publisher,
) -> anyhow::Result<()> {
    let addresses = &boot.settings.economy_addresses;
    boot.follow(pool, SCHEMA, "economy", addresses, Economy(publisher))
}

/// Publishes paid tips.
#[derive(Debug, Clone)]
pub struct Economy(pub Publisher);

impl Store for Economy {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        taken: Taken,
    ) -> anyhow::Result<()> {
        let is_tip =
            |change: &&Change| change.entity == "tip" && super::makes_messages(change, taken);
        let mut tips = Vec::new();
        for change in changes.iter().filter(is_tip) {
            let context = || format!("change {} of economy", change.seq);
            let tip = Tip::decode(change.state.clone()).with_context(context)?;
            let game: Uuid = tip.game_id.parse().with_context(context)?;
            tips.push((change, game));
        }
        let ids: Vec<Uuid> = tips.iter().map(|(_, game)| *game).collect();
        let games = listings::games(connection, &ids).await?;
        let mut new = Vec::new();
        for (change, id) in tips {
            // Both services follow listings-svc: this one will have the game when the batch is repeated.
            let game = games
                .get(&id)
                .with_context(|| format!("the game {id} of a tip is not synchronised yet"))?;
            new.extend(message(change, game)?);
        }
        self.0.publish(connection, &new).await?;
        Ok(())
    }

    fn committed(&self) {
        self.0.wakeup.wake();
    }

    /// Nothing of the economy is stored.
    async fn sweep(&self, _: &mut PgConnection, _: Uuid) -> anyhow::Result<()> {
        Ok(())
    }
}

/// The message of a tip; `None`: its game is not public.
fn message(change: &Change, game: &Game) -> anyhow::Result<Option<Message>> {
    if game.mode != "live" || !game.published {
        return Ok(None);
    }
    let source = Source {
        producer: "economy",
        entity: &change.entity,
        id: &change.id,
        revision: change.revision,
    };
    let subject = Subject {
        entity: "game",
        id: game.id,
    };
    let at = change.at.and_then(timestamp::decode);
    let at = at.context("the change has no time")?;
    let event = Event::TipPaid;
    let data = Data::Listing(Listing::game(&game.slug, &game.name, &game.url));
    let id = source.message_id(event);
    Ok(Some(Message::new(id, event, Some(subject), at, &data)?))
}
