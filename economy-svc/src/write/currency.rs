//! The names of currencies.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use kit::audit::Subject;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use kit::pg::RowLock;
use prost::Message as _;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::rates_moved;
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

/// Registers a currency, or renames it.
pub(super) async fn set_name(
    connection: &mut PgConnection,
    request: &SetName,
    now: OffsetDateTime,
) -> ApplyResult<NameOutcome> {
    if currencies::lock(connection, request.game).await? == RowLock::Busy {
        return Err(ApplyError::Busy);
    }
    let before = currencies::name(connection, request.game).await?;
    let outcome = NameOutcome {
        slug: request.slug.clone(),
        name: request.name.clone(),
        before,
    };
    if outcome.is_unchanged() {
        return Ok((outcome, Vec::new()));
    }
    let SetName {
        game,
        name,
        given_by,
        ..
    } = request;
    let revision = currencies::set_name(connection, *game, name, given_by, now).await?;
    let changes = vec![currency_named(request, revision), rates_moved()];
    Ok((outcome, changes))
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

pub(super) fn audit_subject(outcome: &NameOutcome) -> Subject {
    Subject {
        entity: "currency",
        name: outcome.slug.clone(),
        details: json!({ "name": outcome.name, "before": outcome.before }),
    }
}
