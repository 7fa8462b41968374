//! Pictures that staff upload: checked, drawn anew, stored, and in the end named by a listing.
//!
//! What is known of a file is written down before it is stored, so that none lies there that nobody knows of; it is marked as used in
//! the transaction in which a listing names it. What was not used within a day is swept away (`jobs/sweep.rs`).

mod decode;
mod draw;
mod http;
mod jpeg;
pub mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use kit::overload::ConcurrencyLimit;
use kit::{Clock, Fault};
use sqlx::PgPool;

pub use store::Store;

use crate::config;
use crate::domain::picture::{Kind, Pair};
use crate::store::pictures;

/// How long a picture waits for others to be drawn.
const PATIENCE: Duration = Duration::from_secs(20);

/// The field that is refused when it is the file.
pub const FIELD: &str = "picture";

/// Makes files of what is uploaded.
#[derive(Debug, Clone)]
pub struct Pictures {
    pool: PgPool,
    store: Store,
    clock: Clock,
    /// Pictures that are drawn at once: each takes a core, and its pixels memory.
    drawing: Arc<ConcurrencyLimit>,
    most: usize,
}

impl Pictures {
    /// Over the store of files.
    pub fn new(pool: PgPool, store: Store, clock: Clock, settings: &config::Pictures) -> Self {
        Self {
            pool,
            store,
            clock,
            drawing: Arc::new(ConcurrencyLimit::new("pictures", settings.pictures_at_once)),
            most: settings.picture_megabytes * 1024 * 1024,
        }
    }

    /// Bytes of a file that is uploaded, at most.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Checks a file, and stores it as a picture of that kind.
    ///
    /// # Errors
    /// It is not acceptable; too many are uploaded just now; the database or the store is away.
    pub async fn keep(&self, file: Vec<u8>, kind: Kind) -> Result<Pair, Fault> {
        let under_way = self.drawing.acquire(PATIENCE).await?;
        let drawn = tokio::task::spawn_blocking(move || {
            let pair = make(&file, kind);
            // Whether or not somebody still waits for it.
            drop(under_way);
            pair
        });
        let pair = drawn.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a picture broke its decoder");
            Err(Fault::invalid_field(
                FIELD,
                "The file cannot be read: save it anew.",
            ))
        })?;
        let now = self.clock.now();
        let known = pictures::know(&self.pool, &pair, now).await;
        if !known? {
            return Err(Fault::unavailable(
                "a file that is sent again while the sweep removes it",
            ));
        }
        for made in [&pair.small, &pair.large] {
            self.store.put(&made.name, made.bytes.clone()).await?;
        }
        Ok(pair)
    }
}

/// Makes the files of a picture.
pub fn make(file: &[u8], kind: Kind) -> Result<Pair, Fault> {
    let picture =
        decode::decode(file, kind.least()).map_err(|reason| Fault::invalid_field(FIELD, reason))?;
    draw::draw(picture, kind).map_err(|error| Fault::internal(&error))
}
