//! Commands: every change of the economy goes through the feed's writer as one of these.
//!
//! Each command is one straight line: lock, look for a stored receipt, load, decide, save, publish. Rows are locked in the order currencies, head
//! of the feed.

mod currency;
pub(crate) mod report;
mod review;
mod swap;
pub(crate) mod tip;

use kit::audit::Subject;
use kit::feed::{Apply, ApplyResult, NewChange};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::SCHEMA;
use crate::domain::staff_action::By;
use crate::store::swaps::Swap;

pub use currency::{NameChange, SetName};
pub use report::{ReportReceipt, SubmitReport};
pub use review::{ReviewOutcome, ReviewReport};
pub use tip::{SendTip, TipReceipt};

/// What a report must meet to be stored, and to count without a review.
#[derive(Debug, Clone, Copy)]
pub struct ReportPolicy {
    /// The shortest time between two stored reports of a game.
    pub report_interval: Duration,
    /// The largest change of the basket's cost, in percent, with which a report counts without a review.
    pub most_jump_percent: u32,
}

/// A change of the economy.
#[derive(Debug)]
pub enum Command {
    Report(Box<SubmitReport>),
    Tip(Box<SendTip>),
    /// Swaps of an exchange, or of a file.
    Swaps(Option<By>, Vec<Swap>),
    Name(Option<By>, SetName),
    /// The decision of staff on a held report.
    Review(By, ReviewReport),
}

/// The outcome of a command.
#[derive(Debug)]
pub enum Outcome {
    Reported(ReportReceipt),
    Tipped(TipReceipt),
    /// Ids of the swaps that this command booked.
    Swapped(Vec<String>),
    Named(NameChange),
    Decided(ReviewOutcome),
}

/// Applies commands inside the writer's transaction.
#[derive(Debug, Clone)]
pub struct CommandHandler(pub ReportPolicy);

impl Apply for CommandHandler {
    type Item = Command;
    type Outcome = Outcome;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        command: &Command,
        now: OffsetDateTime,
    ) -> ApplyResult<Outcome> {
        match command {
            Command::Report(submit) => report::submit(connection, submit, &self.0, now).await,
            Command::Tip(send) => tip::send(connection, send, now).await,
            Command::Swaps(by, swaps) => {
                let (booked, changes) = swap::record(&mut *connection, swaps, now).await?;
                record(connection, by.as_ref(), &changes, now, || {
                    swap::subject(&booked)
                })
                .await?;
                Ok((Outcome::Swapped(booked), changes))
            }
            Command::Name(by, wanted) => {
                let (change, changes) = currency::set_name(&mut *connection, wanted, now).await?;
                record(connection, by.as_ref(), &changes, now, || {
                    currency::subject(&change)
                })
                .await?;
                Ok((Outcome::Named(change), changes))
            }
            Command::Review(by, review) => {
                let (decided, changes) = review::decide(&mut *connection, by, review, now).await?;
                record(connection, Some(by), &changes, now, || {
                    review::subject(review)
                })
                .await?;
                Ok((Outcome::Decided(decided), changes))
            }
        }
    }
}

/// Records an action of staff in the audit, unless it changed nothing.
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

/// The change that makes every replica compute rates and figures again.
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
