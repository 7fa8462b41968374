//! Finds staff members by token, for the identity check of the server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kit::rpc::staff::{Member, Members as MemberLookup};
use kit::{Clock, Code, Fault, ids};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::store::members::{self, TokenOwner};

/// Prefix of a member's token.
pub const TOKEN_PREFIX: &str = "staff_";
/// How long a cached member is valid. A token that another replica revoked is refused after this time.
const CACHE_TTL: Duration = Duration::SECOND;
/// Maximum number of cached members; a full cache is cleared.
const CACHE_CAPACITY: usize = 1_024;

type Hash = [u8; 32];

/// Finds members by token. Clones share the cache.
#[derive(Debug, Clone)]
pub struct Members {
    pool: PgPool,
    clock: Clock,
    entries: Arc<Mutex<HashMap<Hash, (OffsetDateTime, Member)>>>,
}

impl Members {
    pub fn new(pool: PgPool, clock: Clock) -> Self {
        Self {
            pool,
            clock,
            entries: Arc::default(),
        }
    }

    /// Clears the cache, so that this process sees a change at once.
    pub fn clear_cache(&self) {
        self.cache().clear();
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, HashMap<Hash, (OffsetDateTime, Member)>> {
        // Each use of the map is one operation, so a panic cannot leave it half changed.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cached(&self, hash: &Hash, now: OffsetDateTime) -> Option<Member> {
        let cache = self.cache();
        let (at, member) = cache.get(hash)?;
        // A clock that is set back does not extend the life of an entry.
        (Duration::ZERO..CACHE_TTL)
            .contains(&(now - *at))
            .then(|| member.clone())
    }
}

#[tonic::async_trait]
impl MemberLookup for Members {
    async fn find(&self, token: &str) -> Result<Option<Member>, Fault> {
        // A text without the prefix is not a token and needs no query.
        if !token.starts_with(TOKEN_PREFIX) {
            return Ok(None);
        }
        let (hash, now) = (hash(token), self.clock.now());
        if let Some(member) = self.cached(&hash, now) {
            return Ok(Some(member));
        }
        let found = member(&self.pool, &hash, now).await?;
        let mut cache = self.cache();
        match &found {
            Some(member) => {
                if cache.len() >= CACHE_CAPACITY {
                    cache.clear();
                }
                cache.insert(hash, (now, member.clone()));
            }
            None => {
                cache.remove(&hash);
            }
        }
        Ok(found)
    }
}

/// The member whose token has this SHA-256; `None` when it is unknown or revoked.
///
/// # Errors
/// The token has expired: the sentence says what to do. Or the error of PostgreSQL.
pub async fn member(
    pool: &PgPool,
    token_sha256: &[u8],
    now: OffsetDateTime,
) -> Result<Option<Member>, Fault> {
    match members::find(pool, token_sha256, now).await? {
        None => Ok(None),
        Some(TokenOwner::Valid(member)) => Ok(Some(member)),
        Some(TokenOwner::Expired(name, at)) => Err(Fault::new(
            Code::InvalidKey,
            format!(
                "Your token expired on {}. Ask an admin for a new one (`staff member renew {name}`), and run `staff login --token TOKEN` with it.",
                at.date()
            ),
        )),
    }
}

pub fn token() -> String {
    ids::secret(TOKEN_PREFIX)
}

/// The hash that is stored instead of the token.
pub fn hash(token: &str) -> Hash {
    Sha256::digest(token).into()
}
