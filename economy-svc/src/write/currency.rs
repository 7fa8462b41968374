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

/// A currency's name before and after a [`SetName`].
#[derive(Debug, Clone)]
pub struct NameChange {
    slug: String,
    name: String,
    /// `None`: the game had no currency.
    before: Option<String>,
}

impl NameChange {
    /// Whether the currency had this name already.
    pub fn is_unchanged(&self) -> bool {
        self.before.as_ref() == Some(&self.name)
    }
}

/// Registers a currency, or renames it. Earlier names stay in its history.
pub(super) async fn set_name(
    connection: &mut PgConnection,
    request: &SetName,
    now: OffsetDateTime,
) -> ApplyResult<NameChange> {
    if currencies::lock(connection, request.game).await? == RowLock::Busy {
        return Err(ApplyError::Busy);
    }
    let before = currencies::name(connection, request.game).await?;
    let change = NameChange {
        slug: request.slug.clone(),
        name: request.name.clone(),
        before: before.map(|(name, _)| name),
    };
    if change.is_unchanged() {
        return Ok((change, Vec::new()));
    }
    let SetName {
        game,
        name,
        given_by,
        ..
    } = request;
    let revision = currencies::set_name(connection, *game, name, given_by, now).await?;
    let changes = vec![currency_named(request, revision), rates_moved()];
    Ok((change, changes))
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

/// The audit's entry.
pub(super) fn subject(change: &NameChange) -> Subject {
    Subject {
        entity: "currency",
        name: change.slug.clone(),
        details: json!({ "name": change.name, "before": change.before }),
    }
}
