//! Hashes of passwords in their normal form, on a bounded pool. A hash takes 19 MiB and some 40 ms of a core.
//!
//! The threads of the pool have a lower priority than others, so that sign-ins slow calls of the API less.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use kit::Fault;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use crate::domain::password::normalized;

/// Requests per core that may wait for a thread. Further ones are refused.
const WAITING_PER_CORE: usize = 32;
/// The threads have a ninth of the usual share of a core (nice(2)). The lowest priority, a 68th, would let sign-ins starve on a machine
/// without an idle core.
const NICE: i32 = 10;

/// Hashes and checks passwords with argon2id.
#[derive(Clone)]
pub struct PasswordPool {
    threads: Arc<Threads>,
    admitted: Arc<Semaphore>,
    /// A hash that no password has, so that a check takes the same time if the person does not exist.
    unknown: Arc<str>,
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

    /// A pool that computes up to `cores` hashes at once, and refuses requests while it has `limit` of them.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn with_limit(cores: usize, limit: usize) -> anyhow::Result<Self> {
        let random: [u8; 32] = rand::random();
        let unknown = hash(&hex::encode(random)).map_err(|error| anyhow::anyhow!(error))?;
        Ok(Self {
            threads: Arc::new(Threads::new(cores)?),
            admitted: Arc::new(Semaphore::new(limit)),
            unknown: unknown.into(),
        })
    }

    /// The hash of a new password.
    pub async fn hash(&self, password: &str) -> Result<String, Fault> {
        let password = password.to_owned();
        let hashed = self.run(move || hash(&password)).await?;
        hashed.map_err(|error| Fault::internal(&std::io::Error::other(error)))
    }

    /// Checks a password against a hash, or against none, which takes the same time.
    pub async fn check(&self, password: &str, stored: Option<&str>) -> Result<Checked, Fault> {
        let exists = stored.is_some();
        let stored = stored.map_or_else(|| self.unknown.to_string(), ToOwned::to_owned);
        let password = password.to_owned();
        let checked = self.run(move || check(&password, &stored)).await?;
        Ok(Checked {
            is_right: checked.is_right && exists,
            ..checked
        })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        let busy = || Fault::unavailable("the pool of password hashes");
        let admitted = Arc::clone(&self.admitted).try_acquire_owned();
        let admitted = admitted.map_err(|_full| busy())?;
        tracing::trace!("a password is hashed");
        let Some(threads) = &self.threads.0 else {
            return Err(busy());
        };
        // The closure owns the permit, since it runs to its end even if the caller is dropped.
        let work = threads.spawn_blocking(move || {
            let result = work();
            drop(admitted);
            result
        });
        work.await.map_err(|error| Fault::internal(&error))
    }
}

impl Threads {
    fn new(cores: usize) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(cores)
            .thread_name("hashing")
            .on_thread_start(give_way)
            .build()?;
        Ok(Self(Some(runtime)))
    }
}

impl Drop for Threads {
    /// A runtime panics if it is dropped within an async task, unless it is shut down in the background.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Lowers the priority of this thread.
fn give_way() {
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::warn!(%error, "threads that hash passwords have the usual priority");
    }
}

fn hash(password: &str) -> Result<String, String> {
    let hash = Argon2::default().hash_password(normalized(password).as_bytes());
    hash.map(|hash| hash.to_string())
        .map_err(|error| error.to_string())
}

fn check(password: &str, stored: &str) -> Checked {
    let Ok(parsed) = PasswordHash::new(stored) else {
        tracing::error!("the hash of a password is damaged");
        return Checked {
            is_right: false,
            is_outdated: false,
        };
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

    #[tokio::test]
    async fn a_password_is_checked_against_its_hash() {
        let pool = PasswordPool::new(1).unwrap();
        let stored = pool.hash("baobab lorry teapot").await.unwrap();
        assert!(stored.starts_with("$argon2id$"), "{stored}");
        let right = pool
            .check("baobab lorry teapot", Some(&stored))
            .await
            .unwrap();
        assert!(right.is_right && !right.is_outdated);
        assert!(!pool.check("other", Some(&stored)).await.unwrap().is_right);
        assert!(!pool.check("other", None).await.unwrap().is_right);
        assert!(!pool.check("other", Some("damaged")).await.unwrap().is_right);
    }

    #[tokio::test]
    async fn a_password_is_the_same_from_every_keyboard() {
        let pool = PasswordPool::new(1).unwrap();
        let (typed, on_another) = (
            "o\u{323}\u{300}ja\u{300} teapot",
            "\u{1ECD}\u{300}jà\u{A0}teapot",
        );
        let stored = pool.hash(typed).await.unwrap();
        for typed in [typed, on_another] {
            let checked = pool.check(typed, Some(&stored)).await.unwrap();
            assert!(checked.is_right && !checked.is_outdated, "{typed:?}");
        }
    }

    #[tokio::test]
    async fn hashing_threads_have_a_lower_priority() {
        let own = rustix::process::getpriority_process(None).unwrap();
        let pool = PasswordPool::new(1).unwrap();
        let nice = pool.run(|| rustix::process::getpriority_process(None).unwrap());
        // The tests may run with a raised nice value themselves; 19 is the maximum.
        assert_eq!(nice.await.unwrap(), (own + NICE).min(19));
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), own);
    }

    #[tokio::test]
    async fn requests_beyond_the_limit_are_refused_at_once() {
        let pool = PasswordPool::new(1).unwrap();
        let all = pool.admitted.available_permits();
        let permits = pool.admitted.try_acquire_many(u32::try_from(all).unwrap());
        let refused = pool.hash("password").await.unwrap_err();
        assert_eq!(refused.code, kit::Code::Unavailable);
        drop(permits);
        assert!(pool.hash("password").await.is_ok());
    }
}
