//! The state that handlers share.

use std::sync::Arc;

use kit::client_address::{ProxyHeader, TrustedProxies};
use kit::key_ring::KeyRing;
use kit::overload::ConcurrencyLimit;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;

use crate::admission::Admission;
use crate::articles::Articles;
use crate::docs::document_cache::DocumentCache;
use crate::page_cache::PageCache;
use crate::session_cookie::CookieStyle;
use crate::store::sessions::Lifetimes;
use crate::uploads::Uploads;
use crate::upstream::{CatalogueClient, Currencies, Economy, Feeds, Gateway, Listings, Webhooks};

/// The state of the router.
pub type App = Arc<Web>;

pub struct Web {
    pub pool: PgPool,
    pub clock: Clock,
    pub admission: Admission,
    pub session_lifetimes: Lifetimes,
    pub cookie: CookieStyle,
    /// Encrypts the secrets of authenticator apps, and signs the cookies of devices and voters.
    pub key_ring: KeyRing,
    pub gateway: Gateway,
    pub webhooks: Webhooks,
    pub listings: Listings,
    pub uploads: Uploads,
    pub economy: Economy,
    /// The reads of public pages.
    pub catalogue: CatalogueClient,
    pub currencies: Currencies,
    /// What other services publish, for mails.
    pub feeds: Feeds,
    pub page_cache: PageCache,
    /// The pages of text of the public site.
    pub articles: Articles,
    /// The documentation.
    pub docs: Arc<DocumentCache>,
    /// Limits the pictures that public pages read at once.
    pub public_pictures: ConcurrencyLimit,
    /// Proxies whose `proxy_header` names the client.
    pub proxies: TrustedProxies,
    pub proxy_header: ProxyHeader,
    /// The address of the pages, without a slash at its end.
    pub public_url: String,
    /// The address of the API, with its version.
    pub api_url: String,
    /// The address to which weaknesses are reported, as a URI.
    pub security_contact: Option<String>,
    /// The mail address for questions about plans, and of mails to staff.
    pub staff_mail: Option<String>,
    /// The calls of a month after which staff get a mail about an account without a monthly limit.
    pub large_month: u64,
    /// The folder of mails, on a local fleet.
    pub mail_folder: Option<String>,
    /// The deadline of a request.
    pub timeout: std::time::Duration,
    /// Runs forms to their end.
    pub lifecycle: Lifecycle,
}
