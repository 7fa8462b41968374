//! What a follower has committed outlasts a crash of PostgreSQL: others may have seen the positions that it gave to rows.

use contracts::common::v1::Change;
use kit::feed::{PgConsumer, Projection, consume};
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgConnection, PgPool};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::support::{FEED, Fixture};

/// Sends the setting of each transaction that it writes in.
struct Setting(mpsc::UnboundedSender<String>);

impl Projection for Setting {
    type Row = ();
    type Message = ();

    fn row(&self, _: &Change) -> anyhow::Result<Option<()>> {
        Ok(Some(()))
    }

    async fn save(&self, connection: &mut PgConnection, _: Uuid, _: Vec<()>) -> anyhow::Result<()> {
        let show = sqlx::query_scalar("show synchronous_commit");
        self.0.send(show.fetch_one(connection).await?)?;
        Ok(())
    }
}

#[testing::database_test]
async fn a_commit_of_a_follower_waits_for_the_disk(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    let (send, mut settings) = mpsc::unbounded_channel();
    // A server of tests may have another default.
    let options = (*pool.connect_options()).clone().options([("synchronous_commit", "on")]);
    let own = PgPoolOptions::new().connect_lazy_with(options);
    let consumer = PgConsumer::new(own, FEED, Setting(send));
    let following = consume(fixture.client.clone(), "setting", consumer, None);
    fixture.lifecycle.spawn_background("setting", following);
    assert_eq!(settings.recv().await.unwrap(), "on");
}
