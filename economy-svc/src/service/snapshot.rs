//! The economy at one moment, with the answers rendered from it.

use std::sync::Arc;

use bytes::Bytes;
use kit::Fault;
use time::{Duration, OffsetDateTime};
use tokio::sync::OnceCell;

use super::render;
use crate::domain::economy::Economy;
use crate::store::version::Version;

/// An economy and the answers rendered from it.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Identifies the content: equal content has the same version at every replica, other content has another.
    pub(super) version: String,
    pub(super) economy: Economy,
    /// The time when it was loaded.
    pub(super) at: OffsetDateTime,
    pub(super) late_after: Duration,
    /// `None`: samples.
    pub(super) data_version: Option<Version>,
    /// `None`: the list is too long.
    rates: OnceCell<Option<Bytes>>,
    currencies: OnceCell<Bytes>,
}

impl Snapshot {
    /// The current economy, live or (without a data version) of the samples.
    pub(super) fn new(
        economy: Economy,
        data_version: Option<Version>,
        now: OffsetDateTime,
        late_after: Duration,
    ) -> Self {
        // The content also changes with the clock, at known times. Together with the data version, the next such time identifies the content.
        let until = economy
            .valid_until
            .map_or(0, OffsetDateTime::unix_timestamp_nanos);
        let data = data_version.map_or_else(|| "samples".to_owned(), |version| version.to_string());
        Self {
            version: format!("{data}-{until:x}"),
            economy,
            at: now,
            late_after,
            data_version,
            rates: OnceCell::new(),
            currencies: OnceCell::new(),
        }
    }

    /// Whether it may answer a call at `now` that has read the version `read`. The snapshot may be newer: another call may have loaded it
    /// while this call waited for the lock.
    pub(super) fn is_fresh(&self, read: Option<Version>, now: OffsetDateTime) -> bool {
        let is_new_enough = match (self.data_version, read) {
            (Some(loaded), Some(read)) => loaded.reaches(read),
            (loaded, read) => loaded == read,
        };
        let is_in_time = self.economy.valid_until.is_none_or(|until| now < until);
        // After the clock was set back, a snapshot of the future is not fresh.
        is_new_enough && is_in_time && self.at <= now
    }

    /// The JSON list of the rates, optionally only of those from or to one currency. The list of all rates is rendered once, while
    /// concurrent calls wait.
    ///
    /// # Errors
    /// `unavailable`: the list is too long.
    pub(super) async fn rates(
        self: &Arc<Self>,
        from: Option<usize>,
        to: Option<usize>,
    ) -> Result<Bytes, Fault> {
        let render = || {
            let snapshot = Arc::clone(self);
            render::on_blocking_thread(move || render::rates(&snapshot.economy, from, to))
        };
        let rendered = if from.is_none() && to.is_none() {
            self.rates.get_or_try_init(render).await?.clone()
        } else {
            render().await?
        };
        rendered.ok_or_else(|| {
            Fault::unavailable(
                "the list of all rates: it is too long. Ask for those of one currency",
            )
        })
    }

    /// The JSON list of all currencies. It is rendered once, while concurrent calls wait.
    pub(super) async fn currencies(self: &Arc<Self>) -> Result<Bytes, Fault> {
        let rendered = self.currencies.get_or_try_init(|| {
            let snapshot = Arc::clone(self);
            render::on_blocking_thread(move || {
                render::currencies(&snapshot.economy, snapshot.at, snapshot.late_after)
            })
        });
        rendered.await.cloned()
    }
}
