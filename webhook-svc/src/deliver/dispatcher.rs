//! Claims endpoints, and runs a lane for each.

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
use super::{Shared, lane};
use crate::store::queue;

/// How often leases are prolonged, and lanes look for what has become due meanwhile.
const RENEWAL: Duration = Duration::from_secs(3);
/// It looks by itself this often, in case a wake-up was lost.
const NET: Duration = Duration::from_secs(1);
/// Endpoints of one claim.
const CLAIM: usize = 500;
/// Tries that wait to be recorded.
const RECORDS: usize = 2_000;

struct Dispatcher {
    shared: Arc<Shared>,
    records: mpsc::Sender<Record>,
    lanes: JoinSet<()>,
    /// Which endpoint a lane is for.
    endpoints: HashMap<Id, Uuid>,
    /// Tells lanes to look again.
    pokes: HashMap<Uuid, Arc<Notify>>,
    stop: CancellationToken,
}

/// Delivers until `stopping`; then waits for what is in flight, and gives its endpoints back.
pub(super) async fn run(shared: Arc<Shared>, stopping: CancellationToken) -> anyhow::Result<()> {
    let (records, received) = mpsc::channel(RECORDS);
    let mut dispatcher = Dispatcher {
        shared: Arc::clone(&shared),
        records,
        lanes: JoinSet::new(),
        endpoints: HashMap::new(),
        pokes: HashMap::new(),
        stop: stopping.clone(),
    };
    // It ends when the dispatcher and the lanes have gone, which hold the other end.
    let mut recorder = JoinSet::new();
    recorder.spawn(recorder::run(Arc::clone(&shared), received));
    tokio::select! {
        () = dispatcher.dispatch() => {}
        _ = recorder.join_next() => anyhow::bail!("the recorder of tries ended"),
    }
    while let Some(ended) = dispatcher.lanes.join_next_with_id().await {
        dispatcher.forget(ended);
    }
    drop(dispatcher);
    recorder.join_all().await;
    let (pool, now) = (&shared.parts.pool, shared.parts.clock.now());
    if let Err(error) = queue::release_all(pool, shared.holder, now).await {
        tracing::warn!(%error, "leases of endpoints are left to run out");
    }
    Ok(())
}

impl Dispatcher {
    async fn dispatch(&mut self) {
        let clock = self.shared.parts.clock.clone();
        let mut news = self.shared.parts.wakeup.subscribe();
        let mut renewal = interval(RENEWAL);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stop.is_cancelled() {
            // Subscribe first, then look: what is committed in between is not missed.
            news.mark_unchanged();
            let next = self.claim().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "endpoints cannot be claimed");
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
                _ = news.changed() => {}
                () = due => {}
                () = tokio::time::sleep(NET) => {}
                _ = renewal.tick() => self.renew().await,
                Some(ended) = self.lanes.join_next_with_id() => self.release(ended).await,
            }
        }
    }

    /// Claims what is due; when the next endpoint is, or now if there may be more.
    async fn claim(&mut self) -> Result<Option<OffsetDateTime>, sqlx::Error> {
        let parts = &self.shared.parts;
        let now = parts.clock.now();
        let free = parts.limits.endpoints.saturating_sub(self.pokes.len());
        let most = free.min(CLAIM);
        if most == 0 {
            return Ok(None);
        }
        let wanted = i64::try_from(most).unwrap_or(i64::MAX);
        let claimed = queue::claim(&parts.pool, self.shared.holder, wanted, now).await?;
        let is_full = claimed.len() == most;
        let next = if is_full {
            Some(now)
        } else {
            queue::next(&parts.pool, now).await?
        };
        for endpoint in claimed {
            match self.pokes.get(&endpoint) {
                Some(poke) => poke.notify_one(),
                None => self.open(endpoint),
            }
        }
        Ok(next)
    }

    fn open(&mut self, endpoint: Uuid) {
        let poke = Arc::new(Notify::new());
        let lane = lane::run(
            Arc::clone(&self.shared),
            endpoint,
            Arc::clone(&poke),
            self.records.clone(),
            self.stop.clone(),
        );
        let task = self.lanes.spawn(lane);
        self.endpoints.insert(task.id(), endpoint);
        self.pokes.insert(endpoint, poke);
    }

    /// Gives back the endpoints of lanes that have ended.
    ///
    /// The lanes do not do so themselves: a claim of this replica in between would take a mark of new work for known to a lane that does not
    /// look any more.
    async fn release(&mut self, ended: Result<(Id, ()), JoinError>) {
        let mut endpoints = Vec::new();
        endpoints.extend(self.forget(ended));
        while let Some(ended) = self.lanes.try_join_next_with_id() {
            endpoints.extend(self.forget(ended));
        }
        let (parts, holder) = (&self.shared.parts, self.shared.holder);
        let released = queue::release(&parts.pool, holder, &endpoints, parts.clock.now());
        if let Err(error) = released.await {
            tracing::warn!(%error, "leases of endpoints are left to run out");
        }
    }

    /// The endpoint whose lane has ended.
    fn forget(&mut self, ended: Result<(Id, ()), JoinError>) -> Option<Uuid> {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                tracing::error!(%error, "a lane ended badly");
                error.id()
            }
        };
        let endpoint = self.endpoints.remove(&id)?;
        self.pokes.remove(&endpoint);
        Some(endpoint)
    }

    /// Prolongs the leases, and has the lanes look for what has become due. A lane whose lease has passed on finds nothing to release.
    async fn renew(&self) {
        let held: Vec<Uuid> = self.pokes.keys().copied().collect();
        if held.is_empty() {
            return;
        }
        let (parts, now) = (&self.shared.parts, self.shared.parts.clock.now());
        match queue::renew(&parts.pool, self.shared.holder, &held, now).await {
            Ok(still) => {
                let lost = held.len() - still.len();
                if lost > 0 {
                    tracing::warn!(lost, "leases of endpoints have passed on");
                }
                let pokes = still.iter().filter_map(|id| self.pokes.get(id));
                pokes.for_each(|poke| poke.notify_one());
            }
            Err(error) => tracing::warn!(%error, "leases of endpoints cannot be prolonged"),
        }
    }
}
