//! The economy at one moment, with the lists rendered from it.

use std::sync::Arc;

use kit::Fault;
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

use super::render::{self, RenderedList};
use crate::domain::economy::Economy;
use crate::store::version::Version;

/// A list that is rendered from the economy.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    Rates,
    Currencies,
}

/// A whole list of rates.
const ALL: (&str, usize) = ("", usize::MAX);

/// An economy and the lists rendered from it.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) economy: Economy,
    /// Samples have none.
    data_version: Option<Version>,
    /// The list of all currencies.
    pub(super) currencies: RenderedList,
    /// The list of all rates, once a call has read it.
    rates: Arc<Mutex<Option<AllRates>>>,
}

/// `None` if the list is too long.
#[derive(Debug, Clone)]
struct AllRates(Option<RenderedList>);

impl Snapshot {
    /// Renders the economy of `now`, live or (without a data version) of the samples. Lists that
    /// are as in the snapshot before are not rendered again: a change of the data need not be one
    /// of the lists, and the lists of all rates are large.
    pub(super) fn new(
        economy: Economy,
        data_version: Option<Version>,
        now: OffsetDateTime,
        late_after: Duration,
        before: Option<&Self>,
    ) -> Result<Self, serde_json::Error> {
        let currencies = match before {
            // No currency has become late.
            Some(before)
                if before.economy.currencies == economy.currencies
                    && before.is_valid(List::Currencies, now) =>
            {
                before.currencies.clone()
            }
            _ => render::currencies(&economy, now, late_after)?,
        };
        let rates = match before {
            // Also while a call renders them.
            Some(before) if before.economy.has_rates_of(&economy) => Arc::clone(&before.rates),
            _ => Arc::default(),
        };
        Ok(Self { economy, data_version, currencies, rates })
    }

    /// Identifies the list of currencies, and the data from which it and the rates are computed.
    pub(super) fn version(&self) -> String {
        let list = &self.currencies.version;
        match self.data_version {
            Some(Version { epoch, changes }) => format!("{epoch}.{changes}.{list}"),
            None => list.clone(),
        }
    }

    /// Whether its data are of the epoch of `read`. Versions of different epochs cannot be compared.
    pub(super) fn has_epoch_of(&self, read: Version) -> bool {
        (self.data_version).is_some_and(|loaded| loaded.epoch == read.epoch)
    }

    /// Whether its list may answer a call at `now` that has read the version `read` of the data.
    pub(super) fn is_fresh(&self, read: Version, list: List, now: OffsetDateTime) -> bool {
        let is_loaded = (self.data_version).is_some_and(|loaded| loaded.reaches(read));
        is_loaded && self.is_valid(list, now)
    }

    /// Whether the clock has not changed its list since it was loaded.
    pub(super) fn is_valid(&self, list: List, now: OffsetDateTime) -> bool {
        let until = match list {
            List::Rates => self.economy.rates_until,
            List::Currencies => self.economy.currencies_until,
        };
        until.is_none_or(|until| now < until)
    }

    #[cfg(test)]
    pub(super) fn has_rendered_rates(&self) -> bool {
        (self.rates.try_lock()).is_ok_and(|rates| rates.is_some())
    }

    /// The list of the rates, optionally only of those from or to one currency, and of a part of the list: as many as this, to currencies
    /// whose slugs come after this one.
    ///
    /// # Errors
    /// `unavailable`: the list is too long.
    pub(super) async fn rates(
        self: &Arc<Self>,
        from: Option<usize>,
        to: Option<usize>,
        part: Option<(String, usize)>,
    ) -> Result<RenderedList, Fault> {
        let rates = if from.is_none() && to.is_none() && part.is_none() {
            self.all_rates().await?
        } else {
            let snapshot = Arc::clone(self);
            let render = move || {
                let part = part.as_ref().map_or(ALL, |(after, most)| (after, *most));
                render::rates(&snapshot.economy, from, to, part)
            };
            render::on_blocking_thread(render).await?
        };
        rates.ok_or_else(|| {
            Fault::unavailable(
                "the list of all rates: it is too long. Ask for those of one currency",
            )
        })
    }

    /// The list of all rates. The first call renders it, on a thread that goes on when the caller has gone; concurrent calls wait.
    async fn all_rates(self: &Arc<Self>) -> Result<Option<RenderedList>, Fault> {
        let mut rates = Arc::clone(&self.rates).lock_owned().await;
        if let Some(AllRates(rendered)) = &*rates {
            return Ok(rendered.clone());
        }
        let snapshot = Arc::clone(self);
        let render = move || {
            let rendered = render::rates(&snapshot.economy, None, None, ALL)?;
            *rates = Some(AllRates(rendered.clone()));
            Ok(rendered)
        };
        render::on_blocking_thread(render).await
    }
}
