//! economy-svc: rates between currencies.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::public::Rate;
use kit::Fault;

use super::Currencies;
use super::call::{Calls, required};
use super::clients::Rates;

/// Rates from one currency, by the slugs of the others.
#[derive(Debug)]
pub struct RatePage {
    pub rows: Vec<Rate<'static>>,
    pub has_more: bool,
}

impl Currencies {
    /// The first `most` rates from a currency to those whose slugs come after `after`.
    pub async fn rates(&self, from: &str, after: &str, most: usize) -> Result<RatePage, Fault> {
        let _permit = self.permit().await?;
        page(&self.calls, from, after, most).await
    }
}

/// The first `most` rates from a currency to those whose slugs come after `after`.
async fn page(calls: &Calls, from: &str, after: &str, most: usize) -> Result<RatePage, Fault> {
    let request = proto::ListRatesRequest {
        mode: Mode::Live.into(),
        from: from.to_owned(),
        ..proto::ListRatesRequest::default()
    };
    let response = calls.read(Rates::list_rates, request).await?;
    let rates: Vec<Rate<'static>> = serde_json::from_slice(&required(response.json)?)
        .map_err(|error| Fault::internal(&error))?;
    let mut rates = rates.into_iter().filter(|rate| rate.to.as_ref() > after);
    let rows = rates.by_ref().take(most).collect();
    let has_more = rates.next().is_some();
    Ok(RatePage { rows, has_more })
}
