//! The names of currencies.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::Producer;
use serde_json::json;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::currencies;

/// Names the currency of a game.
#[derive(Debug, Clone)]
pub struct SetName {
    pub game: Uuid,
    pub slug: String,
    pub name: String,
    /// The name of a member of staff, or `account` and an id.
    pub given_by: String,
}

/// Registers a currency, or renames it, for staff or (`None`) for an owner of the game. Returns false if it has this name already.
///
/// # Errors
/// `rate_limited`: owners have renamed it too often today.
pub(crate) async fn set_name(
    producer: &Producer,
    by: Option<&AuthorizedAction>,
    request: &SetName,
) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let SetName { game, slug, name, given_by } = request;
    let mut now = transaction.now;
    let mut before = currencies::lock(&mut transaction, *game).await?;
    if before.is_none() && !currencies::insert(&mut transaction, *game, name, given_by, now).await?
    {
        // Another call has registered it first: the insert has waited for its commit.
        before = currencies::lock(&mut transaction, *game).await?;
    }
    if let Some(before) = &before {
        // Under the lock: the name that this call has waited for is earlier.
        now = transaction.read_time().await?;
        if before.name == *name {
            transaction.commit(&[]).await?;
            return Ok(false);
        }
        let renames = match by {
            // Staff are not limited.
            Some(_) => before.renames,
            None => before.renames.count(now)?,
        };
        currencies::rename(&mut transaction, *game, name, given_by, renames, now).await?;
    }
    if let Some(by) = by {
        let before = before.map(|before| before.name);
        let subject = Subject {
            entity: "currency",
            name: slug.clone(),
            details: json!({ "name": name, "before": before }),
        };
        by.record(&mut *transaction, SCHEMA, subject, now).await?;
    }
    transaction.commit(&[]).await?;
    Ok(true)
}
