//! The switches in memory. They are loaded from PostgreSQL at start, and again when the feed has a change of a switch.

use std::sync::atomic::{AtomicU8, Ordering};

use sqlx::PgPool;

use crate::domain::switch::Switches;
use crate::store;

/// The switches, readable without a lock.
#[derive(Debug)]
pub struct SwitchCache {
    pool: PgPool,
    bits: AtomicU8,
}

impl SwitchCache {
    /// The default switches, until [`SwitchCache::reload`].
    pub fn new(pool: PgPool) -> Self {
        Self { pool, bits: AtomicU8::new(Switches::default().bits()) }
    }

    /// Loads the switches from PostgreSQL.
    pub async fn reload(&self) -> Result<(), sqlx::Error> {
        let settings = kit::pg::in_time(&self.pool, store::switches::all).await?;
        let switches = settings.iter().fold(Switches::default(), |switches, setting| {
            switches.with(setting.switch, setting.is_on)
        });
        self.bits.store(switches.bits(), Ordering::Relaxed);
        Ok(())
    }

    pub fn current(&self) -> Switches {
        Switches::from_bits(self.bits.load(Ordering::Relaxed))
    }
}
