//! What every request shares.

use std::sync::Arc;

use kit::Clock;
use kit::feed::Latest;

use crate::domain::address::{Proxies, ProxyHeader};
use crate::domain::plan::Plans;
use crate::domain::secret::Format;
use crate::jobs::last_used::LastUsed;
use crate::lookup::Lookup;
use crate::quota::Quota;
use crate::switches::Board;
use crate::upstream::Upstream;

/// The gateway, as its handlers and layers see it.
pub type App = Arc<Gateway>;

/// What the gateway has.
pub struct Gateway {
    /// The time.
    pub clock: Clock,
    /// How keys are written.
    pub format: Format,
    /// The proxies in front, which tell where their callers are.
    pub proxies: Proxies,
    /// The header by which they tell.
    pub proxy_header: ProxyHeader,
    /// Where errors are explained.
    pub docs_url: String,
    /// The plans, as this process was started with.
    pub plans: Arc<Plans>,
    /// What is on and off.
    pub switches: Arc<Board>,
    /// From the hash of a key to its caller.
    pub lookup: Arc<Lookup>,
    /// Minute, month and revocation.
    pub quota: Arc<Quota>,
    /// The services behind.
    pub upstream: Upstream,
    /// How far the listings have come, for reads to reach it.
    pub latest: Latest,
    /// When keys were last used, on its way to the database.
    pub last_used: Arc<LastUsed>,
}
