//! Hashes of passwords in their normal form, on a bounded pool. A hash takes 19 MiB and some 40 ms
//! of a core.
//!
//! The threads of the pool have a lower priority than others, so that sign-ins slow calls of the
//! API less. A site has a quarter of the places of the pool at most, and strangers have half of
//! that: a flood from one site refuses nobody elsewhere, and nobody there who is known.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use kit::network::Network;
use kit::{Code, Fault};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::domain::password::normalized;

/// Requests per core that may have a permit while another one is hashed. Further ones are refused.
const WAITING_PER_CORE: usize = 64;
/// The part of the pool that a site may use, and the part of that which its strangers may use.
const SITES: usize = 4;
const STRANGERS: usize = 2;
/// The threads have a ninth of the usual share of a core (nice(2)). The lowest priority, a 68th,
/// would let sign-ins starve on a machine without an idle core.
const NICE: i32 = 10;

/// Hashes and checks passwords with argon2id.
#[derive(Clone)]
pub struct PasswordPool {
    threads: Arc<Threads>,
    permits: Arc<Semaphore>,
    places: Arc<Places>,
    /// A hash that no password has, so that a check takes the same time if the person does not
    /// exist.
    unknown: Arc<str>,
}

/// Allows one hash or one check. A permit that is dropped before is released at once.
pub struct Permit {
    pool: PasswordPool,
    permits: (OwnedSemaphorePermit, Place),
}

/// The permits of each site.
struct Places {
    of_site: usize,
    sites: Mutex<HashMap<Network, SitePermits>>,
}

/// The permits that a site has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct SitePermits {
    by_strangers: usize,
    by_all: usize,
}

/// A permit of a site, which it gives back when it is dropped.
struct Place {
    places: Arc<Places>,
    site: Network,
    is_known: bool,
}

/// Threads for blocking work only.
struct Threads(Option<Runtime>);

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    pub is_right: bool,
    /// The hash was made with weaker parameters than the current ones.
    pub is_outdated: bool,
}

impl PasswordPool {
    /// A pool that computes up to `cores` hashes at once.
    ///
    /// # Errors
    /// The random number generator failed, or no thread could be started.
    pub fn new(cores: usize) -> anyhow::Result<Self> {
        Self::with_limit(cores, cores * (1 + WAITING_PER_CORE))
    }

    /// A pool that computes up to `cores` hashes at once, and gives up to `limit` permits.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn with_limit(cores: usize, limit: usize) -> anyhow::Result<Self> {
        let random: [u8; 32] = rand::random();
        let unknown = hash(&hex::encode(random)).map_err(|error| anyhow::anyhow!(error))?;
        Ok(Self {
            threads: Arc::new(Threads::new(cores)?),
            permits: Arc::new(Semaphore::new(limit)),
            places: Arc::new(Places {
                of_site: limit.div_ceil(SITES).max(1),
                sites: Mutex::default(),
            }),
            unknown: unknown.into(),
        })
    }

    /// Acquires a permit for a site without waiting. `is_known` tells a request of a person or a
    /// link from a stranger's guess.
    ///
    /// # Errors
    /// The site has all its permits, or the pool is full.
    pub fn try_acquire(&self, site: Network, is_known: bool) -> Result<Permit, Fault> {
        let place = Place::try_acquire(&self.places, site, is_known)?;
        let permit =
            Arc::clone(&self.permits).try_acquire_owned().map_err(|_full| unavailable())?;
        let pool = self.clone();
        Ok(Permit { pool, permits: (permit, place) })
    }
}

impl Place {
    fn try_acquire(places: &Arc<Places>, site: Network, is_known: bool) -> Result<Self, Fault> {
        let mut sites = places.lock();
        let held = sites.get(&site).copied().unwrap_or_default();
        let has_room = held.by_all < places.of_site
            && (is_known || held.by_strangers < places.of_site.div_ceil(STRANGERS));
        if !has_room {
            let message = "Too many passwords from your network are being checked. Try again in a few seconds.";
            return Err(Fault::new(Code::RateLimited, message).retry_in(time::Duration::SECOND));
        }
        let by_strangers = held.by_strangers + usize::from(!is_known);
        sites.insert(site, SitePermits { by_strangers, by_all: held.by_all + 1 });
        Ok(Self { places: Arc::clone(places), site, is_known })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut sites = self.places.lock();
        if let Some(held) = sites.get_mut(&self.site) {
            held.by_strangers -= usize::from(!self.is_known);
            held.by_all -= 1;
            if held.by_all == 0 {
                sites.remove(&self.site);
            }
        }
    }
}

impl Places {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Network, SitePermits>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// The hash of a new password.
    pub async fn hash(self, password: &str) -> Result<String, Fault> {
        let password = password.to_owned();
        let hashed = self.run(move || hash(&password)).await?;
        hashed.map_err(|error| Fault::internal(&std::io::Error::other(error)))
    }

    /// Checks a password against a hash, or against none, which takes the same time.
    pub async fn check(self, password: &str, stored: Option<&str>) -> Result<Checked, Fault> {
        let exists = stored.is_some();
        let stored = stored.map_or_else(|| self.pool.unknown.to_string(), ToOwned::to_owned);
        let password = password.to_owned();
        let checked = self.run(move || check(&password, &stored)).await?;
        Ok(Checked { is_right: checked.is_right && exists, ..checked })
    }

