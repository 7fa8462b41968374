//! The staff by name. listings-svc knows them; another service asks it whose a token is, and believes the answer for a second.

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

/// How the token of a member begins.
const PREFIX: &str = "staff_";
/// For how long a member is known without asking: a token that was ended is refused within this.
const MEMORY: time::Duration = time::Duration::SECOND;
/// Members in memory at most; beyond, all are forgotten and asked for again.
const MOST: usize = 1_024;

type Hash = [u8; 32];

/// Finds members by their tokens.
#[derive(Debug)]
pub struct FleetMembers {
    listings: MemberServiceClient<Client>,
    deadline: Duration,
    clock: Clock,
    seen: Mutex<HashMap<Hash, (OffsetDateTime, Member)>>,
}

impl FleetMembers {
    /// Those whom listings-svc knows. It has `deadline` to answer.
    pub fn new(listings: Client, deadline: Duration, clock: Clock) -> Self {
        Self {
            listings: MemberServiceClient::new(listings),
            deadline,
            clock,
            seen: Mutex::default(),
        }
    }

    fn remembered(&self, hash: &Hash, now: OffsetDateTime) -> Option<Member> {
        let seen = self.seen();
        let (at, member) = seen.get(hash)?;
        // A clock that was set back does not lengthen anybody's time.
        (time::Duration::ZERO..MEMORY)
            .contains(&(now - *at))
            .then(|| member.clone())
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<Hash, (OffsetDateTime, Member)>> {
        // A map is whole after every single step.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tonic::async_trait]
impl Members for FleetMembers {
    async fn find(&self, token: &str) -> Result<Option<Member>, Fault> {
        // A text of another shape is nobody's token: listings-svc is not asked.
        if !token.starts_with(PREFIX) {
            return Ok(None);
        }
        let hash: Hash = Sha256::digest(token).into();
        let now = self.clock.now();
        if let Some(member) = self.remembered(&hash, now) {
            return Ok(Some(member));
        }
        let mut request = Request::new(proto::FindMemberRequest {
            token_sha256: hash.to_vec().into(),
        });
        request.set_timeout(self.deadline);
        request.extensions_mut().insert(Idempotent);
        let found = self.listings.clone().find_member(request).await?;
        let found = found.into_inner().member.and_then(member);
        let mut seen = self.seen();
        match &found {
            Some(member) => {
                if seen.len() >= MOST {
                    seen.clear();
                }
                seen.insert(hash, (now, member.clone()));
            }
            None => {
                seen.remove(&hash);
            }
        }
        Ok(found)
    }
}

/// `None` for a role of a later version: its holder may do nothing here.
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
