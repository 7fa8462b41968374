//! Sends the deliveries of one endpoint.
//!
//! The worker sends nothing (`target` is `None`) while the endpoint is removed, paused or off, and after it has answered 410. It stops for good
//! when its time slice is over, the lease may have ended, or the replica stops. It ends when nothing more can be sent and everything in flight is
//! recorded.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use kit::telemetry;
use kit::throttle::Throttle;
use time::OffsetDateTime;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::Shared;
use super::attempt::{self, DeliveryAttempt};
use super::lease::Lease;
use super::pages::{self, DueDelivery};
use super::recorder::{Outcome, Record};
use super::target::{self, Target};
use crate::domain::window::Window;
use crate::http::AttemptOutcome;
use crate::store::listings::ListingState;
use crate::store::waiting::{self, Cursor};

/// Before every delivery.
const START: Cursor = (OffsetDateTime::UNIX_EPOCH, 0);
/// The worker reads from the start again after this many deliveries, since a transaction that committed late may have inserted some there.
/// Each read from the start skips the dead index entries of everything that was delivered since the last vacuum.
const RESTART: usize = 10_000;
/// Deliveries of a page, in windows. A slow endpoint holds few.
const PAGE_WINDOWS: usize = 8;
/// A worker ends after this time, so that other due endpoints get a worker.
const TIME_SLICE: Duration = Duration::from_secs(20);
/// Maximum deliveries, in windows, that are in flight or whose results are not recorded yet.
const MAX_UNRECORDED_WINDOWS: usize = 2;
/// Delay before an endpoint is released after an error.
const BACKOFF: Duration = Duration::from_secs(1);
/// A delivery that waits for its listing is due again after this delay.
const LISTING_DELAY: Duration = Duration::from_mins(1);

/// Why a delivery is cancelled, for the owner of the endpoint.
const NOT_PUBLISHED: &str = "The listing is no longer published.";
const ONLY_TEST_EVENTS: &str = "The account's plan has only test events.";

/// Logged once a minute: without PostgreSQL, the workers of all endpoints fail.
static FAILURES: Throttle = Throttle::new();

struct EndpointWorker {
    shared: Arc<Shared>,
    lease: Arc<Lease>,
    records: mpsc::Sender<Record>,
    /// `None`: send nothing more.
    target: Option<Arc<Target>>,
    window: Window,
    /// Read from the database, not sent yet.
    ready: VecDeque<DueDelivery>,
    /// Deliveries that are ready, in flight or not recorded yet: a page may have them again.
    known: HashSet<i64>,
    in_flight: JoinSet<DeliveryAttempt>,
    /// After which delivery the next page begins; `None`: there is no more to read.
    next_page: Option<Cursor>,
    /// The number of deliveries read since the start.
    read_count: usize,
    /// Goes to the recorder with each result, and brings back the ids of recorded deliveries.
    acknowledge: mpsc::UnboundedSender<i64>,
}

/// Sends the due deliveries of an endpoint that this replica has claimed.
pub(super) async fn run(
    shared: Arc<Shared>,
    lease: Arc<Lease>,
    reload: Arc<Notify>,
    records: mpsc::Sender<Record>,
    stop: CancellationToken,
) {
    let (acknowledge, mut acknowledged) = mpsc::unbounded_channel();
    let endpoint = lease.claim.endpoint;
    let mut worker = EndpointWorker {
        window: Window::new(shared.limits.per_endpoint),
        shared: Arc::clone(&shared),
        lease,
        records,
        target: None,
        ready: VecDeque::new(),
        known: HashSet::new(),
        in_flight: JoinSet::new(),
        next_page: Some(START),
        read_count: 0,
        acknowledge,
    };
    if let Err(error) = worker.run(&reload, &mut acknowledged, &stop).await {
        if FAILURES.admits() {
            tracing::error!(%endpoint, error = format!("{error:#}"), "the worker of an endpoint failed; the endpoint is claimed again later");
        }
        if let Err(error) = worker.finish(&mut acknowledged).await {
            tracing::warn!(%endpoint, error = format!("{error:#}"), "cannot record attempts; they will be repeated");
        }
        tokio::time::sleep(BACKOFF).await;
    }
}

