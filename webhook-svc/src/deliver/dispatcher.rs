//! Claims endpoints and runs a worker for each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify, mpsc};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::JoinMap;
use uuid::Uuid;

use super::lease::Lease;
use super::recorder::{self, Record};
use super::{Shared, endpoint_worker};
use crate::store::queue::{self, Claim};

/// Leases are renewed, and workers read what has become due since, this many times in the term of a lease.
const RENEWALS: u32 = 3;
/// Polls the queue this often: for deliveries that have become due with time, and in case a wake-up was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum endpoints of one claim.
const CLAIM_LIMIT: usize = 500;
/// Capacity of the channel to the recorders.
const RECORD_QUEUE: usize = 2_000;
/// Recorders: the second one fills its batch while the first one waits for the disk.
const RECORDERS: usize = 2;

/// The endpoint of a worker that has ended, and whether it panicked.
type WorkerEnd = (Uuid, Result<(), JoinError>);

struct Dispatcher {
    shared: Arc<Shared>,
    records: mpsc::Sender<Record>,
    /// By endpoint.
    workers: JoinMap<Uuid, ()>,
    claimed: HashMap<Uuid, ClaimedEndpoint>,
    stop: CancellationToken,
}

/// An endpoint with a worker.
struct ClaimedEndpoint {
    lease: Arc<Lease>,
    /// Makes the worker read its endpoint and its deliveries again.
    reload: Arc<Notify>,
}

impl ClaimedEndpoint {
    /// Another replica has claimed the endpoint: wakes the worker, which ends.
    fn lose(&self) {
        self.lease.lose();
        self.reload.notify_one();
    }
}

/// Delivers until `stopping`, then waits for what is in flight and releases the endpoints.
pub(super) async fn run(shared: Arc<Shared>, stopping: CancellationToken) -> anyhow::Result<()> {
    let (records, received) = mpsc::channel(RECORD_QUEUE);
    let mut dispatcher = Dispatcher {
        shared: Arc::clone(&shared),
        records,
        workers: JoinMap::new(),
        claimed: HashMap::new(),
        stop: stopping.clone(),
    };
    // The recorders end when the dispatcher and the workers have dropped their senders.
    let received = Arc::new(Mutex::new(received));
    let mut recorders = JoinSet::new();
    for _ in 0..RECORDERS {
        recorders.spawn(recorder::run(Arc::clone(&shared), Arc::clone(&received)));
    }
    let delivering = async {
        dispatcher.dispatch().await;
        dispatcher.drain().await;
    };
    tokio::select! {
        () = delivering => {}
        _ = recorders.join_next() => anyhow::bail!("a recorder of attempts ended"),
    }
    drop(dispatcher);
    recorders.join_all().await;
    // Each worker's endpoint is released already, unless its release or the response to its claim was lost.
    let released = async {
        let pool = &shared.pool;
        queue::release_all(pool, shared.holder, shared.read_time(pool).await?).await
    };
    if let Err(error) = shared.with_statement_timeout(released).await {
        tracing::warn!(%error, "cannot release endpoints; their leases will expire");
    }
    Ok(())
}

