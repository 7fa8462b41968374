//! The followers of other services' feeds: how a change becomes rows and messages.

pub mod catalogue;
pub mod economy;
pub mod gateway;
pub mod listings;

use anyhow::Context as _;
use contracts::common::v1::Change;
use kit::Clock;
use kit::api::timestamp;
use kit::wakeup::Wakeup;
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::message::Message;
use crate::domain::schedule::Schedule;
use crate::store::messages;

/// Publishes messages to endpoints.
#[derive(Debug, Clone)]
pub struct Publisher {
    pub clock: Clock,
    pub schedule: Schedule,
    /// Wakes the dispatchers.
    pub wakeup: Wakeup,
}

impl Publisher {
    /// The most messages that one transaction publishes.
    ///
    /// A message becomes a row for each subscribed endpoint, and a feed sends up to 500 changes at once. PostgreSQL inserts some 50,000 such rows a
    /// second on two busy cores: 500 messages to 3,000 endpoints would take the 30 s that a statement may last, and 20 messages take them with
    /// 75,000 endpoints.
    const MAX_MESSAGES: usize = 20;

    /// Inserts messages with their deliveries, in the transaction of the changes.
    async fn publish(
        &self,
        connection: &mut PgConnection,
        messages: &[Message],
    ) -> anyhow::Result<()> {
        let attempts = self.schedule.attempts();
        Ok(messages::fan_out(connection, messages, attempts, &self.clock).await?)
    }
}

/// When the change was made.
fn time_of(change: &Change) -> anyhow::Result<OffsetDateTime> {
    let at = change.at.and_then(timestamp::decode);
    at.context("the change has no time")
}
