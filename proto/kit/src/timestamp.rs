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

/// The time of a message, truncated to whole milliseconds like all times ([`Clock`](crate::Clock)); `None` when it is out of range.
pub fn decode(at: Timestamp) -> Option<OffsetDateTime> {
    let second = OffsetDateTime::from_unix_timestamp(at.seconds).ok()?;
    let nanos = u32::try_from(at.nanos).ok()?;
    let at = second.replace_nanosecond(nanos).ok()?;
    Some(at.truncate_to_millisecond())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_time_survives_a_round_trip(milliseconds in -62_000_000_000_000_i64..253_000_000_000_000, nanos in 0..1_000_000_i64) {
            let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds) * 1_000_000).unwrap();
            prop_assert_eq!(decode(encode(at)), Some(at));
            // What lies within the millisecond means it.
            prop_assert_eq!(decode(encode(at + time::Duration::nanoseconds(nanos))), Some(at));
        }

        #[test]
        fn decoding_never_panics(seconds: i64, nanos: i32) {
            decode(Timestamp { seconds, nanos });
        }
    }
}
