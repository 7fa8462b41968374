//! The names of currencies.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use kit::Fault;
use kit::audit::Subject;
use kit::feed::{NewChange, Producer};
use prost::Message as _;
use serde_json::json;
use uuid::Uuid;

use super::rates_moved;
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

/// What a [`SetName`] did: the name of the currency before and after it.
#[derive(Debug, Clone)]
pub struct NameOutcome {
    slug: String,
    name: String,
    /// `None`: the game had no currency.
    before: Option<String>,
}

impl NameOutcome {
    /// Whether the currency had this name already.
    pub fn is_unchanged(&self) -> bool {
        self.before.as_ref() == Some(&self.name)
    }
}

/// Registers a currency, or renames it, for staff or (`None`) for an owner of the game.
pub(crate) async fn set_name(
    producer: &Producer,
    by: Option<&AuthorizedAction>,
    request: &SetName,
) -> Result<NameOutcome, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    currencies::lock(&mut transaction, request.game).await?;
    let before = currencies::name(&mut transaction, request.game).await?;
    let outcome = NameOutcome {
        slug: request.slug.clone(),
        name: request.name.clone(),
        before,
    };
    if outcome.is_unchanged() {
        transaction.commit(&[]).await?;
        return Ok(outcome);
    }
    let SetName {
        game,
        name,
        given_by,
        ..
    } = request;
    let revision = currencies::set_name(&mut transaction, *game, name, given_by, now).await?;
    if let Some(by) = by {
        by.record(&mut *transaction, SCHEMA, audit_subject(&outcome), now)
            .await?;
    }
    let changes = [currency_named(request, revision), rates_moved()];
    transaction.commit(&changes).await?;
    Ok(outcome)
}

/// The change on the feed.
fn currency_named(request: &SetName, revision: i64) -> NewChange {
    let state = proto::Currency {
        game_id: request.game.to_string(),
        mode: Mode::Live.into(),
        name: request.name.clone(),
        revision,
    };
    NewChange {
        entity: "currency",
        id: request.game.to_string(),
        revision,
        event: "named",
        announced: false,
        happening: false,
        state: state.encode_to_vec(),
    }
}

fn audit_subject(outcome: &NameOutcome) -> Subject {
    Subject {
        entity: "currency",
        name: outcome.slug.clone(),
        details: json!({ "name": outcome.name, "before": outcome.before }),
    }
}
