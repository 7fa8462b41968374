//! Values as SQL literals, for the one statement that travels together with its `commit` and so cannot carry bound arguments.
//!
//! Everything that could hold a quote travels in hexadecimal.

use time::OffsetDateTime;
use uuid::Uuid;

pub(super) fn text(value: &str) -> String {
    format!("convert_from('\\x{}', 'UTF8')", hex::encode(value))
}

pub(super) fn bytes(value: &[u8]) -> String {
    format!("'\\x{}'::bytea", hex::encode(value))
}

pub(super) fn uuid(value: Uuid) -> String {
    format!("'{value}'::uuid")
}

pub(super) fn timestamp(value: OffsetDateTime) -> String {
    let microseconds = value.unix_timestamp_nanos() / 1_000;
    format!("'epoch'::timestamptz + {microseconds} * interval '1 microsecond'")
}
