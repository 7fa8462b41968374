//! economy-svc: the currencies of games, for public pages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::economy::v1::ListCurrenciesRequest;
use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;
use contracts::public::Currency;
use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};
use kit::rpc::client::Client;
use time::OffsetDateTime;

use super::call::Calls;

/// How long the currencies are used before they are read again.
const AGE: time::Duration = time::Duration::seconds(10);
/// How long a page waits for an answer. A page of a game goes on with older names of currencies, or without.
const DEADLINE: Duration = Duration::from_secs(1);
/// How long a call waits for others to end.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(1);
/// The largest list.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;

/// A currency, as the page of its game shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrencyName {
    pub name: String,
    /// Whether its game has not reported for too long.
    pub is_late: bool,
}

/// The client, with all currencies in memory, read at most every ten seconds: a page of a game needs one of perhaps thousands. A limit of
/// concurrent calls holds for all public pages.
#[derive(Debug, Clone)]
pub struct Currencies {
    pub(super) calls: Calls,
    limit: Arc<ConcurrencyLimit>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// By the slugs of their games; absent before the first read.
    currencies: Option<Arc<[Currency]>>,
    /// Of the last read.
    read_at: Option<OffsetDateTime>,
    has_failed: bool,
}

/// The currency of a game.
pub fn find<'c>(currencies: &'c [Currency], slug: &str) -> Option<&'c Currency> {
    let place = currencies.binary_search_by(|currency| currency.slug.as_str().cmp(slug));
    currencies.get(place.ok()?)
}

impl Currencies {
    /// `calls` is the number of calls at once.
    pub fn new(client: Client, calls: usize) -> Self {
        Self {
            calls: Calls {
                client,
                deadline: DEADLINE,
            },
            limit: Arc::new(ConcurrencyLimit::new("public pages of the economy", calls)),
            state: Arc::default(),
        }
    }

    pub(super) async fn permit(&self) -> Result<Permit, Fault> {
        self.limit.acquire(QUEUE_TIMEOUT).await
    }

    /// The currency of a game, if it has one.
    pub async fn of_game(&self, slug: &str, now: OffsetDateTime) -> Option<CurrencyName> {
        if self.is_due(now) {
            self.refresh().await;
        }
        let currencies = self.lock().currencies.clone()?;
        let currency = find(&currencies, slug)?;
        Some(CurrencyName {
            name: currency.currency.clone(),
            is_late: currency.late,
        })
    }

    /// All currencies, by the slugs of their games. They may be ten seconds old; after a read that failed there are none.
    pub async fn all(&self, now: OffsetDateTime) -> Result<Arc<[Currency]>, Fault> {
        if self.is_due(now) || self.lock().currencies.is_none() {
            self.refresh().await;
        }
        let state = self.lock();
        let current = state.currencies.clone().filter(|_| !state.has_failed);
        current.ok_or_else(|| Fault::unavailable("economy-svc"))
    }

    /// Whether this caller reads them anew; the others go on with what is there.
    fn is_due(&self, now: OffsetDateTime) -> bool {
        let mut state = self.lock();
        let is_due = state.read_at.is_none_or(|at| (now - at).abs() >= AGE);
        if is_due {
            state.read_at = Some(now);
        }
        is_due
    }

    async fn refresh(&self) {
        let read = self.read().await;
        let mut state = self.lock();
        state.has_failed = read.is_err();
        match read {
            Ok(currencies) => state.currencies = Some(currencies),
            Err(fault) => {
                tracing::warn!(%fault, "the currencies on public pages are not up to date");
            }
        }
    }

    async fn read(&self) -> Result<Arc<[Currency]>, Fault> {
        let _permit = self.permit().await?;
        let request = self.calls.read(ListCurrenciesRequest {
            mode: Mode::Live.into(),
        });
        let currencies = CurrenciesServiceClient::new(self.calls.client.clone());
        let mut currencies = currencies.max_decoding_message_size(MAX_MESSAGE_SIZE);
        let json = currencies.list_currencies(request).await?.into_inner().json;
        let mut rows: Vec<Currency> =
            serde_json::from_slice(&json).map_err(|error| Fault::internal(&error))?;
        rows.sort_unstable_by(|one, other| one.slug.cmp(&other.slug));
        Ok(rows.into())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
