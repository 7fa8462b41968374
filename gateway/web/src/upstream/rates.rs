//! economy-svc: rates between currencies.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::public::Rate;
use kit::Fault;

use super::Currencies;
use super::call::required;
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
        let request = proto::ListRatesRequest {
            mode: Mode::Live.into(),
            from: from.to_owned(),
            after: after.to_owned(),
            // One more says whether there are more.
            limit: u32::try_from(most + 1).unwrap_or(u32::MAX),
            ..proto::ListRatesRequest::default()
        };
        let response = self.calls.read(Rates::list_rates, request).await?;
        let mut rows: Vec<Rate<'static>> = serde_json::from_slice(&required(response.json)?)
            .map_err(|error| Fault::internal(&error))?;
        let has_more = rows.len() > most;
        rows.truncate(most);
        Ok(RatePage { rows, has_more })
    }
}
