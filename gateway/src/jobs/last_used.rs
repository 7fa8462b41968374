//! Writes when keys were last used, in batches: reads do not write to PostgreSQL.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::per_thread::PerThread;
use crate::store::keys;

/// How far PostgreSQL may lag behind.
pub const INTERVAL: Duration = Duration::from_secs(10);

/// The timeout of a write.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Times that are not written yet. A crash loses them.
#[derive(Debug, Default)]
pub struct LastUsed {
    pending: PerThread<HashMap<Uuid, OffsetDateTime>>,
}

impl LastUsed {
    /// Records a call with the key.
    pub fn record(&self, key: Uuid, now: OffsetDateTime) {
        self.pending.with(|pending| record_latest(pending, key, now));
    }

    /// Writes the pending times. After an error they stay pending.
    pub async fn flush(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let pending = self.take();
        if pending.is_empty() {
            return Ok(());
        }
        // All replicas lock the rows in one order.
        let mut used: Vec<(Uuid, OffsetDateTime)> =
            pending.iter().map(|(id, at)| (*id, *at)).collect();
        used.sort_unstable();
        let (ids, times): (Vec<Uuid>, Vec<OffsetDateTime>) = used.into_iter().unzip();
        let written = kit::pg::within(pool, TIMEOUT, async |connection| {
            keys::update_last_used(connection, &ids, &times).await
        })
        .await;
        if written.is_err() {
            for (id, at) in pending {
                self.record(id, at);
            }
        }
        written
    }

    /// Merges the shards: the latest time of each key.
    fn take(&self) -> HashMap<Uuid, OffsetDateTime> {
        let mut all = HashMap::new();
        for (key, at) in self.pending.take().flatten() {
            record_latest(&mut all, key, at);
        }
        all
    }
}

fn record_latest(pending: &mut HashMap<Uuid, OffsetDateTime>, key: Uuid, at: OffsetDateTime) {
    let latest = pending.entry(key).or_insert(at);
    *latest = at.max(*latest);
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn the_latest_time_of_all_threads_is_written() {
        let last_used = LastUsed::default();
        let start = datetime!(2026-03-01 08:00 UTC);
        std::thread::scope(|scope| {
            for thread in 0..8_u8 {
                let last_used = &last_used;
                scope.spawn(move || {
                    for second in 0..100 {
                        let at = start + Duration::seconds(second);
                        last_used
                            .record(Uuid::from_u128(1), at + Duration::milliseconds(thread.into()));
                        last_used.record(Uuid::from_u128(10 + u128::from(thread)), at);
                    }
                });
            }
        });
        let pending = last_used.take();
        assert_eq!(pending.len(), 9);
        let last = start + Duration::seconds(99);
        assert_eq!(pending[&Uuid::from_u128(1)], last + Duration::milliseconds(7));
        assert!((10..18).all(|key| pending[&Uuid::from_u128(key)] == last));
        assert!(last_used.take().is_empty());
    }
}
