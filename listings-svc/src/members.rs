//! The staff directory of this service, which stores the members.

use kit::rpc::directory::{CachedMembers, MemberSource, TokenHash};
use kit::rpc::staff::Member;
use kit::{Clock, Code, Fault};
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::store::members::{self, TokenOwner};

/// The members in PostgreSQL, behind the cache that every service has.
pub type Members = CachedMembers<MemberTable>;

/// A directory of the members in `pool`.
pub fn directory(pool: PgPool, clock: Clock) -> Members {
    CachedMembers::of(MemberTable { pool }, clock)
}

#[derive(Debug, Clone)]
pub struct MemberTable {
    pool: PgPool,
}

#[tonic::async_trait]
impl MemberSource for MemberTable {
    async fn find(&self, hash: &TokenHash, now: OffsetDateTime) -> Result<Option<Member>, Fault> {
        member(&self.pool, hash, now).await
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
                "Your token expired on {}. Ask an admin for a new one (`staff member renew {name}`), put it into your profile, and run `staff login`.",
                at.date()
            ),
        )),
    }
}
