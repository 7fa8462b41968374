//! Conversion between `time` and protobuf timestamps.

use prost_types::Timestamp;
use time::OffsetDateTime;

/// The timestamp for a message.
pub fn encode(at: OffsetDateTime) -> Timestamp {
    Timestamp {
        seconds: at.unix_timestamp(),
        nanos: at.nanosecond().cast_signed(),
    }
}

/// The time of a message, truncated to whole microseconds as PostgreSQL stores it; `None` when it is out of range.
pub fn decode(at: Timestamp) -> Option<OffsetDateTime> {
    let second = OffsetDateTime::from_unix_timestamp(at.seconds).ok()?;
    let nanos = u32::try_from(at.nanos).ok()?;
    second.replace_nanosecond(nanos / 1_000 * 1_000).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_time_survives_a_round_trip(microseconds in -62_000_000_000_000_000_i64..253_000_000_000_000_000) {
            let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000).unwrap();
            prop_assert_eq!(decode(encode(at)), Some(at));
        }

        #[test]
        fn decoding_never_panics(seconds: i64, nanos: i32) {
            decode(Timestamp { seconds, nanos });
        }
    }
}
