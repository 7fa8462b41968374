//! The staff by their tokens, for the server's identity check.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kit::rpc::staff::{Member, Members as MemberLookup};
use kit::{Clock, Fault, ids};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::store::members;

/// How the token of a member begins.
pub const TOKEN_PREFIX: &str = "staff_";
/// For how long a member is known without a look: a token that was ended elsewhere is refused within this.
const CACHE_TTL: Duration = Duration::SECOND;
/// Members in memory at most; beyond, all are forgotten and looked up again.
const CACHE_CAPACITY: usize = 1_024;

type Hash = [u8; 32];

/// Finds members by their tokens. Clones share the memory.
#[derive(Debug, Clone)]
pub struct Members {
    pool: PgPool,
    clock: Clock,
    entries: Arc<Mutex<HashMap<Hash, (OffsetDateTime, Member)>>>,
}

impl Members {
    /// Those whom `pool` holds.
    pub fn new(pool: PgPool, clock: Clock) -> Self {
        Self {
            pool,
            clock,
            entries: Arc::default(),
        }
    }

    /// Forgets everybody, so that what has changed just now is seen at once by this process.
    pub fn clear_cache(&self) {
        self.cache().clear();
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, HashMap<Hash, (OffsetDateTime, Member)>> {
        // A map is whole after every single step.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cached(&self, hash: &Hash, now: OffsetDateTime) -> Option<Member> {
        let cache = self.cache();
        let (at, member) = cache.get(hash)?;
        // A clock that was set back does not lengthen anybody's time.
        (Duration::ZERO..CACHE_TTL)
            .contains(&(now - *at))
            .then(|| member.clone())
    }
}

#[tonic::async_trait]
impl MemberLookup for Members {
    async fn find(&self, token: &str) -> Result<Option<Member>, Fault> {
        // What is not shaped like a token is nobody's, without a look.
        if !token.starts_with(TOKEN_PREFIX) {
            return Ok(None);
        }
        let (hash, now) = (hash(token), self.clock.now());
        if let Some(member) = self.cached(&hash, now) {
            return Ok(Some(member));
        }
        let found = members::find(&self.pool, &hash).await?;
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

/// A new token.
pub fn token() -> String {
    ids::secret(TOKEN_PREFIX)
}

/// What is kept of a token.
pub fn hash(token: &str) -> Hash {
    Sha256::digest(token).into()
}
