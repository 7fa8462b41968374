//! Which epochs came before the one of now, and up to which change they are the same history.
//!
//! An epoch ends when its data become those of another server: a replica was promoted, a backup restored. What had been written until
//! then, as far as it is there, is history of both. So a new epoch names its parent and the change at which it forked from it.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use super::head::Head;
use crate::pg::Schema;

/// Where an epoch comes from.
#[derive(Debug, Clone, Copy)]
struct Fork {
    parent: Uuid,
    /// The newest change when it began.
    at: i64,
}

/// The known epochs by their ids. The first one of all has no entry.
#[derive(Debug, Default)]
pub(super) struct Lineage(HashMap<Uuid, Fork>);

impl Lineage {
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn load(
        connection: &mut PgConnection,
        schema: Schema,
    ) -> Result<Self, sqlx::Error> {
        let sql = format!("select epoch, parent, forked_at_seq from {schema}.feed_epoch");
        let rows = sqlx::query(AssertSqlSafe(sql))
            .fetch_all(connection)
            .await?;
        let forks = rows.into_iter().map(|row| {
            let (parent, at) = (row.try_get("parent")?, row.try_get("forked_at_seq")?);
            Ok((row.try_get("epoch")?, Fork { parent, at }))
        });
        forks.collect::<Result<_, sqlx::Error>>().map(Self)
    }

    /// The newest change that the history of `epoch` has in common with that of `head`; `None` when `epoch` is no ancestor.
    pub(super) fn last_shared(&self, head: &Head, epoch: Uuid) -> Option<i64> {
        let (mut ancestor, mut shared) = (head.epoch, head.seq);
        // No more steps than there are forks, whatever the table says.
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
    use sqlx::postgres::types::Oid;

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
            table: Oid(0),
        };
        lineage.last_shared(&head, epoch(of))
    }

    #[test]
    fn what_is_shared_with_an_ancestor_ends_at_the_lowest_fork_between() {
        let forks = lineage(&[(9, 8, 70), (8, 7, 40), (7, 6, 60), (5, 6, 20)]);
        assert_eq!(shared(&forks, 9), Some(100));
        assert_eq!(shared(&forks, 8), Some(70));
        assert_eq!(shared(&forks, 7), Some(40));
        assert_eq!(shared(&forks, 6), Some(40), "not the 60 of its own child");
        assert_eq!(shared(&forks, 5), None, "a sibling");
        assert_eq!(shared(&forks, 1), None, "never heard of");
    }

    #[test]
    fn a_circle_ends() {
        let circle = lineage(&[(9, 8, 70), (8, 9, 40)]);
        assert_eq!(shared(&circle, 1), None);
    }
}
