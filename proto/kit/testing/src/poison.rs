//! A change that PostgreSQL refuses, for the tests of every follower.

use kit::Fault;
use kit::feed::{
    Change, ChangeSource, NewestChange, Projection, ProjectionContext, Subscription,
    project_changes,
};
use sqlx::postgres::PgPool;
use sqlx::types::Uuid;
use sqlx::{AssertSqlSafe, query_scalar, raw_sql};

/// The changes of a producer that is not there.
#[derive(Debug, Clone, Default)]
pub struct FixedChanges {
    /// The epoch of the changes; nil for a follower that has stored no cursor.
    pub epoch: Uuid,
    pub changes: Vec<Change>,
}

impl ChangeSource for FixedChanges {
    async fn newest(&self, entity: &str, id: &str, seq: i64) -> Result<NewestChange, Fault> {
        let of_entity = |change: &&Change| {
            (&*change.entity, &*change.id) == (entity, id)
                && (!change.happening || change.seq == seq)
        };
        let change = self
            .changes
            .iter()
            .filter(of_entity)
            .max_by_key(|change| change.seq);
        Ok(NewestChange {
            epoch: self.epoch,
            change: change.cloned(),
        })
    }
}

/// Applies `changes`, one of which violates `check` on `table`. It is put aside and the others are applied; once the constraint is gone, a
/// retry applies it. `rows` counts the rows of the projection.
///
/// # Panics
/// The projection does not behave like this.
#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test; the table is a parameter"
)]
pub async fn assert_put_aside_and_retried(
    pool: &PgPool,
    feed: Subscription,
    projection: &impl Projection,
    (table, check): (&str, &str),
    changes: Vec<Change>,
) {
    let count = async |table: &str| -> i64 {
        let sql = format!("select count(*) from {table}");
        let counted = query_scalar(AssertSqlSafe(sql)).fetch_one(pool).await;
        counted.expect("the rows are counted")
    };
    let alter = async |change: String| {
        let sql = format!("alter table {table} {change}");
        let altered = raw_sql(AssertSqlSafe(sql)).execute(pool).await;
        altered.expect("the constraint is changed");
    };
    let (before, all) = (count(table).await, i64::try_from(changes.len()));
    let all = all.expect("few changes");
    let letters = format!("{}.feed_dead_letter", feed.schema);
    alter(format!("add constraint poison check ({check})")).await;

    let context = ProjectionContext {
        generation: Uuid::nil(),
        effects_after_seq: i64::MAX,
    };
    let mut transaction = pool.begin().await.expect("a transaction");
    let producer = FixedChanges {
        changes: changes.clone(),
        ..FixedChanges::default()
    };
    let applied = project_changes(&mut transaction, feed, projection, changes, context).await;
    applied.expect("a refused change is no error");
    transaction.commit().await.expect("the commit");
    assert_eq!(
        count(table).await,
        before + all - 1,
        "the others are applied"
    );
    assert_eq!(count(&letters).await, 1, "it is put aside");

    let retry = async || {
        let retried = feed.retry(pool, &producer, projection, &[]);
        retried.await.expect("a retry")
    };
    let retried = retry().await;
    assert_eq!((retried.applied, retried.refused), (0, 1), "still refused");
    alter("drop constraint poison".to_owned()).await;
    let retried = retry().await;
    assert_eq!((retried.applied, retried.refused), (1, 0));
    assert_eq!(count(table).await, before + all);
    assert_eq!(count(&letters).await, 0);
}
