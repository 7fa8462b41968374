//! The gRPC services of the internal port. [`staff`] and [`dashboard`] find out who calls; the file of each subject has the operations that
//! both share.

mod accounts;
mod calls;
pub mod dashboard;
mod key_requests;
mod keys;
mod month_use;
pub mod staff;
mod switches;
pub mod tombstones;

use std::sync::Arc;

use kit::api::bad_fields::BadFields;
use kit::audit::Audit;
use kit::feed::Producer;
use kit::{Clock, Fault};
use sqlx::PgPool;
use uuid::Uuid;

use self::tombstones::Tombstones;
use crate::call_log::CallLog;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::quota::Counters;

/// The dependencies of the services.
pub struct Services {
    /// For reads.
    pub pool: PgPool,
    /// For changes.
    pub producer: Producer,
    pub plans: Arc<Plans>,
    pub format: KeyFormat,
    pub clock: Clock,
    pub counters: Arc<Counters>,
    pub tombstones: Tombstones,
    /// Authorizes calls of staff and records them.
    pub audit: Audit,
    pub call_log: CallLog,
}

fn id(field: &str, text: &str) -> Result<Uuid, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id(field, text);
    bad.check()?;
    Ok(id)
}
