//! What webhook-svc learns from others, and the messages that it makes of it.
//!
//! Messages are made of each change, in the transaction that takes it in: of changes that are announced, and that were made after this
//! service began to follow.

pub mod catalogue;
pub mod economy;
pub mod gateway;
pub mod listings;

use contracts::common::v1::Change;
use kit::Clock;
use kit::feed::ApplyContext;
use kit::wakeup::Wakeup;
use sqlx::PgConnection;

use crate::domain::message::Message;
use crate::domain::schedule::Schedule;
use crate::store::messages;

/// What followers need to make messages.
#[derive(Debug, Clone)]
pub struct Outgoing {
    pub clock: Clock,
    pub schedule: Schedule,
    /// Wakes those who deliver.
    pub wakeup: Wakeup,
}

impl Outgoing {
    /// Stores messages with their deliveries, in the transaction of the changes that they are made of.
    async fn fan_out(
        &self,
        connection: &mut PgConnection,
        messages: &[Message],
    ) -> Result<(), sqlx::Error> {
        let (tries, now) = (self.schedule.tries(), self.clock.now());
        messages::fan_out(connection, messages, tries, now).await?;
        Ok(())
    }
}

/// Whether messages are made of a change.
fn is_told(change: &Change, context: ApplyContext) -> bool {
    change.announced && change.seq > context.effects_after_seq
}
