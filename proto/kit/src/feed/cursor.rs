//! The cursor of a follower, and the fingerprint by which the producer recognizes its own history.

use contracts::common::v1::Change;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

use super::Position;

/// The position of a follower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The newest change that the follower has applied.
    pub position: Position,
    /// Identifies that change. `None` when the follower has applied no change, or when an older version of the service applied it.
    pub last_row: Option<Fingerprint>,
    /// The time of the newest change whose effects are done; `None` for a follower without effects.
    pub effects_until: Option<OffsetDateTime>,
}

/// Identifies a row of a feed.
///
/// After a snapshot of the producer's files is restored, new writes use the same numbers again while server, timeline and epoch stay the
/// same. The rows differ, because they were written at another time. Conversely, one equal row means that all earlier rows are equal,
/// because the order of `seq` is the order of commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of `change`.
    pub fn of(change: &Change) -> Self {
        let at = change.at.unwrap_or_default();
        let mut hash = Sha256::new();
        for number in [change.seq, change.revision, at.seconds, at.nanos.into()] {
            hash.update(number.to_be_bytes());
        }
        for text in [&change.entity, &change.id, &change.event] {
            hash.update(text.len().to_be_bytes());
            hash.update(text);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let mut half = [0; 16];
        half.copy_from_slice(&hash[..16]);
        Self(half)
    }

    /// Reads a fingerprint; `None` when `bytes` has another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes for a message or a column.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_row_is_part_of_its_fingerprint() {
        let written = |nanos| Change {
            seq: 3,
            entity: "game".to_owned(),
            id: "a".to_owned(),
            revision: 1,
            at: Some(prost_types::Timestamp { seconds: 5, nanos }),
            ..Change::default()
        };
        let row = Fingerprint::of(&written(1_000));
        assert_eq!(row, Fingerprint::of(&written(1_000)));
        assert_ne!(row, Fingerprint::of(&written(2_000)));
        assert_eq!(Fingerprint::from_bytes(row.as_bytes()), Some(row));
        assert_eq!(Fingerprint::from_bytes(b""), None);
    }

    #[test]
    fn adjacent_texts_are_kept_apart() {
        let named = |entity: &str, id: &str| {
            Fingerprint::of(&Change {
                entity: entity.to_owned(),
                id: id.to_owned(),
                ..Change::default()
            })
        };
        assert_ne!(named("ab", "c"), named("a", "bc"));
    }
}
