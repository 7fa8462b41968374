//! When keys were last used, written behind in batches: a read must not write.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::per_thread::PerThread;
use crate::store::keys;

/// How late the database may know.
const PERIOD: Duration = Duration::from_secs(10);

/// What is not written yet. A crash forgets it; that is all that it costs.
#[derive(Debug, Default)]
pub struct LastUsed {
    noted: PerThread<HashMap<Uuid, OffsetDateTime>>,
}

impl LastUsed {
    /// A call came with the key at `now`.
    pub fn note(&self, key: Uuid, now: OffsetDateTime) {
        self.noted.with(|noted| keep(noted, key, now));
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
        let noted = self.take();
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

    /// What all threads have noted: of a key that several have seen, the latest time.
    fn take(&self) -> HashMap<Uuid, OffsetDateTime> {
        let mut all = HashMap::new();
        for (key, at) in self.noted.take().flatten() {
            keep(&mut all, key, at);
        }
        all
    }
}

fn keep(noted: &mut HashMap<Uuid, OffsetDateTime>, key: Uuid, at: OffsetDateTime) {
    let latest = noted.entry(key).or_insert(at);
    *latest = at.max(*latest);
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn of_what_threads_saw_the_latest_is_written() {
        let last_used = LastUsed::default();
        let start = datetime!(2026-03-01 08:00 UTC);
        std::thread::scope(|scope| {
            for thread in 0..8_u8 {
                let last_used = &last_used;
                scope.spawn(move || {
                    for second in 0..100 {
                        let at = start + Duration::seconds(second);
                        last_used.note(
                            Uuid::from_u128(1),
                            at + Duration::milliseconds(thread.into()),
                        );
                        last_used.note(Uuid::from_u128(10 + u128::from(thread)), at);
                    }
                });
            }
        });
        let noted = last_used.take();
        assert_eq!(noted.len(), 9);
        let last = start + Duration::seconds(99);
        assert_eq!(noted[&Uuid::from_u128(1)], last + Duration::milliseconds(7));
        assert!((10..18).all(|key| noted[&Uuid::from_u128(key)] == last));
        assert!(last_used.take().is_empty());
    }
}
