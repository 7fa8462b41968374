//! A follower that hangs inside its transaction, with the rows and the cursor locked.

use std::sync::Arc;

use contracts::common::v1::Change;
use kit::feed::{PgConsumer, Projection, consume};
use sqlx::{PgConnection, PgPool};
use tokio::sync::Notify;
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, own_pool};

/// Hangs after it has written the rows.
struct Stuck(Arc<Notify>);

impl Projection for Stuck {
    type Row = Change;
    type Message = ();

    fn row(&self, change: &Change) -> anyhow::Result<Option<Change>> {
        Mirror.row(change)
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Change>,
    ) -> anyhow::Result<()> {
        Mirror.save(connection, generation, rows).await?;
        self.0.notify_one();
        std::future::pending().await
    }
}

#[testing::database_test]
async fn another_follower_replaces_one_that_hangs(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    let written = Arc::new(Notify::new());
    let stuck = PgConsumer::new(own_pool(&pool), FEED, Stuck(Arc::clone(&written)));
    let following = consume(fixture.client.clone(), "stuck", stuck, None);
    fixture.lifecycle.spawn_background("stuck", following);
    written.notified().await;
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, [("a".to_owned(), 1)]);
}
