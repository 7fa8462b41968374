//! The staff directory of services other than listings-svc: they ask listings-svc for the member with a token, and cache the answer for
//! a second.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::member_service_client::MemberServiceClient;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use tonic::Request;

use super::client::{Client, Idempotent};
use super::staff::{Member, Members, Role};
use crate::clock::Clock;
use crate::fault::Fault;

/// The prefix of a member's token.
const PREFIX: &str = "staff_";
/// How long a member is cached. A revoked token is rejected after this time.
const TTL: time::Duration = time::Duration::SECOND;
/// The most members in the cache. When it is full, it is cleared.
const CAPACITY: usize = 1_024;

type Hash = [u8; 32];

/// Finds members by their tokens, with calls to listings-svc.
#[derive(Debug)]
pub struct FleetMembers {
    listings: MemberServiceClient<Client>,
    deadline: Duration,
    clock: Clock,
    cache: Mutex<HashMap<Hash, (OffsetDateTime, Member)>>,
}

impl FleetMembers {
    /// The members that listings-svc knows. Each call to it has `deadline`.
    pub fn new(listings: Client, deadline: Duration, clock: Clock) -> Self {
        Self {
            listings: MemberServiceClient::new(listings),
            deadline,
            clock,
            cache: Mutex::default(),
        }
    }

    fn cached(&self, hash: &Hash, now: OffsetDateTime) -> Option<Member> {
        let cache = self.cache();
        let (at, member) = cache.get(hash)?;
        // A clock that was set back does not extend the time.
        (time::Duration::ZERO..TTL)
            .contains(&(now - *at))
            .then(|| member.clone())
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Hash, (OffsetDateTime, Member)>> {
        // Every operation leaves the map consistent, so a poisoned lock can be used.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tonic::async_trait]
impl Members for FleetMembers {
    async fn find(&self, token: &str) -> Result<Option<Member>, Fault> {
        // A text with another prefix cannot be a token: no call is needed.
        if !token.starts_with(PREFIX) {
            return Ok(None);
        }
        let hash: Hash = Sha256::digest(token).into();
        let now = self.clock.now();
        if let Some(member) = self.cached(&hash, now) {
            return Ok(Some(member));
        }
        let mut request = Request::new(proto::FindMemberRequest {
            token_sha256: hash.to_vec().into(),
        });
        request.set_timeout(self.deadline);
        request.extensions_mut().insert(Idempotent);
        let found = self.listings.clone().find_member(request).await?;
        let found = found.into_inner().member.and_then(member);
        let mut cache = self.cache();
        match &found {
            Some(member) => {
                if cache.len() >= CAPACITY {
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
