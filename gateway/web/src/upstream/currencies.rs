//! economy-svc: the currencies of games, for public pages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::economy::v1::ListCurrenciesRequest;
use contracts::public::Currency;
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use kit::overload::{ConcurrencyLimit, Permit};
use kit::rpc::client::Client;
use kit::{Code, Fault, Lifecycle};
use time::OffsetDateTime;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::call::Calls;
use super::rates::RatePage;

/// How long the currencies are used before they are read again.
const AGE: time::Duration = time::Duration::seconds(10);
/// How long old currencies are used while they cannot be read.
const MAX_AGE: time::Duration = time::Duration::minutes(5);
/// The pause after a failed read.
const RETRY: time::Duration = time::Duration::SECOND;
/// How long rates wait for their course.
const COURSE_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a call waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(1);

/// The client, with all currencies in memory, since a page of a game needs one of perhaps thousands. All other calls of public pages share
/// a limit of concurrent calls.
#[derive(Debug, Clone)]
pub struct Currencies {
    pub(super) calls: Calls,
    pub game_timeout: Duration,
    pub course_timeout: Duration,
    limit: Arc<ConcurrencyLimit>,
    state: Arc<Mutex<State>>,
    lifecycle: Lifecycle,
}

/// The currency of a game and the first of its rates, if there is another currency.
#[derive(Debug)]
pub struct GameCurrency {
    pub currency: Currency,
    pub rates: Result<RatePage, Fault>,
}

/// A future that completes when a read has ended.
type Reading = Shared<BoxFuture<'static, ()>>;

#[derive(Debug, Default)]
struct State {
    /// By the slugs of their games, with the time at which their read began; absent before the first one.
    list: Option<(Arc<[Currency]>, OffsetDateTime)>,
    /// When the last read began.
    tried_at: Option<OffsetDateTime>,
    /// The read that is running.
    reading: Option<Reading>,
}

impl State {
    /// Whether the list should be read now. Without a list, every page that needs it begins a read.
    fn is_due(&self, now: OffsetDateTime) -> bool {
        let Some((_, read_at)) = self.list else {
            return true;
        };
        let is_over = |since: OffsetDateTime, most| (now - since).abs() >= most;
        is_over(read_at, AGE) && self.tried_at.is_none_or(|at| is_over(at, RETRY))
    }

    /// The list, if it is not too old to be shown.
    fn usable(&self, now: OffsetDateTime) -> Option<Arc<[Currency]>> {
        let (list, read_at) = self.list.as_ref()?;
        ((now - *read_at).abs() < MAX_AGE).then(|| Arc::clone(list))
    }
}

/// The currency of a game.
pub fn find<'c>(currencies: &'c [Currency], slug: &str) -> Option<&'c Currency> {
    let found = currencies.binary_search_by(|currency| currency.slug.as_str().cmp(slug));
    currencies.get(found.ok()?)
}

impl Currencies {
    /// `deadline` is that of each call, `game_timeout` that of [`for_game`](Self::for_game), and `calls` the number of calls at once. `lifecycle` runs the reads of the list.
    pub fn new(
        client: Client,
        deadline: Duration,
        game_timeout: Duration,
        calls: usize,
        lifecycle: Lifecycle,
    ) -> Self {
        Self {
            calls: Calls { client, deadline },
            game_timeout,
            course_timeout: COURSE_TIMEOUT,
            limit: Arc::new(ConcurrencyLimit::new("public pages of the economy", calls)),
            state: Arc::default(),
            lifecycle,
        }
    }

    pub(super) async fn permit(&self) -> Result<Permit, Fault> {
        self.limit.acquire(QUEUE_TIMEOUT).await
    }

    /// All currencies, by the slugs of their games. They are read again after ten seconds. If that fails, the old list is used for up to
    /// five minutes.
    pub async fn all(&self, now: OffsetDateTime) -> Result<Arc<[Currency]>, Fault> {
        let (reading, is_new) = self.reading(now);
        // The page that has begun a read waits for it. Other pages use the old list.
        let must_wait = is_new || self.lock().usable(now).is_none();
        if let Some(reading) = reading.filter(|_| must_wait) {
            reading.await;
        }
        let list = self.lock().usable(now);
        list.ok_or_else(|| Fault::unavailable("economy-svc"))
    }

    /// The currency of a game, for the page of the game. While economy-svc is slow or unavailable, it is that of the old list without a rate.
    pub async fn for_game(
        &self,
        slug: &str,
        now: OffsetDateTime,
    ) -> Result<Option<GameCurrency>, Fault> {
        let unavailable = || Fault::unavailable("economy-svc");
        let deadline = Instant::now() + self.game_timeout;
        let list = match timeout_at(deadline, self.all(now)).await {
            Ok(list) => list?,
            Err(_) => self.lock().usable(now).ok_or_else(unavailable)?,
        };
        let Some(currency) = find(&list, slug).cloned() else {
            return Ok(None);
        };
        let rates = timeout_at(deadline, self.rates_without_course(slug, "", 1)).await;
        let rates = match rates.map_err(|_elapsed| unavailable()).flatten() {
            Ok((mut page, _permit)) => {
                // At the deadline, the rate is shown without its course.
                timeout_at(deadline, self.add_costs(slug, &mut page)).await.ok();
                Ok(page)
            }
            // Its last report is not counted any more.
            Err(fault) if fault.code == Code::Invalid => Ok(RatePage::default()),
            Err(fault) => Err(fault),
        };
        Ok(Some(GameCurrency { currency, rates }))
    }

    /// The read that is running, or a new one if it is due; and whether it is new.
    fn reading(&self, now: OffsetDateTime) -> (Option<Reading>, bool) {
        let mut state = self.lock();
        if state.reading.is_some() || !state.is_due(now) {
            return (state.reading.clone(), false);
        }
        let (ended, end) = oneshot::channel::<()>();
        let reading = end.map(drop).boxed().shared();
        state.tried_at = Some(now);
        state.reading = Some(reading.clone());
        // Read in a task of its own: the list is for all pages, so the read continues if one browser closes its connection. Only one read
        // runs at a time, so it needs no permit.
        let currencies = self.clone();
        self.lifecycle.spawn(async move {
            let read = currencies.read().await;
            let mut state = currencies.lock();
            state.reading = None;
            match read {
                Ok(list) => state.list = Some((list, now)),
                Err(fault) => {
                    tracing::warn!(%fault, "the currencies on public pages are not up to date");
                }
            }
            drop(state);
            // Wake up the pages that wait.
            drop(ended);
        });
        (Some(reading), true)
    }

    async fn read(&self) -> Result<Arc<[Currency]>, Fault> {
        let request = ListCurrenciesRequest { mode: Mode::Live.into() };
        let list = self.calls.idempotent(request).await?;
        let mut rows: Vec<Currency> =
            serde_json::from_slice(&list.json).map_err(|error| Fault::internal(&error))?;
        rows.sort_unstable_by(|one, other| one.slug.cmp(&other.slug));
        Ok(rows.into())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
