//! The state of the process that its handlers share.

use std::sync::Arc;

use kit::Clock;
use kit::feed::HighWaterMark;
use kit::representations::Representations;

use crate::call_log::CallRecorder;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::etag::ETag;
use crate::jobs::last_used::LastUsed;
use crate::lookup::Lookup;
use crate::overload::refused_calls::RefusedCalls;
use crate::quota::Quota;
use crate::switches::SwitchCache;
use crate::upstream::{RatesCache, Upstream};
use kit::client_address::{ProxyHeader, TrustedProxies};

pub type App = Arc<Gateway>;

/// What requests need.
pub struct Gateway {
    pub clock: Clock,
    /// The format of API keys.
    pub format: KeyFormat,
    /// Proxies whose `proxy_header` names the client.
    pub proxies: TrustedProxies,
    pub proxy_header: ProxyHeader,
    /// Base address of `error.docs_url`.
    pub docs_url: String,
    /// The plans that this process was started with.
    pub plans: Arc<Plans>,
    pub switches: Arc<SwitchCache>,
    /// Finds the caller of a key by its hash.
    pub lookup: Arc<Lookup>,
    /// Refused calls by network and site.
    pub refused_calls: Arc<RefusedCalls>,
    /// When keys were last used; written to PostgreSQL in batches.
    pub last_used: Arc<LastUsed>,
    /// Calls by account, written in batches as well.
    pub call_recorder: Arc<CallRecorder>,
    /// The OpenAPI document.
    pub openapi: Representations,
    /// Its tag, in every coding.
    pub openapi_tag: ETag,
    /// The newest rates.
    pub rates: RatesCache,
    /// Limits of the minute and the month, and revocations.
    pub quota: Arc<Quota>,
    pub catalogue: Upstream,
    pub listings: Upstream,
    pub economy: Upstream,
    pub webhooks: Upstream,
    /// Tips that one player may send to one game in a minute.
    pub player_calls: u32,
    /// The newest position of listings-svc's feed, read from Redis.
    pub newest_position: HighWaterMark,
}
