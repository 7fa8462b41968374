//! Claims endpoints and runs a worker for each.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::{Notify, mpsc};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::recorder::{self, Record};
use super::{Shared, endpoint_worker};
use crate::store::queue;

/// How often leases are renewed, and workers read what has become due since.
const LEASE_RENEWAL: Duration = Duration::from_secs(3);
/// Polls the queue this often, in case a wake-up was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum endpoints of one claim.
const CLAIM_LIMIT: usize = 500;
/// Capacity of the channel to the recorder.
const RECORD_QUEUE: usize = 2_000;

struct Dispatcher {
    shared: Arc<Shared>,
    records: mpsc::Sender<Record>,
    workers: JoinSet<()>,
    /// The endpoint of each worker.
    endpoints: HashMap<Id, Uuid>,
    /// Makes workers read their endpoint and its deliveries again.
    reloads: HashMap<Uuid, Arc<Notify>>,
    stop: CancellationToken,
}

/// Delivers until `stopping`, then waits for what is in flight and releases the endpoints.
pub(super) async fn run(shared: Arc<Shared>, stopping: CancellationToken) -> anyhow::Result<()> {
    let (records, received) = mpsc::channel(RECORD_QUEUE);
    let mut dispatcher = Dispatcher {
        shared: Arc::clone(&shared),
        records,
        workers: JoinSet::new(),
        endpoints: HashMap::new(),
        reloads: HashMap::new(),
        stop: stopping.clone(),
    };
    // The recorder ends when the dispatcher and the workers have dropped their senders.
    let mut recorder = JoinSet::new();
    recorder.spawn(recorder::run(Arc::clone(&shared), received));
    tokio::select! {
        () = dispatcher.dispatch() => {}
        _ = recorder.join_next() => anyhow::bail!("the recorder of attempts ended"),
    }
    while let Some(ended) = dispatcher.workers.join_next_with_id().await {
        dispatcher.remove_worker(ended);
    }
    drop(dispatcher);
    recorder.join_all().await;
    let (pool, now) = (&shared.dependencies.pool, shared.dependencies.clock.now());
    if let Err(error) = queue::release_all(pool, shared.holder, now).await {
        tracing::warn!(%error, "cannot release endpoints; their leases will expire");
    }
    Ok(())
}

impl Dispatcher {
    async fn dispatch(&mut self) {
        let clock = self.shared.dependencies.clock.clone();
        let mut wakeups = self.shared.dependencies.wakeup.subscribe();
        let mut renewal = interval(LEASE_RENEWAL);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stop.is_cancelled() {
            // Subscribe before reading: a commit between the two is not missed.
            wakeups.mark_unchanged();
            let next = self.claim().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot claim endpoints");
                None
            });
            let due = async {
                match next {
                    Some(at) => clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => {}
                _ = wakeups.changed() => {}
                () = due => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                _ = renewal.tick() => self.renew().await,
                Some(ended) = self.workers.join_next_with_id() => self.release(ended).await,
            }
        }
    }

    /// Claims due endpoints. Returns when the next endpoint is due: now, if more may be due already.
    async fn claim(&mut self) -> Result<Option<OffsetDateTime>, sqlx::Error> {
        let dependencies = &self.shared.dependencies;
        let now = dependencies.clock.now();
        let free = dependencies
            .limits
            .endpoints
            .saturating_sub(self.reloads.len());
        let most = free.min(CLAIM_LIMIT);
        if most == 0 {
            return Ok(None);
        }
        let wanted = i64::try_from(most).unwrap_or(i64::MAX);
        let claimed = queue::claim(&dependencies.pool, self.shared.holder, wanted, now).await?;
        let is_full = claimed.len() == most;
        let next = if is_full {
            Some(now)
        } else {
            queue::next(&dependencies.pool, now).await?
        };
        for endpoint in claimed {
            match self.reloads.get(&endpoint) {
                Some(reload) => reload.notify_one(),
                None => self.spawn_worker(endpoint),
            }
        }
        Ok(next)
    }

    fn spawn_worker(&mut self, endpoint: Uuid) {
        let reload = Arc::new(Notify::new());
        let worker = endpoint_worker::run(
            Arc::clone(&self.shared),
            endpoint,
            Arc::clone(&reload),
            self.records.clone(),
            self.stop.clone(),
        );
        let task = self.workers.spawn(worker);
        self.endpoints.insert(task.id(), endpoint);
        self.reloads.insert(endpoint, reload);
    }

    /// Releases the endpoints of workers that have ended.
    ///
    /// The dispatcher releases, not the worker: otherwise it could claim new work of the endpoint for a worker that no longer reads any.
    async fn release(&mut self, ended: Result<(Id, ()), JoinError>) {
        let mut endpoints = Vec::new();
        endpoints.extend(self.remove_worker(ended));
        while let Some(ended) = self.workers.try_join_next_with_id() {
            endpoints.extend(self.remove_worker(ended));
        }
        let (dependencies, holder) = (&self.shared.dependencies, self.shared.holder);
        let released = queue::release(
            &dependencies.pool,
            holder,
            &endpoints,
            dependencies.clock.now(),
        );
        if let Err(error) = released.await {
            tracing::warn!(%error, "cannot release endpoints; their leases will expire");
        }
    }

    /// Returns the endpoint of the worker that has ended.
    fn remove_worker(&mut self, ended: Result<(Id, ()), JoinError>) -> Option<Uuid> {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                tracing::error!(%error, "a worker panicked");
                error.id()
            }
        };
        let endpoint = self.endpoints.remove(&id)?;
        self.reloads.remove(&endpoint);
        Some(endpoint)
    }

    /// Renews the leases, and makes the workers read what has become due. Another replica may have claimed an endpoint whose lease expired; its
    /// worker here ends without a release.
    async fn renew(&self) {
        let claimed: Vec<Uuid> = self.reloads.keys().copied().collect();
        if claimed.is_empty() {
            return;
        }
        let (dependencies, now) = (
            &self.shared.dependencies,
            self.shared.dependencies.clock.now(),
        );
        match queue::renew(&dependencies.pool, self.shared.holder, &claimed, now).await {
            Ok(renewed) => {
                let lost = claimed.len() - renewed.len();
                if lost > 0 {
                    tracing::warn!(
                        lost,
                        "leases expired, and other replicas claimed the endpoints"
                    );
                }
                let reloads = renewed.iter().filter_map(|id| self.reloads.get(id));
                reloads.for_each(|reload| reload.notify_one());
            }
            Err(error) => tracing::warn!(%error, "cannot renew leases of endpoints"),
        }
    }
}
