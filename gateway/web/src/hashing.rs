//! Hashes of passwords, on a bounded pool: a hash takes 19 MiB and some 40 ms of a core, so a burst of sign-ins must not take them all.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use kit::Fault;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many requests per core wait for their turn; further ones are refused.
const WAITING_PER_CORE: usize = 32;

/// Hashes and checks passwords with argon2id.
#[derive(Clone)]
pub struct PasswordPool {
    running: Arc<Semaphore>,
    admitted: Arc<Semaphore>,
    /// The hash of no password: people who do not exist cost the same time.
    unknown: Arc<str>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    pub is_right: bool,
    /// The hash was made with other parameters than those of today.
    pub is_outdated: bool,
}

impl PasswordPool {
    /// A pool for so many hashes at once.
    ///
    /// # Errors
    /// The random number generator failed.
    pub fn new(cores: usize) -> anyhow::Result<Self> {
        let random: [u8; 32] = rand::random();
        let unknown = hash(&hex::encode(random)).map_err(|error| anyhow::anyhow!(error))?;
        Ok(Self {
            running: Arc::new(Semaphore::new(cores)),
            admitted: Arc::new(Semaphore::new(cores * (1 + WAITING_PER_CORE))),
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
        let admitted: OwnedSemaphorePermit = Arc::clone(&self.admitted)
            .try_acquire_owned()
            .map_err(|_full| busy())?;
        tracing::trace!("a password is hashed");
        let running = Arc::clone(&self.running).acquire_owned().await;
        let running = running.map_err(|_closed| busy())?;
        // The permits go with the work, which runs to its end even if the caller has gone.
        let work = tokio::task::spawn_blocking(move || {
            let result = work();
            drop((admitted, running));
            result
        });
        work.await.map_err(|error| Fault::internal(&error))
    }
}

fn hash(password: &str) -> Result<String, String> {
    let hash = Argon2::default().hash_password(password.as_bytes());
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
    let argon2 = Argon2::default();
    let verified = argon2.verify_password(password.as_bytes(), &parsed);
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
    async fn further_requests_are_refused_at_once() {
        let pool = PasswordPool::new(1).unwrap();
        let all = pool.admitted.available_permits();
        let permits = pool.admitted.try_acquire_many(u32::try_from(all).unwrap());
        let refused = pool.hash("password").await.unwrap_err();
        assert_eq!(refused.code, kit::Code::Unavailable);
        drop(permits);
        assert!(pool.hash("password").await.is_ok());
    }
}
