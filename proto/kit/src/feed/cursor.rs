//! How far a follower has come, and how the producer recognises that it is still the same history.

use contracts::common::v1::Change;
use sha2::{Digest as _, Sha256};

use super::Position;

/// How far a follower has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The newest change that it has applied.
    pub position: Position,
    /// Identifies that change; `None` when the follower has applied none, or an older version applied it.
    pub last_row: Option<Fingerprint>,
}

/// Identifies a row of a feed.
///
/// A snapshot of the producer's files may be put back and new writes may give out the same numbers again. The server is the same
/// then, and so are its timeline and the epoch. The row is not: it was written at another time. And where one row of a feed is the
/// same, all rows before it are, because the order of `seq` is the order of commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// The one that was written as `bytes`; `None` when they are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// For a message or a column.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_row_written_at_another_time_is_another() {
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
    fn texts_do_not_run_into_each_other() {
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
