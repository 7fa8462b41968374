//! Follows economy-svc: paid tips.

use anyhow::Context as _;
use contracts::common::v1::Change;
use contracts::economy::v1::Tip;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Publisher;
use crate::domain::event::Event;
use crate::domain::message::{Data, Listing, ListingKey, Message, derive_id};
use crate::store::listings::{self, Game};

/// Publishes paid tips. Nothing of the economy is stored.
#[derive(Debug, Clone)]
pub struct Economy(pub Publisher);

/// A paid tip.
#[derive(Debug)]
pub struct PaidTip {
    game: Uuid,
    at: OffsetDateTime,
    message_id: Uuid,
    traceparent: Option<String>,
}

impl Projection for Economy {
    type Row = ();
    type Message = PaidTip;

    fn message(&self, change: &Change) -> anyhow::Result<Option<PaidTip>> {
        if change.entity != "tip" {
            return Ok(None);
        }
        let tip = Tip::decode(change.state.clone())?;
        let at = super::time_of(change)?;
        Ok(Some(PaidTip {
            game: tip.game_id.parse()?,
            at,
            message_id: derive_id("economy", change, at, Event::TipPaid),
            traceparent: change.traceparent.clone(),
        }))
    }

    async fn send(&self, connection: &mut PgConnection, tips: Vec<PaidTip>) -> anyhow::Result<()> {
        let ids: Vec<Uuid> = tips.iter().map(|tip| tip.game).collect();
        let games = listings::games(connection, &ids).await?;
        let mut new = Vec::new();
        for tip in tips {
            // Both services follow listings-svc: this one will have the game when the tip is retried.
            let game = games.get(&tip.game).with_context(|| {
                format!("the game {} of a tip is not synchronised yet", tip.game)
            })?;
            new.extend(message(&tip, game)?);
        }
        self.0.publish(connection, &new).await
    }

    fn committed(&self) {
        self.0.wakeup.wake();
    }
}

/// The message of a tip; `None`: its game is test data. Whether the game is public is checked before each attempt and when the message is
/// pulled: this copy of the game may be older than the tip.
fn message(tip: &PaidTip, game: &Game) -> anyhow::Result<Option<Message>> {
    if game.mode != "live" {
        return Ok(None);
    }
    let listing = ListingKey {
        kind: "game",
        id: game.id,
    };
    let data = Data::Listing(Listing::game(&game.slug, &game.name, &game.url));
    let (id, event) = (tip.message_id, Event::TipPaid);
    let message = Message::new(id, event, Some(listing), tip.at, &data)?;
    Ok(Some(message.with_traceparent(tip.traceparent.clone())))
}
