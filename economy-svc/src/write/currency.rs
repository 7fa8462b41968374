//! The names of currencies.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use kit::audit::Subject;
use kit::feed::{NewChange, Stop};
use prost::Message as _;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::rates_moved;
use crate::store::currencies::{self, Locked};

/// A name for the currency of a game.
#[derive(Debug, Clone)]
pub struct SetName {
    pub game: Uuid,
    pub slug: String,
    pub name: String,
    /// A member of the staff, or `account` and an id.
    pub given_by: String,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Named {
    slug: String,
    name: String,
    /// It had another name before; `None` when it had none.
    before: Option<String>,
}

impl Named {
    /// Whether it had this name already.
    pub fn is_unchanged(&self) -> bool {
        self.before.as_ref() == Some(&self.name)
    }
}

/// Registers a currency, or renames it. The name before stays in its history.
pub(super) async fn set_name(
    connection: &mut PgConnection,
    wanted: &SetName,
    now: OffsetDateTime,
) -> Result<(Named, Vec<NewChange>), Stop> {
    if currencies::lock(connection, wanted.game).await? == Locked::Busy {
        return Err(Stop::Busy);
    }
    let before = currencies::name(connection, wanted.game).await?;
    let named = Named {
        slug: wanted.slug.clone(),
        name: wanted.name.clone(),
        before: before.map(|(name, _)| name),
    };
    if named.is_unchanged() {
        return Ok((named, Vec::new()));
    }
    let SetName {
        game,
        name,
        given_by,
        ..
    } = wanted;
    let revision = currencies::set_name(connection, *game, name, given_by, now).await?;
    let changes = vec![publish(wanted, revision), rates_moved()];
    Ok((named, changes))
}

fn publish(wanted: &SetName, revision: i64) -> NewChange {
    let state = proto::Currency {
        game_id: wanted.game.to_string(),
        mode: Mode::Live.into(),
        name: wanted.name.clone(),
        revision,
    };
    NewChange {
        entity: "currency",
        id: wanted.game.to_string(),
        revision,
        event: "named",
        announced: false,
        happening: false,
        state: state.encode_to_vec(),
    }
}

/// What the audit says of it.
pub(super) fn subject(named: &Named) -> Subject {
    Subject {
        entity: "currency",
        name: named.slug.clone(),
        details: json!({ "name": named.name, "before": named.before }),
    }
}