impl EndpointWorker {
    async fn run(
        &mut self,
        reload: &Notify,
        acknowledged: &mut mpsc::UnboundedReceiver<i64>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let slice_end = Instant::now() + TIME_SLICE;
        let mut is_over = false;
        self.reload().await?;
        loop {
            is_over = is_over || self.is_over(slice_end, stop);
            if is_over {
                self.stop_sending();
            }
            self.read_page().await?;
            self.send();
            let is_idle = self.known.is_empty();
            let is_done = is_idle && (self.next_page.is_none() || self.target.is_none());
            if is_idle && !is_done {
                continue;
            }
            if is_done {
                return Ok(());
            }
            tokio::select! {
                Some(finished) = self.in_flight.join_next() => {
                    self.finish_attempt(finished?).await?;
                    while let Some(finished) = self.in_flight.try_join_next() {
                        self.finish_attempt(finished?).await?;
                    }
                }
                Some(id) = acknowledged.recv() => {
                    self.forget(id);
                    while let Ok(id) = acknowledged.try_recv() {
                        self.forget(id);
                    }
                }
                () = reload.notified(), if !is_over => self.reload().await?,
                () = sleep_until(slice_end.min(self.lease.until())), if !is_over => {}
                () = stop.cancelled(), if !is_over => {}
            }
        }
    }

    fn is_over(&self, slice_end: Instant, stop: &CancellationToken) -> bool {
        let is_lost = !self.lease.is_alive();
        if is_lost {
            let endpoint = self.lease.claim.endpoint;
            tracing::warn!(%endpoint, "the lease of an endpoint has ended; nothing more is sent to it");
            metrics::counter!("webhook_leases_lost_total").increment(1);
        }
        is_lost || stop.is_cancelled() || Instant::now() >= slice_end
    }

    /// Waits until everything in flight is recorded, so that it is not sent again.
    async fn finish(
        &mut self,
        acknowledged: &mut mpsc::UnboundedReceiver<i64>,
    ) -> anyhow::Result<()> {
        while let Some(finished) = self.in_flight.join_next().await {
            self.finish_attempt(finished?).await?;
        }
        // Now only unrecorded attempts hold senders of this channel.
        self.acknowledge = mpsc::unbounded_channel().0;
        while acknowledged.recv().await.is_some() {}
        Ok(())
    }

    /// Loads the endpoint again, checks the deliveries that are ready, and reads the others from the start.
    async fn reload(&mut self) -> anyhow::Result<()> {
        let shared = Arc::clone(&self.shared);
        let loading = target::load(&shared, self.lease.claim.endpoint);
        let target = shared.with_statement_timeout(loading).await?;
        self.restart();
        let Some(target) = target else {
            self.stop_sending();
            return Ok(());
        };
        self.target = Some(Arc::new(target));
        let mut ready: Vec<DueDelivery> = std::mem::take(&mut self.ready).into();
        let checked = pages::check_listings(&shared.pool, &mut ready, shared.now());
        shared.with_statement_timeout(checked).await?;
        self.enqueue(ready).await
    }

    /// Makes deliveries ready to be sent. One whose listing is not public, or that the account's plan does not include, is cancelled. One whose
    /// listing may become public soon waits for it.
    async fn enqueue(&mut self, deliveries: Vec<DueDelivery>) -> anyhow::Result<()> {
        let has_real_events = self.target.as_ref().is_some_and(|it| it.has_real_events);
        let now = self.shared.now();
        let mut early = Vec::new();
        for due in deliveries {
            let reason = match due.listing {
                ListingState::Awaited => {
                    self.forget(due.id);
                    early.push(due.id);
                    continue;
                }
                ListingState::Unpublished => NOT_PUBLISHED,
                ListingState::Published if !has_real_events && !due.message.is_test => {
                    ONLY_TEST_EVENTS
                }
                ListingState::Published => {
                    self.ready.push_back(due);
                    continue;
                }
            };
            self.record(due, Outcome::Cancelled(reason)).await?;
        }
        self.postpone(&early, now + LISTING_DELAY).await
    }

