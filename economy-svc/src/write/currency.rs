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
pub(crate) async fn set_name(
    producer: &Producer,
    by: Option<&AuthorizedAction>,
    request: &SetName,
) -> Result<bool, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let SetName { game, slug, name, given_by } = request;
    let before = currencies::lock(&mut transaction, *game).await?;
    if before.as_ref() == Some(name) {
        transaction.commit(&[]).await?;
        return Ok(false);
    }
    currencies::set_name(&mut transaction, *game, name, given_by, now).await?;
    if let Some(by) = by {
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
