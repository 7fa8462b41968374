//! The deliveries of one endpoint.

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
use super::recorder::{Record, Tried};
use super::target::{self, Target};
use crate::domain::window::Window;
use crate::http::{Answer, Attempt, Outcome};
use crate::store::queue::{self, DueDelivery, Place};

/// Before every delivery.
const BEGINNING: Place = (OffsetDateTime::UNIX_EPOCH, 0);
/// After so many deliveries it reads from the beginning again, where those of a transaction may stand that was committed late. Reading from there
/// each time would pass over all that has been delivered until PostgreSQL has cleaned up.
const RESTART: usize = 10_000;
/// How long it works on an endpoint at a time, so that there is a turn for each when more are due than are worked on at once.
const TURN: Duration = Duration::from_secs(20);
/// Windows of deliveries that are in flight, or whose tries wait to be recorded.
const UNRECORDED: usize = 2;
/// Pause before an endpoint that cannot be worked on is given back.
const PAUSE: Duration = Duration::from_secs(1);

struct Lane {
    shared: Arc<Shared>,
    endpoint: Uuid,
    records: mpsc::Sender<Record>,
    /// `None`: nothing is to be sent.
    target: Option<Arc<Target>>,
    window: Window,
    /// Read, and not yet sent.
    ready: VecDeque<DueDelivery>,
    /// Ready, in flight, or not yet recorded: not to be read again.
    held: HashSet<i64>,
    in_flight: JoinSet<(DueDelivery, Answer, OffsetDateTime)>,
    /// Up to where deliveries were read, and how many since the beginning.
    place: Place,
    read: usize,
    /// There may be more to read.
    more: bool,
    /// When the rate allows the next one.
    next_at: Instant,
    recorded: mpsc::UnboundedSender<i64>,
}

