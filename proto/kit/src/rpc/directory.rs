//! The staff directory of a process: it finds members by their tokens, and caches them for a second.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::member_service_client::MemberServiceClient;
use quick_cache::sync::Cache;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

use super::client::{Client, Idempotent};
use super::staff::{Member, Members, Role};
use crate::clock::Clock;
use crate::fault::Fault;

/// The prefix of a member's token.
pub const TOKEN_PREFIX: &str = "staff_";
/// How long a member is cached. A token that another process has revoked is rejected after this time.
const TTL: time::Duration = time::Duration::SECOND;
/// The most members in the cache.
const CAPACITY: usize = 1_024;

/// The SHA-256 of a token.
pub type TokenHash = [u8; 32];

/// The hash that stands for a token wherever it is stored or sent.
pub fn token_hash(token: &str) -> TokenHash {
    Sha256::digest(token).into()
}

/// Where members are found.
#[tonic::async_trait]
pub trait MemberSource: Debug + Send + Sync + 'static {
    /// The member whose token has this hash; `None` when it is unknown or revoked.
    async fn find(&self, hash: &TokenHash, now: OffsetDateTime) -> Result<Option<Member>, Fault>;
}

/// Finds members by their tokens. Clones share the cache.
#[derive(Debug, Clone)]
pub struct CachedMembers<S> {
    source: S,
    clock: Clock,
    cache: Arc<Cache<TokenHash, (OffsetDateTime, Member)>>,
}

impl<S: MemberSource> CachedMembers<S> {
    /// The members that `source` knows.
    pub fn of(source: S, clock: Clock) -> Self {
        Self {
            source,
            clock,
            cache: Arc::new(Cache::new(CAPACITY)),
        }
    }

    /// Clears the cache, so that this process sees a change at once.
    pub fn clear_cache(&self) {
        self.cache.clear();
    }

    fn cached(&self, hash: &TokenHash, now: OffsetDateTime) -> Option<Member> {
        let (at, member) = self.cache.get(hash)?;
        // A clock that was set back does not extend the time.
        let is_new = (time::Duration::ZERO..TTL).contains(&(now - at));
        is_new.then_some(member)
    }
}

#[tonic::async_trait]
impl<S: MemberSource> Members for CachedMembers<S> {
    async fn find(&self, token: &str) -> Result<Option<Member>, Fault> {
        // A text with another prefix cannot be a token and needs no lookup.
        if !token.starts_with(TOKEN_PREFIX) {
            return Ok(None);
        }
        let (hash, now) = (token_hash(token), self.clock.now());
        if let Some(member) = self.cached(&hash, now) {
            return Ok(Some(member));
        }
        let found = self.source.find(&hash, now).await?;
        match &found {
            Some(member) => self.cache.insert(hash, (now, member.clone())),
            None => drop(self.cache.remove(&hash)),
        }
        Ok(found)
    }
}

/// Asks listings-svc, which stores the members.
#[derive(Debug)]
pub struct ListingsMembers {
    listings: MemberServiceClient<Client>,
    deadline: Duration,
}

/// The directory of the services other than listings-svc.
pub type FleetMembers = CachedMembers<ListingsMembers>;

impl FleetMembers {
    /// The members that listings-svc knows. Each call to it has `deadline`.
    pub fn new(listings: Client, deadline: Duration, clock: Clock) -> Self {
        let listings = MemberServiceClient::new(listings);
        Self::of(ListingsMembers { listings, deadline }, clock)
    }
}

#[tonic::async_trait]
impl MemberSource for ListingsMembers {
    async fn find(&self, hash: &TokenHash, _now: OffsetDateTime) -> Result<Option<Member>, Fault> {
        let message = proto::FindMemberRequest {
            token_sha256: hash.to_vec().into(),
        };
        let request = Idempotent::Unary.request(message, self.deadline);
        let found = self.listings.clone().find_member(request).await?;
        Ok(found.into_inner().member.and_then(member))
    }
}

/// `None` for a role that this version does not know: such a member may do nothing here.
fn member(member: proto::Member) -> Option<Member> {
    let role = match member.role() {
        proto::Role::Reviewer => Role::Reviewer,
        proto::Role::Admin => Role::Admin,
        proto::Role::Unspecified => return None,
    };
    Some(Member {
        name: member.name,
        role,
    })
}
