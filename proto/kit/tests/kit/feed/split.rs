//! A follower applies a batch in several transactions when its projection limits their messages.

use std::sync::Arc;

use contracts::common::v1::Change;
use kit::feed::{PgConsumer, Projection, consume};
use parking_lot::Mutex;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, own_pool};

/// Sends two messages in a transaction, and notes how many changes it has. The third transaction fails as if PostgreSQL were unavailable.
struct Pairs(Arc<Mutex<Vec<usize>>>);

impl Projection for Pairs {
    type Row = Change;
    type Message = ();

    const MAX_MESSAGES: usize = 2;

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

/// Follows the feed of five notes. Returns how many changes each transaction had.
async fn follow_five(fixture: &Fixture) -> Vec<usize> {
    for id in ["a", "b", "c", "d", "e"] {
        fixture.set(id).await;
    }
    let applied = Arc::new(Mutex::new(Vec::new()));
    let projection = Pairs(Arc::clone(&applied));
    let pairs = PgConsumer::new(own_pool(&fixture.pool), FEED, projection);
    let following = consume(fixture.client.clone(), "pairs", pairs, None);
    fixture.lifecycle.spawn_background("pairs", following);
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await.len(), 5);
    let applied = applied.lock();
    applied.clone()
}

#[testing::database_test]
async fn a_failed_transaction_repeats_none_before_it(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    // A follower that has come as far as the beginning: all messages are due.
    sqlx::query(
        "insert into kit.feed_cursor (producer, epoch, seq, at, generation, effects_until)
         select $1, epoch, 0, 'epoch', $2, 'epoch' from kit.feed_head",
    )
    .bind(FEED.producer)
    .bind(Uuid::nil())
    .execute(&pool)
    .await
    .unwrap();
    assert_eq!(follow_five(&fixture).await, [2, 2, 1, 1]);
}

#[testing::database_test]
async fn changes_whose_messages_are_not_due_do_not_count(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    assert_eq!(follow_five(&fixture).await, [5]);
}
