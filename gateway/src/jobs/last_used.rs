//! When keys were last used, written behind in batches: a read must not write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::store::keys;

/// How late the database may know.
const PERIOD: Duration = Duration::from_secs(10);

/// What is not written yet. A crash forgets it; that is all that it costs.
#[derive(Debug, Default)]
pub struct LastUsed {
    noted: Mutex<HashMap<Uuid, OffsetDateTime>>,
}

impl LastUsed {
    /// A call came with the key at `now`.
    pub fn note(&self, key: Uuid, now: OffsetDateTime) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = noted.entry(key).or_insert(now);
        *latest = now.max(*latest);
    }

    /// Writes again and again, and once more when `stopping`.
    pub async fn run(&self, pool: PgPool, stopping: CancellationToken) {
        loop {
            let stopped = tokio::select! {
                () = stopping.cancelled() => true,
                () = tokio::time::sleep(PERIOD) => false,
            };
            if let Err(error) = self.flush(&pool).await {
                tracing::warn!(%error, "when keys were last used is not written for now");
            }
            if stopped {
                return;
            }
        }
    }

    /// Writes what is noted; keeps it when that fails.
    pub async fn flush(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let noted = std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner));
        if noted.is_empty() {
            return Ok(());
        }
        let (ids, times): (Vec<Uuid>, Vec<OffsetDateTime>) =
            noted.iter().map(|(id, at)| (*id, *at)).unzip();
        let written = keys::touch(pool, &ids, &times).await;
        if written.is_err() {
            for (id, at) in noted {
                self.note(id, at);
            }
        }
        written
    }
}
