//! Commands: every change of the economy goes through the feed's writer as one of these.
//!
//! A command takes those of these steps that it needs: lock, look for the stored receipt of its `Idempotency-Key`, load, decide, save,
//! publish. The writer locks the head of the feed, last of all rows. A command of staff that changed something also writes to the audit.

mod currency;
pub(crate) mod report;
mod report_review;
mod review;
mod swap;
pub(crate) mod tip;

use kit::feed::{Apply, ApplyResult, NewChange};
use sqlx::PgConnection;
use strum::EnumTryAs;
use time::OffsetDateTime;

use crate::SCHEMA;
use crate::domain::report_policy::ReportPolicy;
use crate::domain::staff_action::AuthorizedAction;

pub use currency::{NameOutcome, SetName};
pub use report::{ReportReceipt, SubmitReport};
pub use review::{ReviewReport, Verdict};
pub use swap::SwapChange;
pub use tip::{SendTip, TipReceipt};

/// A change of the economy.
#[derive(Debug)]
pub enum Command {
    Report(Box<SubmitReport>),
    Tip(Box<SendTip>),
    /// Swaps that staff import or remove.
    Swaps(AuthorizedAction, SwapChange),
    /// The name of a currency, given by staff or (`None`) by an owner of the game.
    Name(Option<AuthorizedAction>, SetName),
    /// The decision of staff on a held report.
    Review(AuthorizedAction, ReviewReport),
}

/// The outcome of a command.
#[derive(Debug, EnumTryAs)]
pub enum Outcome {
    Reported(ReportReceipt),
    Tipped(TipReceipt),
    /// Ids of the swaps that this command booked or removed.
    Swapped(Vec<String>),
    Named(NameOutcome),
    /// `false`: an earlier command decided in the same way.
    Reviewed(bool),
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
            Command::Report(submit) => {
                let (receipt, changes) = report::submit(connection, submit, &self.0, now).await?;
                Ok((Outcome::Reported(receipt), changes))
            }
            Command::Tip(send) => {
                let (receipt, changes) = tip::send(connection, send, now).await?;
                Ok((Outcome::Tipped(receipt), changes))
            }
            Command::Swaps(by, change) => {
                let (ids, changes) = swap::apply(&mut *connection, change, now).await?;
                if !ids.is_empty() {
                    by.record(connection, SCHEMA, swap::audit_subject(change, &ids), now)
                        .await?;
                }
                Ok((Outcome::Swapped(ids), changes))
            }
            Command::Name(by, request) => {
                let (outcome, changes) = currency::set_name(&mut *connection, request, now).await?;
                if let Some(by) = by.as_ref().filter(|_| !outcome.is_unchanged()) {
                    by.record(connection, SCHEMA, currency::audit_subject(&outcome), now)
                        .await?;
                }
                Ok((Outcome::Named(outcome), changes))
            }
            Command::Review(by, review) => {
                let (is_new, changes) = review::decide(&mut *connection, by, review, now).await?;
                if is_new {
                    by.record(connection, SCHEMA, review::audit_subject(review), now)
                        .await?;
                }
                Ok((Outcome::Reviewed(is_new), changes))
            }
        }
    }
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
