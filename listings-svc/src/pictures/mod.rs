//! Processes the pictures that accounts upload: validates, renders and stores them.
//!
//! A picture is registered in the database before its files are stored, so that no stored file is unknown. The sweep (`jobs/sweep.rs`) deletes
//! pictures that no listing names a day after their upload.

mod colour_profile;
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
use sqlx::PgPool;

pub use file_store::FileStore;

use crate::config;
use crate::domain::pictures::{PictureKind, PictureSizes, StoredPicture};
use crate::store::pictures;

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
    /// The file is invalid, staff have purged the picture, too many pictures are being processed, or the database or the file store is not
    /// available.
    pub async fn store(&self, file: Vec<u8>, kind: PictureKind) -> Result<StoredPicture, Fault> {
        let permit = self.concurrency.acquire(QUEUE_TIMEOUT).await?;
        let processed = tokio::task::spawn_blocking(move || {
            let picture = process(&file, kind);
            // The work holds the permit to its end, even when the caller is gone.
            drop(permit);
            picture
        });
        let picture = processed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the decoder panicked on a picture");
            Err(Fault::invalid_field(
                FIELD,
                "The file cannot be read: save the picture again in an image editor.",
            ))
        })?;
        let PictureSizes { name, large, small } = picture;
        let now = kit::pg::now(&self.pool, &self.clock).await?;
        if !pictures::register(&self.pool, &name, now).await? {
            let purged = "Staff have purged this picture: use another one.";
            return Err(Fault::invalid_field(FIELD, purged));
        }
        let [large_name, small_name] = name.sizes();
        self.files.put(&small_name, small.bytes).await?;
        self.files.put(&large_name, large.bytes).await?;
        Ok(StoredPicture { name, width: large.width, height: large.height })
    }
}

/// Validates a file, and renders both sizes of the picture.
pub fn process(file: &[u8], kind: PictureKind) -> Result<PictureSizes, Fault> {
    let picture = decode::decode(file, kind.min_size())
        .map_err(|reason| Fault::invalid_field(FIELD, reason))?;
    render::render(picture, kind).map_err(|error| Fault::internal(&error))
}
