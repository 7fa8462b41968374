//! The guides and the reference in memory. A task reads the OpenAPI document, from which they are made, each minute.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use kit::representations::Representations;
use kit::{Fault, Lifecycle};
use tokio::sync::OnceCell;

use super::guides::{GuideAddresses, Guides};
use super::reference::Reference;
use crate::upstream::Api;

/// How long the reference is shown before the gateway is asked for a newer one.
const AGE: Duration = Duration::from_mins(1);
/// The same while no reference has been read.
const PAUSE: Duration = Duration::from_secs(1);

/// The documents with the guides and the reference as a whole, by path: headers and body.
pub(crate) type Documents = HashMap<&'static str, (HeaderMap, Representations)>;

/// Holds what was made from the newest document, also while the gateway is unavailable.
#[derive(Debug)]
pub struct DocumentCache {
    api: Api,
    addresses: GuideAddresses,
    newest: Mutex<Newest>,
    /// Whether the last read failed.
    is_behind: AtomicBool,
}

#[derive(Debug, Clone)]
struct Newest {
    /// Before the first document is read, they name no settings.
    guides: Arc<Guides>,
    reference: Option<Arc<Reference>>,
    /// The `ETag` of the document.
    etag: Option<String>,
    /// Made from both when it is first read.
    documents: Arc<OnceCell<Arc<Documents>>>,
}

impl DocumentCache {
    /// # Errors
    /// Those of [`Guides::read`].
    pub fn new(api: Api, addresses: GuideAddresses) -> anyhow::Result<Self> {
        let newest = Newest {
            guides: Arc::new(Guides::read(&addresses, None)?),
            reference: None,
            etag: None,
            documents: Arc::default(),
        };
        Ok(Self { api, addresses, newest: Mutex::new(newest), is_behind: AtomicBool::new(false) })
    }

    /// The guides with the settings of the gateway, if it was ever reached.
    pub fn guides(&self) -> Arc<Guides> {
        Arc::clone(&self.lock().guides)
    }

    /// The reference, which may be a minute old, or older while the gateway is unavailable.
    ///
    /// # Errors
    /// No reference was ever read.
    pub fn reference(&self) -> Result<Arc<Reference>, Fault> {
        let reference = self.lock().reference.clone();
        reference.ok_or_else(|| Fault::unavailable("the OpenAPI document"))
    }

    /// The documents with the guides and the reference as a whole, which are made once.
    pub(crate) async fn documents<E>(
        &self,
        make: impl AsyncFnOnce(&Guides, Option<&Reference>) -> Result<Documents, E>,
    ) -> Result<Arc<Documents>, E> {
        let Newest { guides, reference, documents, .. } = self.lock().clone();
        let make = async || make(&guides, reference.as_deref()).await.map(Arc::new);
        documents.get_or_try_init(make).await.cloned()
    }

    /// Reads the document now, and then each minute.
    pub fn keep_fresh(self: &Arc<Self>, lifecycle: &Lifecycle) {
        let (cache, stopping) = (Arc::clone(self), lifecycle.stopping());
        lifecycle.spawn(async move {
            loop {
                cache.refresh().await;
                let wait = if cache.reference().is_ok() { AGE } else { PAUSE };
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = stopping.cancelled() => return,
                }
            }
        });
    }

    /// Reads the document, if there is a newer one. The first failure is logged, and the first success after it.
    pub async fn refresh(&self) {
        let etag = self.lock().etag.clone();
        let read = self.read(etag.as_deref()).await;
        let was_behind = self.is_behind.swap(read.is_err(), Ordering::Relaxed);
        match read {
            Ok(newer) => {
                if let Some(newer) = newer {
                    *self.lock() = newer;
                }
                if was_behind {
                    tracing::info!("the documentation is up to date again");
                }
            }
            Err(error) if !was_behind => {
                tracing::warn!(error, "the documentation is not up to date");
            }
            Err(_logged) => {}
        }
    }

    /// What a newer document says, or `None` if the document has not changed.
    async fn read(&self, etag: Option<&str>) -> Result<Option<Newest>, String> {
        let Some(document) = self.api.openapi(etag).await? else {
            return Ok(None);
        };
        let unreadable = |error: anyhow::Error| format!("{error:#}");
        let addresses = &self.addresses;
        let reference = Reference::read(&document.body, &addresses.api_url).map_err(unreadable)?;
        let guides = Guides::read(addresses, reference.settings.as_ref()).map_err(unreadable)?;
        Ok(Some(Newest {
            guides: Arc::new(guides),
            reference: Some(Arc::new(reference)),
            etag: document.etag,
            documents: Arc::default(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
