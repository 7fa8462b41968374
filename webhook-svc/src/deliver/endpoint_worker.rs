//! Sends the deliveries of one endpoint.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use time::OffsetDateTime;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Shared;
use super::recorder::{FinishedAttempt, Record};
use super::target::{self, Target};
use crate::domain::window::Window;
use crate::http::{AttemptOutcome, AttemptRequest, AttemptResult};
use crate::store::queue::{self, Cursor, DueDelivery};

/// Before every delivery.
const START: Cursor = (OffsetDateTime::UNIX_EPOCH, 0);
/// The worker reads from the start again after this many deliveries, since a transaction that committed late may have inserted some there.
/// Each read from the start skips the dead index entries of everything that was delivered since the last vacuum.
const RESTART: usize = 10_000;
/// A worker ends after this time, so that other due endpoints get a worker.
const TIME_SLICE: Duration = Duration::from_secs(20);
/// Maximum deliveries, in windows, that are in flight or whose results are not recorded yet.
const MAX_UNRECORDED_WINDOWS: usize = 2;
/// Delay before an endpoint is released after an error.
const BACKOFF: Duration = Duration::from_secs(1);

struct EndpointWorker {
    shared: Arc<Shared>,
    endpoint: Uuid,
    records: mpsc::Sender<Record>,
    /// `None`: send nothing more.
    target: Option<Arc<Target>>,
    window: Window,
    /// Read from the database, not sent yet.
    ready: VecDeque<DueDelivery>,
    /// Deliveries that are ready, in flight or not recorded yet.
    pending: HashSet<i64>,
    in_flight: JoinSet<(DueDelivery, AttemptResult, OffsetDateTime)>,
    /// The last delivery that was read, and the number of deliveries read since the start.
    cursor: Cursor,
    read_count: usize,
    /// There may be more deliveries to read.
    has_more: bool,
    /// When the rate limit allows the next delivery.
    next_at: Instant,
    recorded: mpsc::UnboundedSender<i64>,
}

/// Sends the due deliveries of an endpoint that this replica has claimed.
pub(super) async fn run(
    shared: Arc<Shared>,
    endpoint: Uuid,
    reload: Arc<Notify>,
    records: mpsc::Sender<Record>,
    stop: CancellationToken,
) {
    let (recorded, mut recorded_ids) = mpsc::unbounded_channel();
    let mut worker = EndpointWorker {
        window: Window::new(shared.dependencies.limits.per_endpoint),
        shared: Arc::clone(&shared),
        endpoint,
        records,
        target: None,
        ready: VecDeque::new(),
        pending: HashSet::new(),
        in_flight: JoinSet::new(),
        cursor: START,
        read_count: 0,
        has_more: true,
        next_at: Instant::now(),
        recorded,
    };
    if let Err(error) = worker.run(&reload, &mut recorded_ids, &stop).await {
        tracing::warn!(%endpoint, error = format!("{error:#}"), "the worker of an endpoint failed; the endpoint is claimed again later");
        if let Err(error) = worker.finish(&mut recorded_ids).await {
            tracing::warn!(%endpoint, error = format!("{error:#}"), "cannot record attempts; they will be repeated");
        }
        tokio::time::sleep(BACKOFF).await;
    }
}

impl EndpointWorker {
    async fn run(
        &mut self,
        reload: &Notify,
        recorded_ids: &mut mpsc::UnboundedReceiver<i64>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let slice_end = Instant::now() + TIME_SLICE;
        self.reload().await?;
        loop {
            let is_over = stop.is_cancelled() || Instant::now() >= slice_end;
            if is_over {
                self.target = None;
            }
            if self.target.is_none() {
                self.drop_ready();
            }
            while self.may_read() {
                self.read().await?;
            }
            self.send();
            if self.pending.is_empty() && (!self.has_more || self.target.is_none()) {
                return Ok(());
            }
            let is_rate_limited = !self.ready.is_empty() && self.may_send();
            tokio::select! {
                Some(finished) = self.in_flight.join_next() => {
                    let (due, result, at) = finished?;
                    self.finish_attempt(due, result, at).await?;
                    while let Some(finished) = self.in_flight.try_join_next() {
                        let (due, result, at) = finished?;
                        self.finish_attempt(due, result, at).await?;
                    }
                }
                Some(id) = recorded_ids.recv() => {
                    self.pending.remove(&id);
                    while let Ok(id) = recorded_ids.try_recv() {
                        self.pending.remove(&id);
                    }
                }
                () = reload.notified(), if !is_over => self.reload().await?,
                () = sleep_until(self.next_at), if is_rate_limited => {}
                () = sleep_until(slice_end), if !is_over => {}
                () = stop.cancelled(), if !is_over => {}
            }
        }
    }

