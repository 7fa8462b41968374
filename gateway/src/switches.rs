//! The switches as calls meet them: in memory, read from PostgreSQL at start and whenever the feed tells of one.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use sqlx::PgPool;

use crate::domain::switch::Switches;
use crate::store;

/// How long reading them may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// How the switches stand, for every call to read without waiting.
#[derive(Debug)]
pub struct Board {
    pool: PgPool,
    acting: AtomicU8,
}

impl Board {
    /// As a fleet begins, until they are read.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            acting: AtomicU8::new(Switches::default().bits()),
        }
    }

    /// Reads how they stand in the database.
    pub async fn read(&self) -> Result<(), sqlx::Error> {
        let settings = kit::pg::within(&self.pool, DEADLINE, store::switches::all).await?;
        let standing = settings
            .iter()
            .fold(Switches::default(), |switches, setting| {
                switches.with(setting.switch, setting.is_on)
            });
        let acting = standing.bits();
        self.acting.store(acting, Ordering::Relaxed);
        Ok(())
    }

    /// What calls meet now.
    pub fn now(&self) -> Switches {
        Switches::from_bits(self.acting.load(Ordering::Relaxed))
    }
}
