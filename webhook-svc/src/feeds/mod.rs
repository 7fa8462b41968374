//! The followers of other services' feeds, which publish messages.
//!
//! A change becomes a message in the transaction that applies it, if it is announced and was made after this service began to follow.

pub mod catalogue;
pub mod economy;
pub mod gateway;
pub mod listings;

use contracts::common::v1::Change;
use kit::Clock;
use kit::feed::Taken;
use kit::wakeup::Wakeup;
use sqlx::PgConnection;

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
    /// Inserts messages with their deliveries, in the transaction of the changes.
    async fn publish(
        &self,
        connection: &mut PgConnection,
        messages: &[Message],
    ) -> Result<(), sqlx::Error> {
        let (tries, now) = (self.schedule.tries(), self.clock.now());
        messages::fan_out(connection, messages, tries, now).await?;
        Ok(())
    }
}

/// Whether a change becomes a message.
fn makes_messages(change: &Change, taken: Taken) -> bool {
    change.announced && change.seq > taken.acts_after
}
