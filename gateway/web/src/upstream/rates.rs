//! economy-svc: rates between currencies.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::economy::v1::list_rates_response::Part;
use contracts::public::Rate;
use kit::Fault;

use super::Currencies;
use super::call::Calls;
use super::clients::Rates;
use crate::domain::json_rows::JsonRows;

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

/// The first `most` rates from a currency to those whose slugs come after `after`. Never holds more of them in memory.
async fn page(calls: &Calls, from: &str, after: &str, most: usize) -> Result<RatePage, Fault> {
    let request = proto::ListRatesRequest {
        mode: Mode::Live.into(),
        from: from.to_owned(),
        ..proto::ListRatesRequest::default()
    };
    let mut parts = calls.read(Rates::list_rates, request).await?;
    let (mut list, mut rows) = (JsonRows::default(), Vec::new());
    while let Some(message) = parts.message().await? {
        let Some(Part::Json(piece)) = message.part else {
            continue;
        };
        for row in list.complete(&piece)? {
            let rate: Rate<'static> =
                serde_json::from_slice(&row).map_err(|error| Fault::internal(&error))?;
            if rate.to.as_ref() <= after {
                continue;
            }
            if rows.len() == most {
                // The rest of the stream is not read.
                let has_more = true;
                return Ok(RatePage { rows, has_more });
            }
            rows.push(rate);
        }
    }
    let has_more = false;
    Ok(RatePage { rows, has_more })
}
