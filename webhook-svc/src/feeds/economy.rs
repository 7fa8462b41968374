//! Follows economy-svc: paid tips.

use contracts::addresses;
use contracts::common::v1::Change;
use contracts::economy::v1::Tip;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;

use super::Publisher;
use crate::domain::event::Event;
use crate::domain::message::{Data, Listing, ListingKey, Message, derive_id};

/// Publishes paid tips. Nothing of the economy is stored.
#[derive(Debug, Clone)]
pub struct Economy {
    pub publisher: Publisher,
    /// The base URL of the pages of games.
    pub public_url: String,
}

impl Projection for Economy {
    type Row = ();
    type Message = Message;

    const MAX_MESSAGES: usize = Publisher::MAX_MESSAGES;

    /// The message of a tip. Whether its game is public is checked before each attempt and when the message is pulled.
    fn message(&self, change: &Change) -> anyhow::Result<Option<Message>> {
        if change.entity != "tip" {
            return Ok(None);
        }
        let tip = Tip::decode(change.state.clone())?;
        let listing = ListingKey { kind: "game", id: tip.game_id.parse()? };
        let recipients: Result<_, uuid::Error> =
            tip.account_ids.iter().map(|id| id.parse()).collect();
        let url = addresses::listing(&self.public_url, "games", &tip.slug);
        let data = Data::Listing(Listing::game(&tip.slug, &tip.title, &url));
        let at = super::time_of(change)?;
        let id = derive_id("economy", change, at, Event::TipPaid);
        let message = Message::new(id, Event::TipPaid, Some(listing), at, &data)?;
        Ok(Some(Message { recipients: Some(recipients?), ..message }))
    }

    async fn send(
        &self,
        connection: &mut PgConnection,
        messages: Vec<Message>,
    ) -> anyhow::Result<()> {
        self.publisher.publish(connection, &messages).await
    }

    fn committed(&self) {
        self.publisher.wakeup.wake();
    }
}
