//! How the messages that the staff tool prints are written as JSON: times as in the public API, and enumerated values by their names.

use prost_types::Timestamp;
use serde::{Serialize, Serializer};
use time::OffsetDateTime;

use crate::public;

/// Writes a time as the public API does; `null` when it is absent or out of range.
///
/// # Errors
/// The errors of the serializer.
#[expect(clippy::ref_option, reason = "serde hands over the field")]
pub fn timestamp<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    let at = at.and_then(|at| {
        let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
        OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()
    });
    at.map(public::Timestamp).serialize(serializer)
}

/// Writes an enumerated value by its name; a number without a name as the unspecified value, whose name is empty.
///
/// # Errors
/// The errors of the serializer.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over the field"
)]
pub fn enumerated<E, S>(number: &i32, serializer: S) -> Result<S::Ok, S::Error>
where
    E: TryFrom<i32> + Default + Serialize,
    S: Serializer,
{
    E::try_from(*number)
        .unwrap_or_default()
        .serialize(serializer)
}

/// Writes a text that is JSON as the value that it says.
///
/// # Errors
/// The errors of the serializer.
pub fn value<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    value.serialize(serializer)
}
