//! Lets games follow their pages where a command did not finish because its process stopped.

use std::sync::Arc;
use std::time::Duration;

use kit::Fault;
use kit::jobs::Leader;
use sqlx::PgPool;

use crate::store::pages;
use crate::write::{CommandDependencies, follow_page};

const INTERVAL: Duration = Duration::from_mins(1);

/// Adds the job to those of the leader.
pub fn spawn(leader: &Leader, pool: &PgPool, commands: &Arc<CommandDependencies>) {
    let (pool, commands) = (pool.clone(), Arc::clone(commands));
    leader.spawn_periodic("games follow their pages", INTERVAL, move |_now| {
        let (pool, commands) = (pool.clone(), Arc::clone(&commands));
        async move { Ok(run(&pool, &commands).await?) }
    });
}

/// Returns the number of pages whose games did not follow.
pub async fn run(pool: &PgPool, commands: &CommandDependencies) -> Result<u64, Fault> {
    let mut followed = 0;
    for page in pages::with_unfollowing_games(pool).await? {
        match follow_page::finish(commands, page).await {
            Ok(()) => followed += 1,
            // The other pages do not wait for this one.
            Err(error) => {
                tracing::warn!(%error, %page, "games do not follow their page; the job tries again");
            }
        }
    }
    Ok(followed)
}
