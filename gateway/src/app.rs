//! What a request has at hand: what the whole process shares, and the connections of the thread that serves it.

use std::sync::Arc;
use std::time::Duration;

use kit::Clock;
use kit::feed::HighWaterMark;

use crate::coding::Openings;
use crate::domain::address::{Proxies, ProxyHeader};
use crate::domain::plan::Plans;
use crate::domain::secret::Format;
use crate::jobs::last_used::LastUsed;
use crate::lookup::Lookup;
use crate::quota::Quota;
use crate::switches::Board;
use crate::upstream::pictures::Pictures;
use crate::upstream::{Catalogue, Economy, Listings};

/// The gateway, as the handlers and layers of one thread see it.
pub type App = Arc<Gateway>;

/// What a thread of the gateway has. What it waits for is its own: its connections to Redis and to the services.
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
    /// When keys were last used, on its way to the database.
    pub last_used: Arc<LastUsed>,
    /// Answers, compressed.
    pub openings: Arc<Openings>,
    /// Minute, month and revocation.
    pub quota: Quota,
    /// catalogue-svc.
    pub catalogue: Catalogue,
    /// listings-svc.
    pub listings: Listings,
    /// economy-svc.
    pub economy: Economy,
    /// Tips of one player to one game in a minute.
    pub player_calls: u32,
    /// Pictures of listings, which have a limit of their own.
    pub pictures: Arc<Pictures>,
    /// How far the listings have come, for reads to reach it.
    pub latest: HighWaterMark,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
}
