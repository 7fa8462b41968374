//! Lets games follow their pages where a command did not finish because its process stopped.

use std::time::Duration;

use kit::Fault;
use kit::feed::Writer;
use kit::jobs::Leader;
use sqlx::PgPool;

use crate::store::pages;
use crate::write::{CommandHandler, follow_page};

const INTERVAL: Duration = Duration::from_mins(1);

/// Adds the job to those of the leader.
pub fn spawn(leader: &Leader, pool: &PgPool, writer: &Writer<CommandHandler>) {
    let (pool, writer) = (pool.clone(), writer.clone());
    leader.spawn_periodic("games follow their pages", INTERVAL, move |_now| {
        let (pool, writer) = (pool.clone(), writer.clone());
        async move { Ok(run(&pool, &writer).await?) }
    });
}

/// Returns the number of pages whose games did not follow.
pub async fn run(pool: &PgPool, writer: &Writer<CommandHandler>) -> Result<u64, Fault> {
    let mut followed = 0;
    for page in pages::with_unfollowing_games(pool).await? {
        match follow_page::finish(writer, page).await {
            Ok(()) => followed += 1,
            // The other pages do not wait for this one.
            Err(error) => {
                tracing::warn!(%error, %page, "games do not follow their page; the job tries again");
            }
        }
    }
    Ok(followed)
}
