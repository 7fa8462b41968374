//! Commands. Every change of accounts, keys, plans and switches is made by one of these functions, in one transaction of the feed.
//!
//! A command has the steps lock, load, decide (`domain`), save, publish. What changes something is audited.

pub(crate) mod accounts;
mod audit;
pub(crate) mod key_requests;
pub(crate) mod keys;
pub mod plans;
pub(crate) mod switches;

use kit::Fault;
use kit::audit::Subject;
use kit::feed::{NewChange, Transaction};

use crate::domain::author::Author;

/// Audits the change, publishes it and commits.
async fn commit(
    mut transaction: Transaction,
    by: &Author,
    subject: Subject,
    changes: &[NewChange],
) -> Result<(), Fault> {
    let now = transaction.now;
    audit::record(&mut transaction, by, subject, now).await?;
    transaction.commit(changes).await
}

/// A change to publish on the feed.
fn feed_row(
    entity: &'static str,
    id: String,
    revision: i64,
    event: &'static str,
    state: Vec<u8>,
) -> NewChange {
    NewChange { entity, id, revision, event, announced: false, happening: false, state }
}
