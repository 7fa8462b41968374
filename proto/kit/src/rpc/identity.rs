//! Who is calling on the internal port: a service of the fleet, or staff.

use std::sync::Arc;

use http::HeaderMap;
use subtle::ConstantTimeEq as _;
use tonic::Status;

use super::staff::{Member, Members};
use crate::config::{Identity, Secret};
use crate::fault::{Fault, unidentified};

/// Decides who may call.
#[derive(Clone)]
pub struct Gate {
    tokens: Identity,
    members: Option<Arc<dyn Members>>,
}

/// What a look at a call's token says.
pub(super) enum Caller {
    /// A service of the fleet, or anybody where anybody may ask.
    Fleet,
    /// Staff.
    Staff(Member),
    /// Perhaps a member of the staff: the token is to be looked up.
    Unknown(Arc<dyn Members>, String),
}

impl Gate {
    /// Knows the fleet by its two tokens.
    pub fn new(tokens: Identity) -> Self {
        Self {
            tokens,
            members: None,
        }
    }

    /// Knows the staff by name, too.
    #[must_use]
    pub fn with_members(self, members: Arc<dyn Members>) -> Self {
        Self {
            members: Some(members),
            ..self
        }
    }

    /// Refuses a call to the gRPC `path` that does not carry the right token. Staff services, whose names begin with `Staff`, want
    /// the staff token or that of a member, every other the fleet's; health and reflection are open.
    pub(super) fn check(&self, path: &str, headers: &HeaderMap) -> Result<Caller, Status> {
        let service = path
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default();
        if service.starts_with("grpc.health.") || service.starts_with("grpc.reflection.") {
            return Ok(Caller::Fleet);
        }
        let name = service.rsplit('.').next().unwrap_or_default();
        let sent = bearer(headers);
        if !name.starts_with("Staff") {
            return match sent {
                Some(sent) if is(sent, &self.tokens.fleet_token) => Ok(Caller::Fleet),
                _ => Err(unidentified(
                    "this call needs the fleet's token, as `authorization: Bearer …`",
                )),
            };
        }
        match (sent, &self.members) {
            (Some(sent), _) if is(sent, &self.tokens.staff_token) => {
                Ok(Caller::Staff(Member::operator()))
            }
            (Some(sent), Some(members)) if !is(sent, &self.tokens.fleet_token) => {
                let sent = std::str::from_utf8(sent).map_err(|_error| nobody())?;
                Ok(Caller::Unknown(Arc::clone(members), sent.to_owned()))
            }
            _ => Err(nobody()),
        }
    }
}

/// Asks whose token it is.
pub(super) async fn look_up(members: &dyn Members, token: &str) -> Result<Member, Status> {
    match members.find(token).await {
        Ok(Some(member)) => Ok(member),
        Ok(None) => Err(nobody()),
        Err(fault) => Err(Fault::into(fault)),
    }
}

fn nobody() -> Status {
    unidentified("this call needs the staff token, or a member's own, as `authorization: Bearer …`")
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    headers
        .get(http::header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
}

fn is(sent: &[u8], token: &Secret) -> bool {
    sent.ct_eq(token.expose().as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::staff::Role;

    /// Knows one member.
    struct Ada;

    #[tonic::async_trait]
    impl Members for Ada {
        async fn find(&self, token: &str) -> Result<Option<Member>, Fault> {
            Ok((token == "ada").then(|| Member {
                name: "ada".to_owned(),
                role: Role::Reviewer,
            }))
        }
    }

    fn gate() -> Gate {
        Gate::new(Identity {
            fleet_token: "fleet".to_owned().into(),
            staff_token: "staff".to_owned().into(),
        })
    }

    fn headers(token: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        headers
    }

    #[test]
    fn each_kind_of_caller_reaches_its_own_services() {
        let allowed = |path: &str, token: Option<&str>| gate().check(path, &headers(token)).is_ok();
        let (games, staff) = (
            "/catalogue.v1.GamesService/ListGames",
            "/gateway.v1.StaffService/CreateKey",
        );
        assert!(allowed(games, Some("fleet")));
        assert!(!allowed(games, Some("staff")));
        assert!(!allowed(games, None));
        assert!(allowed(staff, Some("staff")));
        assert!(!allowed(staff, Some("fleet")));
        assert!(!allowed(staff, Some("ada")));
        assert!(allowed("/grpc.health.v1.Health/Check", None));
    }

    #[tokio::test]
    async fn a_member_reaches_staff_services_under_the_own_name() {
        let gate = gate().with_members(Arc::new(Ada));
        let who = async |path: &str, token: &str| match gate.check(path, &headers(Some(token))) {
            Ok(Caller::Staff(member)) => Some(member.name),
            Ok(Caller::Unknown(members, token)) => {
                look_up(&*members, &token).await.ok().map(|m| m.name)
            }
            Ok(Caller::Fleet) => Some("the fleet".to_owned()),
            Err(_) => None,
        };
        let staff = "/listings.v1.StaffReviewService/Decide";
        assert_eq!(who(staff, "ada").await.as_deref(), Some("ada"));
        assert_eq!(who(staff, "staff").await.as_deref(), Some("operator"));
        assert_eq!(who(staff, "fleet").await, None);
        assert_eq!(who(staff, "eve").await, None);
        assert_eq!(who("/listings.v1.FeedService/Follow", "ada").await, None);
    }
}