    async fn postpone(&self, ids: &[i64], until: OffsetDateTime) -> anyhow::Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let (pool, holder) = (&self.shared.pool, self.shared.holder);
        let postponed = waiting::postpone(pool, holder, self.lease.claim, ids, until);
        Ok(self.shared.with_statement_timeout(postponed).await?)
    }

    /// Makes the next page the first one again.
    fn restart(&mut self) {
        (self.next_page, self.read_count) = (Some(START), 0);
    }

    /// What is ready stays in the database.
    fn stop_sending(&mut self) {
        self.target = None;
        for due in std::mem::take(&mut self.ready) {
            self.known.remove(&due.id);
        }
    }

    /// A delivery is recorded, or was not attempted: a later page may have it again.
    fn forget(&mut self, id: i64) {
        self.known.remove(&id);
    }

    /// The number of deliveries in flight or not recorded yet.
    fn unrecorded(&self) -> usize {
        self.known.len() - self.ready.len()
    }

    /// Reads the next page when few deliveries are ready. During the read, attempts go on, and recorded deliveries stay known: the page may have them.
    async fn read_page(&mut self) -> anyhow::Result<()> {
        let Some(after) = self.next_page else {
            return Ok(());
        };
        if self.target.is_none() || self.ready.len() >= self.window.size() {
            return Ok(());
        }
        let (pool, endpoint) = (&self.shared.pool, self.lease.claim.endpoint);
        let now = self.shared.now();
        let limit = PAGE_WINDOWS * self.window.size();
        let reading = pages::read(pool, &self.shared.messages, endpoint, after, limit, now);
        let page = self.shared.with_statement_timeout(reading).await?;
        self.read_count += page.deliveries.len();
        match page.end {
            Some(end) if !page.is_last && self.read_count < RESTART => self.next_page = Some(end),
            _ if after == START && page.is_last => self.next_page = None,
            _ => self.restart(),
        }
        let mut new = page.deliveries;
        new.retain(|due| self.known.insert(due.id));
        self.enqueue(new).await
    }

    /// Unrecorded attempts are repeated after a crash: their number is bounded, like that of deliveries in flight.
    fn may_send(&self) -> bool {
        self.in_flight.len() < self.window.size()
            && self.unrecorded() < MAX_UNRECORDED_WINDOWS * self.window.size()
    }

    /// Sends ready deliveries, as far as the window allows.
    fn send(&mut self) {
        let Some(target) = &self.target else {
            return;
        };
        while self.may_send() {
            let Some(due) = self.ready.pop_front() else {
                return;
            };
            let (shared, target) = (Arc::clone(&self.shared), Arc::clone(target));
            let lease = Arc::clone(&self.lease);
            let span = telemetry::root_span(|| {
                tracing::info_span!(
                    "webhook attempt",
                    webhook.endpoint = %lease.claim.endpoint,
                    webhook.message = %due.message.id,
                    webhook.event = due.message.event,
                    webhook.attempt = due.attempts + 1,
                )
            });
            let attempt = async move { attempt::run(&shared, &lease, &target, due).await };
            self.in_flight.spawn(attempt.instrument(span));
        }
    }

    /// Adjusts the window and passes the result to the recorder.
    async fn finish_attempt(&mut self, (due, attempt): DeliveryAttempt) -> anyhow::Result<()> {
        // Without an attempt, the delivery still waits in the database.
        let Some(attempt) = attempt else {
            self.forget(due.id);
            return Ok(());
        };
        match attempt.result.outcome {
            AttemptOutcome::Delivered => self.window.grow(),
            AttemptOutcome::Failed => self.window.shrink(),
            // The recorder disables the endpoint, unless it has another address now.
            AttemptOutcome::Gone => {
                let target = self.target.as_ref();
                if target.is_some_and(|target| target.url == attempt.url) {
                    self.stop_sending();
                }
            }
        }
        self.record(due, Outcome::Attempt(attempt)).await
    }

    async fn record(&self, due: DueDelivery, outcome: Outcome) -> anyhow::Result<()> {
        let record =
            Record { claim: self.lease.claim, due, outcome, acknowledge: self.acknowledge.clone() };
        Ok(self.records.send(record).await?)
    }
}