    async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        let Self { pool, permits } = self;
        tracing::trace!("a password is hashed");
        let Some(threads) = &pool.threads.0 else {
            return Err(unavailable());
        };
        // The closure owns the permit, since it runs to its end even if the caller is dropped.
        let work = threads.spawn_blocking(move || {
            let result = work();
            drop(permits);
            result
        });
        work.await.map_err(|error| Fault::internal(&error))
    }
}

fn unavailable() -> Fault {
    Fault::unavailable("the pool of password hashes")
}

impl Threads {
    fn new(cores: usize) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(cores)
            .thread_name("hashing")
            .on_thread_start(lower_priority)
            .build()?;
        Ok(Self(Some(runtime)))
    }
}

impl Drop for Threads {
    /// A runtime panics if it is dropped within an async task, unless it is shut down in the
    /// background.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Lowers the priority of this thread.
fn lower_priority() {
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::warn!(%error, "threads that hash passwords have the usual priority");
    }
}

fn hash(password: &str) -> Result<String, String> {
    let hash = Argon2::default().hash_password(normalized(password).as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| error.to_string())
}

fn check(password: &str, stored: &str) -> Checked {
    let Ok(parsed) = PasswordHash::new(stored) else {
        tracing::error!("the hash of a password is damaged");
        return Checked { is_right: false, is_outdated: false };
    };
    let password = normalized(password);
    let verified = Argon2::default().verify_password(password.as_bytes(), &parsed);
    let today = argon2::Params::default();
    let params = argon2::Params::try_from(&parsed);
    Checked {
        is_right: verified.is_ok(),
        is_outdated: params.is_ok_and(|params| params.m_cost() < today.m_cost()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(number: u8) -> Network {
        std::net::IpAddr::from([203, 0, 113, number]).into()
    }

    async fn hashed(pool: &PasswordPool, password: &str) -> String {
        pool.try_acquire(site(1), true).unwrap().hash(password).await.unwrap()
    }

    async fn checked(pool: &PasswordPool, password: &str, stored: Option<&str>) -> Checked {
        let permit = pool.try_acquire(site(1), true).unwrap();
        permit.check(password, stored).await.unwrap()
    }

    #[tokio::test]
    async fn a_password_is_checked_against_its_hash() {
        let pool = PasswordPool::new(1).unwrap();
        let stored = hashed(&pool, "baobab lorry teapot").await;
        assert!(stored.starts_with("$argon2id$"), "{stored}");
        let right = checked(&pool, "baobab lorry teapot", Some(&stored)).await;
        assert!(right.is_right && !right.is_outdated);
        for stored in [Some(stored.as_str()), None, Some("damaged")] {
            let wrong = checked(&pool, "other", stored).await;
            assert!(!wrong.is_right, "{stored:?}");
        }
    }

    #[tokio::test]
    async fn a_password_is_the_same_from_every_keyboard() {
        let pool = PasswordPool::new(1).unwrap();
        let (typed, on_another) =
            ("o\u{323}\u{300}ja\u{300} teapot", "\u{1ECD}\u{300}jà\u{A0}teapot");
        let stored = hashed(&pool, typed).await;
        for typed in [typed, on_another] {
            let checked = checked(&pool, typed, Some(&stored)).await;
            assert!(checked.is_right && !checked.is_outdated, "{typed:?}");
        }
    }

    #[tokio::test]
    async fn hashing_threads_have_a_lower_priority() {
        let own = rustix::process::getpriority_process(None).unwrap();
        let permit = PasswordPool::new(1).unwrap().try_acquire(site(1), true).unwrap();
        let nice = permit.run(|| rustix::process::getpriority_process(None).unwrap());
        // The tests may run with a raised nice value themselves; 19 is the maximum.
        assert_eq!(nice.await.unwrap(), (own + NICE).min(19));
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), own);
    }

    #[tokio::test]
    async fn a_full_pool_refuses_at_once_until_a_permit_is_dropped() {
        let pool = PasswordPool::with_limit(1, 1).unwrap();
        let permit = pool.try_acquire(site(1), true).unwrap();
        let refused = pool.try_acquire(site(2), true).err().unwrap();
        assert_eq!(refused.code, Code::Unavailable);
        drop(permit);
        hashed(&pool, "password").await;
    }

    #[test]
    fn a_site_has_a_quarter_of_the_pool_and_its_strangers_half_of_that() {
        let pool = PasswordPool::with_limit(1, 16).unwrap();
        let acquired = |number, is_known| -> Vec<Permit> {
            std::iter::from_fn(|| pool.try_acquire(site(number), is_known).ok()).collect()
        };
        let strangers = acquired(1, false);
        let known = acquired(1, true);
        assert_eq!((strangers.len(), known.len()), (2, 2));
        let refused = pool.try_acquire(site(1), true).err().unwrap();
        assert_eq!((refused.code, refused.retry_after), (Code::RateLimited, Some(1)));
        // Only many sites fill the pool.
        let others: Vec<_> = (2..5).map(|number| acquired(number, true)).collect();
        assert!(others.iter().all(|permits| permits.len() == 4));
        let refused = pool.try_acquire(site(9), true).err().unwrap();
        assert_eq!(refused.code, Code::Unavailable);
        drop((strangers, known, others));
        assert_eq!(acquired(1, true).len(), 4);
        assert!(pool.places.lock().is_empty());
    }
}
