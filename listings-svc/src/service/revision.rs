//! Converts revisions to messages.

use contracts::listings::v1 as proto;
use serde_json::{Map, Value};
use sqlx::PgPool;

use crate::domain::difference::{self, Difference};
use crate::domain::state::ListingState;
use crate::feed;
use crate::store::history;

pub(super) fn difference(difference: Difference) -> proto::Difference {
    let json = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
    proto::Difference {
        path: difference.path,
        before: json(difference.before),
        after: json(difference.after),
    }
}

/// The size of a revision in a message.
pub(super) fn bytes(before: Option<&Value>, after: &Value) -> usize {
    let bytes = |value: &Value| value.to_string().len();
    before.map_or(0, bytes) + bytes(after)
}

/// The state in the fields of a revision.
pub(super) fn state(fields: &Value) -> Option<i32> {
    let state = serde_json::from_value::<ListingState>(fields.get("state")?.clone());
    Some(feed::state(state.ok()?))
}

/// The differences that revisions made, from the old and the new values of their changed fields.
pub(super) async fn differences(
    pool: &PgPool,
    revisions: impl Iterator<Item = (Option<&Value>, &Value)>,
) -> Result<Vec<Vec<proto::Difference>>, sqlx::Error> {
    let content = |fields: Option<&Value>| fields.map(difference::content).unwrap_or_default();
    let mut contents: Vec<Map<String, Value>> = revisions
        .flat_map(|(before, after)| [content(before), content(Some(after))])
        .collect();
    history::name_pages(pool, &mut contents).await?;
    let (pairs, _) = contents.as_chunks::<2>();
    Ok(pairs
        .iter()
        .map(|[before, after]| {
            let differences = difference::between(before, after).into_iter();
            differences.map(self::difference).collect()
        })
        .collect())
}
