//! The earlier epochs of a feed, and up to which change each shares the history of the current one.
//!
//! A new epoch begins when a replica is promoted or a backup is restored. The changes that it took over belong to both epochs. A new
//! epoch therefore names its parent, and the change at which it forked from the parent.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

use super::head::Head;
use crate::pg::Schema;

/// The beginning of an epoch.
#[derive(Debug, Clone, Copy)]
struct Fork {
    parent: Uuid,
    /// The newest change when the epoch began.
    at: i64,
}

/// The forks by epoch. The first epoch has no entry.
#[derive(Debug, Default)]
pub(super) struct Lineage(HashMap<Uuid, Fork>);

impl Lineage {
    pub(super) async fn load(
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        let sql = "select epoch, parent, forked_at_seq from kit.feed_epoch";
        let rows: Vec<(Uuid, Uuid, i64)> = schema.query_as(sql).fetch_all(connection).await?;
        let forks = rows.into_iter();
        let forks = forks.map(|(epoch, parent, at)| (epoch, Fork { parent, at }));
        Ok(Self(forks.collect()))
    }

    /// The newest change that `epoch` shares with the epoch of `head`; `None` when `epoch` is not an ancestor.
    pub(super) fn last_shared(&self, head: &Head, epoch: Uuid) -> Option<i64> {
        let (mut ancestor, mut shared) = (head.epoch, head.seq);
        // The number of steps is bounded even if the table has a cycle.
        for _ in 0..=self.0.len() {
            if ancestor == epoch {
                return Some(shared);
            }
            let fork = self.0.get(&ancestor)?;
            (ancestor, shared) = (fork.parent, shared.min(fork.at));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn epoch(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn lineage(forks: &[(u128, u128, i64)]) -> Lineage {
        let entry = |&(id, parent, at)| {
            let parent = epoch(parent);
            (epoch(id), Fork { parent, at })
        };
        Lineage(forks.iter().map(entry).collect())
    }

    fn shared(lineage: &Lineage, of: u128) -> Option<i64> {
        let head = Head {
            epoch: epoch(9),
            seq: 100,
        };
        lineage.last_shared(&head, epoch(of))
    }

    #[test]
    fn shared_history_ends_at_the_lowest_fork() {
        let forks = lineage(&[(9, 8, 70), (8, 7, 40), (7, 6, 60), (5, 6, 20)]);
        assert_eq!(shared(&forks, 9), Some(100));
        assert_eq!(shared(&forks, 8), Some(70));
        assert_eq!(shared(&forks, 7), Some(40));
        assert_eq!(shared(&forks, 6), Some(40), "not the 60 of its own child");
        assert_eq!(shared(&forks, 5), None, "a sibling");
        assert_eq!(shared(&forks, 1), None, "never heard of");
    }

    #[test]
    fn a_cycle_ends() {
        let cycle = lineage(&[(9, 8, 70), (8, 9, 40)]);
        assert_eq!(shared(&cycle, 1), None);
    }
}