/// Sends what is due to an endpoint that this replica holds.
pub(super) async fn run(
    shared: Arc<Shared>,
    endpoint: Uuid,
    poke: Arc<Notify>,
    records: mpsc::Sender<Record>,
    stop: CancellationToken,
) {
    let (recorded, mut is_recorded) = mpsc::unbounded_channel();
    let mut lane = Lane {
        window: Window::new(shared.parts.limits.per_endpoint),
        shared: Arc::clone(&shared),
        endpoint,
        records,
        target: None,
        ready: VecDeque::new(),
        held: HashSet::new(),
        in_flight: JoinSet::new(),
        place: BEGINNING,
        read: 0,
        more: true,
        next_at: Instant::now(),
        recorded,
    };
    if let Err(error) = lane.run(&poke, &mut is_recorded, &stop).await {
        tracing::warn!(%endpoint, error = format!("{error:#}"), "an endpoint is given back for a while");
        if let Err(error) = lane.finish(&mut is_recorded).await {
            tracing::warn!(%endpoint, error = format!("{error:#}"), "tries of an endpoint are lost, and made again");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

impl Lane {
    async fn run(
        &mut self,
        poke: &Notify,
        is_recorded: &mut mpsc::UnboundedReceiver<i64>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let turn = Instant::now() + TURN;
        self.look().await?;
        loop {
            let is_over = stop.is_cancelled() || Instant::now() >= turn;
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
            if self.held.is_empty() && (!self.more || self.target.is_none()) {
                return Ok(());
            }
            let is_paced = !self.ready.is_empty() && self.may_send();
            tokio::select! {
                Some(sent) = self.in_flight.join_next() => {
                    let (due, answer, at) = sent?;
                    self.sent(due, answer, at).await?;
                    while let Some(sent) = self.in_flight.try_join_next() {
                        let (due, answer, at) = sent?;
                        self.sent(due, answer, at).await?;
                    }
                }
                Some(id) = is_recorded.recv() => {
                    self.held.remove(&id);
                    while let Ok(id) = is_recorded.try_recv() {
                        self.held.remove(&id);
                    }
                }
                () = poke.notified(), if !is_over => self.look().await?,
                () = sleep_until(self.next_at), if is_paced => {}
                () = sleep_until(turn), if !is_over => {}
                () = stop.cancelled(), if !is_over => {}
            }
        }
    }

    /// Waits until what is in flight is recorded, so that it does not come again.
    async fn finish(
        &mut self,
        is_recorded: &mut mpsc::UnboundedReceiver<i64>,
    ) -> anyhow::Result<()> {
        while let Some(sent) = self.in_flight.join_next().await {
            let (due, answer, at) = sent?;
            self.sent(due, answer, at).await?;
        }
        // From now on only tries that wait to be recorded hold the other end.
        self.recorded = mpsc::unbounded_channel().0;
        while is_recorded.recv().await.is_some() {}
        Ok(())
    }

    /// Looks at the endpoint again, and at its deliveries from the beginning.
    async fn look(&mut self) -> anyhow::Result<()> {
        let parts = &self.shared.parts;
        let target = target::load(parts, self.endpoint).await?;
        self.target = target.map(Arc::new);
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        (self.place, self.read, self.more) = (BEGINNING, 0, true);
    }

    fn drop_ready(&mut self) {
        for due in self.ready.drain(..) {
            self.held.remove(&due.id);
        }
    }

    fn may_read(&self) -> bool {
        self.more
            && self.target.is_some()
            && self.ready.is_empty()
            && self.in_flight.len() < self.window.size()
    }

    /// Reads as many deliveries as will soon be sent.
    async fn read(&mut self) -> anyhow::Result<()> {
        let parts = &self.shared.parts;
        let most = 2 * self.window.size();
        let held: Vec<i64> = self.held.iter().copied().collect();
        let read = queue::due(
            &parts.pool,
            self.endpoint,
            self.place,
            &held,
            i64::try_from(most)?,
            parts.clock.now(),
        )
        .await?;
        self.read += read.len();
        match read.last() {
            Some(last) if read.len() == most && self.read < RESTART => {
                self.place = (last.due_at, last.id);
            }
            Some(_) if self.place == BEGINNING && read.len() < most => self.more = false,
            None if self.place == BEGINNING => self.more = false,
            _ => self.restart(),
        }
        for due in read {
            self.held.insert(due.id);
            if due.is_current {
                self.ready.push_back(due);
            } else {
                let record = Record::Cancelled {
                    endpoint: self.endpoint,
                    delivery: due.id,
                    recorded: self.recorded.clone(),
                };
                self.records.send(record).await?;
            }
        }
        Ok(())
    }

    /// What is not recorded yet comes again when this replica dies, so that is bounded as well.
    fn may_send(&self) -> bool {
        let unrecorded = self.held.len() - self.ready.len();
        self.in_flight.len() < self.window.size() && unrecorded < UNRECORDED * self.window.size()
    }

    /// Sends what is ready, as far as window and rate allow.
    fn send(&mut self) {
        let Some(target) = &self.target else {
            return;
        };
        let pace = target
            .rate_limit
            .map(|limit| Duration::from_secs(1) / limit);
        while self.may_send() {
            let now = Instant::now();
            if pace.is_some() && now < self.next_at {
                return;
            }
            let Some(due) = self.ready.pop_front() else {
                return;
            };
            self.next_at = self.next_at.max(now) + pace.unwrap_or_default();
            let (shared, target) = (Arc::clone(&self.shared), Arc::clone(target));
            self.in_flight.spawn(async move {
                // The semaphore is never closed.
                let _permit = shared.in_flight.acquire().await;
                let at = shared.parts.clock.now();
                let answer = post(&shared, &target, &due, at).await;
                (due, answer, at)
            });
        }
    }

    /// Has a try recorded.
    async fn sent(
        &mut self,
        due: DueDelivery,
        answer: Answer,
        at: OffsetDateTime,
    ) -> anyhow::Result<()> {
        match answer.outcome {
            Outcome::Delivered => self.window.grow(),
            Outcome::Failed => self.window.shrink(),
            // It is switched off when the try is recorded.
            Outcome::Gone => self.target = None,
        }
        let tried = Tried {
            endpoint: self.endpoint,
            due,
            answer,
            at,
            recorded: self.recorded.clone(),
        };
        self.records.send(Record::Tried(Box::new(tried))).await?;
        Ok(())
    }
}

async fn post(shared: &Shared, target: &Target, due: &DueDelivery, at: OffsetDateTime) -> Answer {
    let (secret, next_secret) = target.secrets(at);
    let attempt = Attempt {
        address: &target.address,
        event: &due.event,
        id: due.message_id,
        at,
        body: Bytes::copy_from_slice(&due.body),
        secret,
        next_secret,
    };
    shared.parts.sender.post(attempt).await
}
