//! Pictures that staff upload: checked, drawn anew, stored, and in the end named by a listing.
//!
//! What is known of a file is written down before it is stored, so that none lies there that nobody knows of; it is marked as used in
//! the transaction in which a listing names it. What was not used within a day is swept away (`jobs/sweep.rs`).

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
use crate::domain::picture::{PictureKind, PictureSizes};
use crate::store::pictures;

/// How long a picture waits for others to be drawn.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);

/// The field that is refused when it is the file.
pub const FIELD: &str = "picture";

/// Makes files of what is uploaded.
#[derive(Debug, Clone)]
pub struct PictureProcessor {
    pool: PgPool,
    files: FileStore,
    clock: Clock,
    /// Pictures that are drawn at once: each takes a core, and its pixels memory.
    concurrency: Arc<ConcurrencyLimit>,
    max_file_bytes: usize,
}

impl PictureProcessor {
    /// Over the store of files.
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

    /// Bytes of a file that is uploaded, at most.
    pub fn max_file_bytes(&self) -> usize {
        self.max_file_bytes
    }

    /// Checks a file, and stores it as a picture of that kind.
    ///
    /// # Errors
    /// It is not acceptable; too many are uploaded just now; the database or the store is away.
    pub async fn store(&self, file: Vec<u8>, kind: PictureKind) -> Result<PictureSizes, Fault> {
        let permit = self.concurrency.acquire(QUEUE_TIMEOUT).await?;
        let processed = tokio::task::spawn_blocking(move || {
            let pair = process(&file, kind);
            // Whether or not somebody still waits for it.
            drop(permit);
            pair
        });
        let pair = processed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a picture broke its decoder");
            Err(Fault::invalid_field(
                FIELD,
                "The file cannot be read: save it anew.",
            ))
        })?;
        let now = self.clock.now();
        let registered = pictures::register(&self.pool, &pair, now).await;
        if !registered? {
            return Err(Fault::unavailable(
                "a file that is sent again while the sweep removes it",
            ));
        }
        for made in [&pair.small, &pair.large] {
            self.files.put(&made.name, made.bytes.clone()).await?;
        }
        Ok(pair)
    }
}

/// Makes the files of a picture.
pub fn process(file: &[u8], kind: PictureKind) -> Result<PictureSizes, Fault> {
    let picture = decode::decode(file, kind.min_size())
        .map_err(|reason| Fault::invalid_field(FIELD, reason))?;
    render::render(picture, kind).map_err(|error| Fault::internal(&error))
}
