//! Commands: everything that changes the economy goes through the writer of the feed as one of these, a file a subject.
//!
//! Each is one straight line: lock, look for a stored answer, load, decide, save, publish. Rows are locked in the order currencies, head
//! of the feed.

mod currency;
pub mod report;
mod review;
mod swap;
pub mod tip;

use kit::audit::Subject;
use kit::feed::{Applied, Apply, NewChange, Stop};
use kit::{Code, Fault};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::SCHEMA;
use crate::domain::staff_action::By;
use crate::store::swaps::Swap;

pub use currency::{Named, SetName};
pub use report::{Reported, Submit};
pub use review::{Decided, Review};
pub use tip::{Send, Tipped};

/// What commands are held to.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The shortest time between two stored reports of a game.
    pub report_interval: Duration,
    /// By how many percent the cost of the basket moves at most, for a report to count at once.
    pub most_jump_percent: u32,
}

/// A change that is asked for.
#[derive(Debug)]
pub enum Write {
    /// A report of a game.
    Report(Box<Submit>),
    /// A tip of a player.
    Tip(Box<Send>),
    /// Swaps of an exchange, or of a file.
    Swaps(Option<By>, Vec<Swap>),
    /// A name for a currency.
    Name(Option<By>, SetName),
    /// What staff say of a held report.
    Review(By, Review),
}

/// What came of it.
#[derive(Debug)]
pub enum Done {
    Reported(Reported),
    Tipped(Tipped),
    /// The ids of the swaps that were booked now.
    Swapped(Vec<String>),
    Named(Named),
    Decided(Decided),
}

/// Carries out commands.
#[derive(Debug, Clone)]
pub struct Writes(pub Rules);

impl Apply for Writes {
    type Item = Write;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        write: &Write,
        now: OffsetDateTime,
    ) -> Result<Applied<Done>, sqlx::Error> {
        Applied::of(self.run(connection, write, now).await)
    }
}

impl Writes {
    async fn run(
        &self,
        connection: &mut PgConnection,
        write: &Write,
        now: OffsetDateTime,
    ) -> Result<(Done, Vec<NewChange>), Stop> {
        match write {
            Write::Report(submit) => report::submit(connection, submit, &self.0, now).await,
            Write::Tip(send) => tip::send(connection, send, now).await,
            Write::Swaps(by, swaps) => {
                let (done, changes) = swap::record(&mut *connection, swaps, now).await?;
                record(connection, by.as_ref(), &changes, now, || {
                    swap::subject(&done)
                })
                .await?;
                Ok((Done::Swapped(done), changes))
            }
            Write::Name(by, wanted) => {
                let (done, changes) = currency::set_name(&mut *connection, wanted, now).await?;
                record(connection, by.as_ref(), &changes, now, || {
                    currency::subject(&done)
                })
                .await?;
                Ok((Done::Named(done), changes))
            }
            Write::Review(by, review) => {
                let (done, changes) = review::decide(&mut *connection, by, review, now).await?;
                record(connection, Some(by), &changes, now, || {
                    review::subject(review)
                })
                .await?;
                Ok((Done::Decided(done), changes))
            }
        }
    }
}

/// Records what staff did. A call that changed nothing leaves no trace.
async fn record(
    connection: &mut PgConnection,
    by: Option<&By>,
    changes: &[NewChange],
    now: OffsetDateTime,
    subject: impl FnOnce() -> Subject,
) -> Result<(), sqlx::Error> {
    let Some(by) = by.filter(|_| !changes.is_empty()) else {
        return Ok(());
    };
    by.record(connection, SCHEMA, subject(), now).await
}

/// The change that makes every replica work out rates and figures anew.
fn rates_moved() -> NewChange {
    NewChange {
        entity: "rates",
        id: "rates".to_owned(),
        revision: 0,
        event: "moved",
        announced: false,
        happening: false,
        state: Vec::new(),
    }
}

/// The writer answers each kind of command in one way.
pub fn unexpected(done: &Done) -> Fault {
    tracing::error!(?done, "the writer did something else than what was sent");
    Fault::new(Code::Internal, "something broke on our side")
}