    /// Waits until everything in flight is recorded, so that it is not sent again.
    async fn finish(
        &mut self,
        recorded_ids: &mut mpsc::UnboundedReceiver<i64>,
    ) -> anyhow::Result<()> {
        while let Some(finished) = self.in_flight.join_next().await {
            let (due, result, at) = finished?;
            self.finish_attempt(due, result, at).await?;
        }
        // Now only unrecorded attempts hold senders of this channel.
        self.recorded = mpsc::unbounded_channel().0;
        while recorded_ids.recv().await.is_some() {}
        Ok(())
    }

    /// Loads the endpoint again, and reads its deliveries from the start.
    async fn reload(&mut self) -> anyhow::Result<()> {
        let dependencies = &self.shared.dependencies;
        let target = target::load(dependencies, self.endpoint).await?;
        self.target = target.map(Arc::new);
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        (self.cursor, self.read_count, self.has_more) = (START, 0, true);
    }

    fn drop_ready(&mut self) {
        for due in self.ready.drain(..) {
            self.pending.remove(&due.id);
        }
    }

    fn may_read(&self) -> bool {
        self.has_more
            && self.target.is_some()
            && self.ready.is_empty()
            && self.in_flight.len() < self.window.size()
    }

    /// Reads the deliveries of the next two windows.
    async fn read(&mut self) -> anyhow::Result<()> {
        let dependencies = &self.shared.dependencies;
        let most = 2 * self.window.size();
        let pending: Vec<i64> = self.pending.iter().copied().collect();
        let read = queue::due(
            &dependencies.pool,
            self.endpoint,
            self.cursor,
            &pending,
            i64::try_from(most)?,
            dependencies.clock.now(),
        )
        .await?;
        self.read_count += read.len();
        match read.last() {
            Some(last) if read.len() == most && self.read_count < RESTART => {
                self.cursor = (last.due_at, last.id);
            }
            Some(_) if self.cursor == START && read.len() < most => self.has_more = false,
            None if self.cursor == START => self.has_more = false,
            _ => self.restart(),
        }
        for due in read {
            self.pending.insert(due.id);
            if due.is_current {
                self.ready.push_back(due);
            } else {
                let record = Record::Cancellation {
                    endpoint: self.endpoint,
                    delivery: due.id,
                    recorded: self.recorded.clone(),
                };
                self.records.send(record).await?;
            }
        }
        Ok(())
    }

    /// Unrecorded attempts are repeated after a crash: their number is bounded, like that of deliveries in flight.
    fn may_send(&self) -> bool {
        let unrecorded = self.pending.len() - self.ready.len();
        self.in_flight.len() < self.window.size()
            && unrecorded < MAX_UNRECORDED_WINDOWS * self.window.size()
    }

    /// Sends ready deliveries, as far as the window and the rate limit allow.
    fn send(&mut self) {
        let Some(target) = &self.target else {
            return;
        };
        let interval = target
            .rate_limit
            .map(|limit| Duration::from_secs(1) / limit);
        while self.may_send() {
            let now = Instant::now();
            if interval.is_some() && now < self.next_at {
                return;
            }
            let Some(due) = self.ready.pop_front() else {
                return;
            };
            self.next_at = self.next_at.max(now) + interval.unwrap_or_default();
            let (shared, target) = (Arc::clone(&self.shared), Arc::clone(target));
            self.in_flight.spawn(async move {
                // The semaphore is never closed.
                let _permit = shared.in_flight.acquire().await;
                let at = shared.dependencies.clock.now();
                let result = post(&shared, &target, &due, at).await;
                (due, result, at)
            });
        }
    }

    /// Adjusts the window and passes the result to the recorder.
    async fn finish_attempt(
        &mut self,
        due: DueDelivery,
        result: AttemptResult,
        at: OffsetDateTime,
    ) -> anyhow::Result<()> {
        match result.outcome {
            AttemptOutcome::Delivered => self.window.grow(),
            AttemptOutcome::Failed => self.window.shrink(),
            // The recorder disables the endpoint.
            AttemptOutcome::Gone => self.target = None,
        }
        let attempt = FinishedAttempt {
            endpoint: self.endpoint,
            due,
            result,
            at,
            recorded: self.recorded.clone(),
        };
        self.records
            .send(Record::Attempt(Box::new(attempt)))
            .await?;
        Ok(())
    }
}

async fn post(
    shared: &Shared,
    target: &Target,
    due: &DueDelivery,
    at: OffsetDateTime,
) -> AttemptResult {
    let (secret, next_secret) = target.secrets(at);
    let attempt = AttemptRequest {
        address: &target.address,
        event: &due.event,
        id: due.message_id,
        at,
        body: Bytes::copy_from_slice(&due.body),
        secret,
        next_secret,
    };
    shared.dependencies.sender.post(attempt).await
}
