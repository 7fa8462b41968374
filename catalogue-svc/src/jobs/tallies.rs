//! Adds votes up as they come.

use std::time::Duration;

use anyhow::Context as _;
use kit::feed::Producer;
use kit::jobs::Leader;
use kit::wakeup::CatchUp;
use sqlx::PgPool;
use tokio::time::timeout;

use crate::feeds::votes;

/// Between two times at least: votes that come together are added up together.
const PAUSE: Duration = Duration::from_secs(1);
/// At most.
const PERIOD: Duration = Duration::from_secs(10);
/// How long adding up may take. A statement that PostgreSQL never answers would otherwise hold the job for ever: the lease of the
/// leader is renewed over other connections.
const FOLD_TIMEOUT: Duration = Duration::from_mins(10);

/// Adds the job to those of the leader.
pub(crate) fn spawn(leader: &Leader, pool: &PgPool, producer: &Producer) {
    let (pool, producer) = (pool.clone(), producer.clone());
    leader.spawn("tallies", move || {
        let (pool, wakeups) = (pool.clone(), producer.subscribe());
        let catch_up = CatchUp {
            rows: "the tallies of votes",
            meanwhile: "the boards stay as they are",
            poll: PERIOD,
            debounce: PAUSE,
        };
        let mut catch_up = catch_up.on(wakeups);
        async move {
            loop {
                catch_up.begin();
                let folded = timeout(FOLD_TIMEOUT, votes::fold(&pool)).await;
                let folded = folded.context("PostgreSQL does not answer").flatten();
                catch_up.end(folded).await?;
            }
        }
    });
}