impl Dispatcher {
    async fn dispatch(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut wakeups = self.shared.wakeup.subscribe();
        let mut renewal = self.renewal();
        while !self.stop.is_cancelled() {
            // Subscribe before reading: a commit between the two is not missed.
            wakeups.mark_unchanged();
            if self.claimed.is_empty() {
                // A claim holds for a whole term. A tick from before it would renew it at once.
                renewal.reset();
            }
            // Boxed, since the futures of its statements are large.
            let claiming = Box::pin(self.claim());
            let may_be_more =
                shared.with_statement_timeout(claiming).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, "cannot claim endpoints");
                    false
                });
            tokio::select! {
                () = self.stop.cancelled() => {}
                _ = wakeups.changed() => {}
                () = std::future::ready(()), if may_be_more => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                _ = renewal.tick(), if !self.claimed.is_empty() => self.renew().await,
                Some(ended) = self.workers.join_next() => self.release(ended).await,
            }
        }
    }

    /// Waits until every worker has recorded what it has in flight. Releases the endpoint of each as soon as it ends, so that another replica
    /// goes on with it, and renews the leases of the others: a result under an expired lease may be dropped, and its delivery sent again.
    async fn drain(&mut self) {
        // Attempts that wait for a permit are not made any more.
        self.shared.in_flight.close();
        let mut renewal = self.renewal();
        while !self.workers.is_empty() {
            tokio::select! {
                Some(ended) = self.workers.join_next() => self.release(ended).await,
                _ = renewal.tick() => self.renew().await,
            }
        }
    }

    fn renewal(&self) -> Interval {
        let mut renewal = interval(self.term() / RENEWALS);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        renewal
    }

    /// How long a lease holds without renewal.
    fn term(&self) -> Duration {
        self.shared.limits.lease
    }

    /// Claims due endpoints. Returns whether more may be due and get a worker.
    async fn claim(&mut self) -> Result<bool, sqlx::Error> {
        let free = self.shared.limits.endpoints.saturating_sub(self.claimed.len());
        let max = free.min(CLAIM_LIMIT);
        if max == 0 {
            return Ok(false);
        }
        let (limit, holder) = (i64::try_from(max).unwrap_or(i64::MAX), self.shared.holder);
        let sent_at = Instant::now();
        let mut connection = self.shared.pool.acquire().await?;
        let now = self.shared.read_time(&mut *connection).await?;
        let claims = queue::claim(&mut connection, holder, limit, now, self.term()).await?;
        drop(connection);
        let is_full = claims.len() == max;
        for claim in claims {
            match self.claimed.get(&claim.endpoint) {
                Some(claimed) if claimed.lease.claim == claim => {
                    claimed.lease.renew(sent_at, self.term());
                    claimed.reload.notify_one();
                }
                // Another replica has had the endpoint since the worker began. When the worker has ended, the endpoint is released, and claimed again.
                Some(claimed) => claimed.lose(),
                None => self.spawn_worker(Lease::new(claim, sent_at, self.term())),
            }
        }
        Ok(is_full)
    }

    fn spawn_worker(&mut self, lease: Lease) {
        let (lease, reload) = (Arc::new(lease), Arc::new(Notify::new()));
        let worker = endpoint_worker::run(
            Arc::clone(&self.shared),
            Arc::clone(&lease),
            Arc::clone(&reload),
            self.records.clone(),
            self.stop.clone(),
        );
        let endpoint = lease.claim.endpoint;
        self.workers.spawn(endpoint, worker);
        self.claimed.insert(endpoint, ClaimedEndpoint { lease, reload });
        metrics::gauge!("webhook_endpoints_claimed").increment(1);
    }

    /// Releases the endpoints of workers that have ended.
    ///
    /// The dispatcher releases, not the worker: otherwise it could claim new work of the endpoint for a worker that no longer reads any.
    async fn release(&mut self, ended: WorkerEnd) {
        let mut endpoints = vec![self.remove_worker(ended)];
        while let Some(ended) = self.workers.try_join_next() {
            endpoints.push(self.remove_worker(ended));
        }
        let (pool, holder) = (&self.shared.pool, self.shared.holder);
        let released = async {
            let now = self.shared.read_time(pool).await?;
            queue::release(pool, holder, &endpoints, now).await
        };
        if let Err(error) = self.shared.with_statement_timeout(released).await {
            tracing::warn!(%error, "cannot release endpoints; their leases will expire");
        }
    }

    /// Returns the endpoint of the worker that has ended.
    fn remove_worker(&mut self, (endpoint, result): WorkerEnd) -> Uuid {
        if let Err(error) = result {
            tracing::error!(%endpoint, %error, "a worker panicked");
        }
        self.claimed.remove(&endpoint);
        metrics::gauge!("webhook_endpoints_claimed").decrement(1);
        endpoint
    }

    /// Renews the leases, and makes the workers read what has become due. Another replica may have claimed an endpoint whose lease expired; its
    /// worker here ends without a release.
    async fn renew(&self) {
        let claims: Vec<Claim> = self.claimed.values().map(|it| it.lease.claim).collect();
        if claims.is_empty() {
            return;
        }
        let (pool, holder) = (&self.shared.pool, self.shared.holder);
        let sent_at = Instant::now();
        let renewed = async {
            let now = self.shared.read_time(pool).await?;
            queue::renew(pool, holder, &claims, now, self.term()).await
        };
        match self.shared.with_statement_timeout(renewed).await {
            Ok(renewed) => {
                let renewed: HashSet<Uuid> = renewed.iter().map(|it| it.endpoint).collect();
                for (endpoint, claimed) in &self.claimed {
                    if renewed.contains(endpoint) {
                        claimed.lease.renew(sent_at, self.term());
                        claimed.reload.notify_one();
                    } else {
                        claimed.lose();
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "cannot renew leases of endpoints"),
        }
    }
}
