//! The names of the currencies of games, for their pages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::economy::v1::ListCurrenciesRequest;
use contracts::economy::v1::currencies_service_client::CurrenciesServiceClient;
use contracts::public;
use kit::Fault;
use kit::rpc::client::Client;
use time::OffsetDateTime;

use super::call::Calls;

/// How long the currencies are used before they are read again.
const AGE: time::Duration = time::Duration::seconds(10);
/// How long a page waits for them; it goes on with older ones, or without.
const DEADLINE: Duration = Duration::from_secs(1);
/// The largest list.
const MAX_MESSAGE_SIZE: usize = 64 * 1024 * 1024;

/// A currency, as the page of its game shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrencyName {
    pub name: String,
    /// Whether its game has not reported for too long.
    pub is_late: bool,
}

type BySlug = HashMap<String, CurrencyName>;

/// All currencies in memory, read at most every ten seconds: a page of a game needs one of perhaps thousands.
#[derive(Debug)]
pub struct Currencies {
    calls: Calls,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    currencies: Arc<BySlug>,
    /// Of the last read, which may have failed.
    read_at: Option<OffsetDateTime>,
}

impl Currencies {
    pub fn new(client: Client) -> Self {
        Self {
            calls: Calls {
                client,
                deadline: DEADLINE,
            },
            state: Mutex::default(),
        }
    }

    /// The currency of a game, if it has one.
    pub async fn of_game(&self, slug: &str, now: OffsetDateTime) -> Option<CurrencyName> {
        if self.is_due(now) {
            match self.read().await {
                Ok(currencies) => self.lock().currencies = Arc::new(currencies),
                Err(fault) => {
                    tracing::warn!(%fault, "the currencies on pages of games are not up to date");
                }
            }
        }
        let currencies = Arc::clone(&self.lock().currencies);
        currencies.get(slug).cloned()
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

    async fn read(&self) -> Result<BySlug, Fault> {
        let request = self.calls.read(ListCurrenciesRequest {
            mode: Mode::Live.into(),
        });
        let currencies = CurrenciesServiceClient::new(self.calls.client.clone());
        let mut currencies = currencies.max_decoding_message_size(MAX_MESSAGE_SIZE);
        let json = currencies.list_currencies(request).await?.into_inner().json;
        let rows: Vec<public::Currency> =
            serde_json::from_slice(&json).map_err(|error| Fault::internal(&error))?;
        let named = rows.into_iter().map(|row| {
            let currency = CurrencyName {
                name: row.currency,
                is_late: row.late,
            };
            (row.slug, currency)
        });
        Ok(named.collect())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
