//! The exchange rates of economy-svc.

use bytes::Bytes;
use contracts::common::v1::{Mode, PageInfo};
use contracts::economy::v1::ListRatesRequest;
use kit::Fault;
use parking_lot::Mutex;

use super::Upstream;

/// The newest list of all live rates. Its length grows with the square of the number of currencies, so economy-svc sends it once per version.
#[derive(Debug, Default)]
pub struct RatesCache(Mutex<CachedRates>);

#[derive(Debug, Clone, Default)]
struct CachedRates {
    /// Empty: no rates yet.
    version: String,
    /// The `data` of the response.
    json: Bytes,
}

impl RatesCache {
    /// The current rates as JSON. economy-svc is always asked: it sends rates only if the cache does not have their version.
    ///
    /// # Errors
    /// economy-svc rejects the request or does not respond, too many calls are running, or the list is too long.
    pub async fn list(
        &self,
        economy: &Upstream,
        mut request: ListRatesRequest,
    ) -> Result<(Bytes, Option<PageInfo>), Fault> {
        let is_cached =
            request.mode() == Mode::Live && request.from.is_empty() && request.to.is_empty();
        let mut rates = CachedRates::default();
        if is_cached {
            rates.clone_from(&self.0.lock());
        }
        request.known_version.clone_from(&rates.version);
        let response = economy.read(&request).await?;
        if let Some(json) = response.json {
            let version = response.version;
            rates = CachedRates { version, json };
            if is_cached {
                self.0.lock().clone_from(&rates);
            }
        }
        Ok((rates.json, response.page))
    }
}
