//! Ends waits that a clock has set which was ahead: no delivery waits longer than the schedule allows (§6.2).

use std::time::Duration;

use kit::jobs::Leader;

use crate::deliver::DeliveryDependencies;
use crate::store::queue;

const PERIOD: Duration = Duration::from_hours(1);

/// Adds the job to those of the leader.
pub fn spawn(leader: &Leader, dependencies: &DeliveryDependencies) {
    let (pool, wakeup) = (dependencies.pool.clone(), dependencies.wakeup.clone());
    let longest = dependencies.schedule.longest_delay();
    let term = dependencies.limits.lease;
    leader.spawn_periodic("waits of the future", PERIOD, move |now| {
        let (pool, wakeup) = (pool.clone(), wakeup.clone());
        async move {
            let ended = queue::end_future_waits(&pool, now, longest, term).await?;
            wakeup.wake();
            Ok(ended)
        }
    });
}
