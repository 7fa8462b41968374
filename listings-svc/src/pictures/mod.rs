//! Processes the pictures that accounts and staff upload: validates, renders and stores them.
//!
//! A file is registered in the database before it is stored, so that no stored file is unknown. The transaction in which a listing names
//! a file marks the file as used. The sweep (`jobs/sweep.rs`) deletes files that are not used within a day.

mod decode;
pub mod file_store;
mod http_client;
mod jpeg;
mod render;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use kit::overload::ConcurrencyLimit;
use kit::{Clock, Fault};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;

pub use file_store::FileStore;

use crate::config;
use crate::domain::pictures::{FileName, PictureKind, PictureSizes};
use crate::store::pictures::{self, Registration};

/// How long an upload waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);

/// Name of the field in errors about the file.
pub const FIELD: &str = "picture";

/// Validates, renders and stores pictures.
#[derive(Debug, Clone)]
pub struct PictureProcessor {
    pool: PgPool,
    files: FileStore,
    clock: Clock,
    /// Limits concurrent processing: each picture uses one core, and memory for its pixels.
    concurrency: Arc<ConcurrencyLimit>,
    max_file_bytes: usize,
}

impl PictureProcessor {
    pub fn new(
        pool: PgPool,
        files: FileStore,
        clock: Clock,
        settings: &config::PictureSettings,
    ) -> Self {
        Self {
            pool,
            files,
            clock,
            concurrency: Arc::new(ConcurrencyLimit::new("pictures", settings.pictures_at_once)),
            max_file_bytes: settings.picture_megabytes * 1024 * 1024,
        }
    }

    /// Maximum size of an uploaded file.
    pub fn max_file_bytes(&self) -> usize {
        self.max_file_bytes
    }

    /// Validates a file, and stores it as a picture of this kind.
    ///
    /// # Errors
    /// The file is invalid, too many pictures are being processed, or the database or the file store is not available.
    pub async fn store(&self, file: Vec<u8>, kind: PictureKind) -> Result<PictureSizes, Fault> {
        let permit = self.concurrency.acquire(QUEUE_TIMEOUT).await?;
        let processed = tokio::task::spawn_blocking(move || {
            let picture = process(&file, kind);
            let picture = picture.map(|it| (it, hex::encode(Sha256::digest(&file))));
            // The work holds the permit to its end, even when the caller is gone.
            drop(permit);
            picture
        });
        let (picture, source) = processed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the decoder panicked on a picture");
            Err(Fault::invalid_field(
                FIELD,
                "The file cannot be read: save the picture again in an image editor.",
            ))
        })?;
        let now = self.clock.now();
        let registered = pictures::register(&self.pool, &picture, &source, now).await;
        match registered? {
            Registration::Registered => {}
            Registration::BeingDeleted => {
                return Err(Fault::unavailable(
                    "a picture file, which the sweep is deleting",
                ));
            }
            Registration::Purged => {
                return Err(Fault::invalid_field(
                    FIELD,
                    "Staff have purged this picture: use another one.",
                ));
            }
        }
        for rendered in [&picture.small, &picture.large] {
            self.files
                .put(&rendered.name, rendered.bytes.clone())
                .await?;
        }
        Ok(picture)
    }

    /// Deletes files from the file store.
    ///
    /// # Errors
    /// One of them cannot be deleted; the others are.
    pub async fn remove(&self, names: &[FileName]) -> Result<(), Fault> {
        let mut result = Ok(());
        for name in names {
            result = self.files.remove(name).await.and(result);
        }
        result
    }
}

/// Validates a file, and renders both sizes of the picture.
pub fn process(file: &[u8], kind: PictureKind) -> Result<PictureSizes, Fault> {
    let picture = decode::decode(file, kind.min_size())
        .map_err(|reason| Fault::invalid_field(FIELD, reason))?;
    render::render(picture, kind).map_err(|error| Fault::internal(&error))
}
