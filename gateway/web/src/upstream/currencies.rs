//! economy-svc: the currencies of games, for public pages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::economy::v1::ListCurrenciesRequest;
use contracts::public::Currency;
use kit::overload::{ConcurrencyLimit, Permit};
use kit::rpc::client::Client;
use kit::{Code, Fault};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use super::call::Calls;
use super::rates::RatePage;

/// How long rates wait for their course.
const COURSE_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a call waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(1);

/// The client of all public pages, which share a limit of concurrent calls.
#[derive(Debug, Clone)]
pub struct Currencies {
    pub(super) calls: Calls,
    pub game_timeout: Duration,
    pub course_timeout: Duration,
    limit: Arc<ConcurrencyLimit>,
    /// The newest list that economy-svc has sent: a page of a game needs one of perhaps thousands
    /// of rows, so economy-svc sends a list once per version.
    newest: Arc<Mutex<CurrencyList>>,
}

/// All currencies of a version.
#[derive(Debug, Clone, Default)]
struct CurrencyList {
    /// Empty: no list yet.
    version: Arc<str>,
    /// By the slugs of their games.
    rows: Arc<[Currency]>,
}

/// The currencies of one page. They are read once, and economy-svc is asked for each page, so that
/// no page shows older ones.
#[derive(Debug, Clone)]
pub struct PageEconomy {
    client: Currencies,
    list: Arc<OnceCell<Result<CurrencyList, Fault>>>,
}

/// The currency of a game and the first of its rates, if there is another currency.
#[derive(Debug)]
pub struct GameCurrency {
    pub currency: Currency,
    pub rates: Result<RatePage, Fault>,
}

/// The currency of a game.
pub fn find<'c>(currencies: &'c [Currency], slug: &str) -> Option<&'c Currency> {
    let found = currencies.binary_search_by(|currency| currency.slug.as_str().cmp(slug));
    currencies.get(found.ok()?)
}

impl Currencies {
    /// `deadline` is the deadline of each call, `game_timeout` the longest wait of a game's page,
    /// and `calls` the limit of concurrent calls.
    pub fn new(client: Client, deadline: Duration, game_timeout: Duration, calls: usize) -> Self {
        Self {
            calls: Calls { client, deadline },
            game_timeout,
            course_timeout: COURSE_TIMEOUT,
            limit: Arc::new(ConcurrencyLimit::new("public pages of the economy", calls)),
            newest: Arc::default(),
        }
    }

    /// The currencies for a page.
    pub fn begin_page(&self) -> PageEconomy {
        PageEconomy { client: self.clone(), list: Arc::default() }
    }

    pub(super) async fn permit(&self) -> Result<Permit, Fault> {
        self.limit.acquire(QUEUE_TIMEOUT).await
    }

    async fn read(&self) -> Result<CurrencyList, Fault> {
        let _permit = self.permit().await?;
        let known = self.newest().clone();
        let request = ListCurrenciesRequest {
            mode: Mode::Live.into(),
            known_version: known.version.to_string(),
        };
        let response = self.calls.idempotent(request).await?;
        let Some(json) = response.json else {
            return Ok(known);
        };
        let mut rows: Vec<Currency> =
            serde_json::from_slice(&json).map_err(|error| Fault::internal(&error))?;
        rows.sort_unstable_by(|one, other| one.slug.cmp(&other.slug));
        let list = CurrencyList { version: response.version.into(), rows: rows.into() };
        self.newest().clone_from(&list);
        Ok(list)
    }

    fn newest(&self) -> MutexGuard<'_, CurrencyList> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PageEconomy {
    async fn list(&self) -> Result<CurrencyList, Fault> {
        self.list.get_or_init(|| self.client.read()).await.clone()
    }

    /// All currencies, by the slugs of their games.
    pub async fn all(&self) -> Result<Arc<[Currency]>, Fault> {
        Ok(self.list().await?.rows)
    }

    /// The version of the data behind figures and rates, if economy-svc is available.
    pub async fn version(&self) -> Option<Arc<str>> {
        Some(self.list().await.ok()?.version)
    }

    /// The currency of a game, for the page of the game. While economy-svc is slow, it has no rate,
    /// or the whole is unavailable.
    pub async fn for_game(&self, slug: &str) -> Result<Option<GameCurrency>, Fault> {
        let unavailable = |_elapsed| Fault::unavailable("economy-svc");
        let client = &self.client;
        let deadline = Instant::now() + client.game_timeout;
        let list = timeout_at(deadline, self.all()).await.map_err(unavailable)??;
        let Some(currency) = find(&list, slug).cloned() else {
            return Ok(None);
        };
        let rates = timeout_at(deadline, client.rates_without_course(slug, "", 1)).await;
        let rates = match rates.map_err(unavailable).flatten() {
            Ok((mut page, _permit)) => {
                // At the deadline, the rate is shown without its course.
                timeout_at(deadline, client.add_costs(slug, &mut page)).await.ok();
                Ok(page)
            }
            // It has left the list since.
            Err(fault) if fault.code == Code::Invalid => Ok(RatePage::default()),
            Err(fault) => Err(fault),
        };
        Ok(Some(GameCurrency { currency, rates }))
    }
}
