//! A follower applies a batch in several transactions when its projection limits their changes.

use std::sync::Arc;

use contracts::common::v1::Change;
use kit::feed::{PgConsumer, Projection, consume};
use parking_lot::Mutex;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, own_pool};

/// Applies two changes in a transaction, and notes how many. The third transaction fails as if PostgreSQL were away.
struct Pairs(Arc<Mutex<Vec<usize>>>);

impl Projection for Pairs {
    type Row = Change;
    type Message = ();

    const MAX_CHANGES: usize = 2;

    fn row(&self, change: &Change) -> anyhow::Result<Option<Change>> {
        Mirror.row(change)
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Change>,
    ) -> anyhow::Result<()> {
        self.0.lock().push(rows.len());
        let is_third = self.0.lock().len() == 3;
        if is_third {
            return Err(sqlx::Error::PoolTimedOut.into());
        }
        Mirror.save(connection, generation, rows).await
    }
}

#[testing::database_test]
async fn a_failed_transaction_repeats_none_before_it(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    for id in ["a", "b", "c", "d", "e"] {
        fixture.set(id).await;
    }
    let applied = Arc::new(Mutex::new(Vec::new()));
    let pairs = PgConsumer::new(own_pool(&pool), FEED, Pairs(Arc::clone(&applied)));
    let following = consume(fixture.client.clone(), "pairs", pairs, None);
    fixture.lifecycle.spawn_background("pairs", following);
    fixture.caught_up().await;
    assert_eq!(*applied.lock(), [2, 2, 1, 1]);
    assert_eq!(fixture.mirror().await.len(), 5);
}
