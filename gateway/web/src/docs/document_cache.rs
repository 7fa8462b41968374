//! The guides and the reference in memory. The OpenAPI document they are made from is fetched again at most once a minute.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kit::Fault;
use time::{Duration, OffsetDateTime};

use super::guides::{GuideAddresses, Guides};
use super::reference::Reference;
use crate::upstream::Api;

/// How long the reference is shown before the gateway is asked for a newer one.
const AGE: Duration = Duration::minutes(1);

/// The pause after a failure while no reference has been read. If the gateway hangs, only one page per pause waits for it.
const PAUSE: Duration = Duration::seconds(5);

/// What was made of the newest document that was read. It stays while the gateway is away.
#[derive(Debug)]
pub struct DocumentCache {
    api: Api,
    addresses: GuideAddresses,
    state: Mutex<State>,
    /// Locked by the caller that reads the first document, for which the other callers wait.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    /// Before the first document is read, they name no settings.
    guides: Arc<Guides>,
    reference: Option<Arc<Reference>>,
    /// The `ETag` of the reference's document.
    etag: Option<String>,
    /// When the last attempt began.
    read_at: Option<OffsetDateTime>,
    attempts: u64,
}

/// What is made of a document.
struct NewerDocument {
    guides: Guides,
    reference: Reference,
    etag: Option<String>,
}

impl DocumentCache {
    /// # Errors
    /// Those of [`Guides::read`].
    pub fn new(api: Api, addresses: GuideAddresses) -> anyhow::Result<Self> {
        let state = State {
            guides: Arc::new(Guides::read(&addresses, None)?),
            reference: None,
            etag: None,
            read_at: None,
            attempts: 0,
        };
        Ok(Self {
            api,
            addresses,
            state: Mutex::new(state),
            reading: tokio::sync::Mutex::default(),
        })
    }

    /// The guides with the settings of the gateway, if it was ever reached.
    pub async fn guides(&self, now: OffsetDateTime) -> Arc<Guides> {
        // Without a reference, the guides name no settings.
        self.get(now).await.ok();
        Arc::clone(&self.lock().guides)
    }

    /// The reference, which may be a minute old, or older while the gateway is away.
    ///
    /// # Errors
    /// No reference was ever read, and the gateway does not answer now.
    pub async fn get(&self, now: OffsetDateTime) -> Result<Arc<Reference>, Fault> {
        let (current, attempts) = {
            let state = self.lock();
            (state.reference.clone(), state.attempts)
        };
        let Some(current) = current else {
            return self.first(now, attempts).await;
        };
        if self.is_due(now) {
            self.refresh().await;
            return Ok(self.lock().reference.clone().unwrap_or(current));
        }
        Ok(current)
    }

    /// Waits for the first reference, which one caller reads. `attempts` is the number of attempts before this call.
    async fn first(&self, now: OffsetDateTime, attempts: u64) -> Result<Arc<Reference>, Fault> {
        let _reading = self.reading.lock().await;
        let has_failed = {
            let state = self.lock();
            let is_recent = state.read_at.is_some_and(|at| (now - at).abs() < PAUSE);
            // If another attempt has ended meanwhile, use its result.
            state.attempts != attempts || (is_recent && attempts > 0)
        };
        if !has_failed {
            self.lock().read_at = Some(now);
            self.refresh().await;
        }
        let read = self.lock().reference.clone();
        read.ok_or_else(|| Fault::unavailable("the OpenAPI document"))
    }

    /// Whether this caller must read the reference again. Until then, the others use the current one.
    fn is_due(&self, now: OffsetDateTime) -> bool {
        let mut state = self.lock();
        let is_due = state.read_at.is_none_or(|at| (now - at).abs() >= AGE);
        if is_due {
            state.read_at = Some(now);
        }
        is_due
    }

    async fn refresh(&self) {
        let etag = self.lock().etag.clone();
        let read = self.read(etag.as_deref()).await;
        let mut state = self.lock();
        state.attempts += 1;
        match read {
            Ok(Some(newer)) => {
                state.guides = Arc::new(newer.guides);
                state.reference = Some(Arc::new(newer.reference));
                state.etag = newer.etag;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(error, "the documentation is not up to date"),
        }
    }

    /// What a newer document says, or `None` if the document has not changed.
    async fn read(&self, etag: Option<&str>) -> Result<Option<NewerDocument>, String> {
        let Some(document) = self.api.openapi(etag).await? else {
            return Ok(None);
        };
        let unreadable = |error: anyhow::Error| format!("{error:#}");
        let addresses = &self.addresses;
        let reference = Reference::read(&document.body, &addresses.api_url).map_err(unreadable)?;
        let guides = Guides::read(addresses, reference.settings.as_ref()).map_err(unreadable)?;
        Ok(Some(NewerDocument {
            guides,
            reference,
            etag: document.etag,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
