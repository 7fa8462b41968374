//! Authentication of calls on the internal port: a service of the fleet, or staff.

use std::sync::Arc;

use http::HeaderMap;
use subtle::ConstantTimeEq as _;
use tonic::Status;

use super::methods::{OPEN_SERVICES, SHARED_SERVICES};
use super::staff::{Member, Members};
use crate::config::{Identity, Secret};
use crate::fault::{Fault, unauthenticated};

/// Authenticates callers by their tokens.
#[derive(Clone)]
pub struct Authenticator {
    tokens: Identity,
    members: Option<Arc<dyn Members>>,
}

/// The principal that a token identifies.
pub(super) enum Principal {
    /// A service of the fleet; or any caller of an open service, such as health.
    Fleet,
    /// An exchange, or whoever claims to be one: the service checks the token.
    Exchange,
    /// Staff.
    Staff(Member),
    /// Perhaps a staff member: the token must be looked up.
    Unresolved(Arc<dyn Members>, String),
}

impl Authenticator {
    /// Accepts the fleet token and the staff token.
    pub fn new(tokens: Identity) -> Self {
        Self {
            tokens,
            members: None,
        }
    }

    /// Accepts the tokens of staff members as well.
    #[must_use]
    pub fn with_members(self, members: Arc<dyn Members>) -> Self {
        Self {
            members: Some(members),
            ..self
        }
    }

    /// Checks the token of a call to the gRPC `path`. A staff service, whose name begins with `Staff`, takes the staff token or the token of
    /// a member. A service for exchanges, whose name begins with `Exchange`, finds its callers by their tokens itself: they are not part of
    /// the fleet. Other services take the fleet token, a few of them also the tokens of staff; health and reflection are open.
    pub(super) fn check(&self, path: &str, headers: &HeaderMap) -> Result<Principal, Status> {
        let service = path.split('/').nth(1).unwrap_or_default();
        if OPEN_SERVICES.contains(&service) {
            return Ok(Principal::Fleet);
        }
        let name = service.rsplit('.').next().unwrap_or_default();
        let sent = bearer(headers);
        if name.starts_with("Exchange") {
            return Ok(Principal::Exchange);
        }
        let is_for_staff = name.starts_with("Staff");
        let is_shared = SHARED_SERVICES.contains(&service);
        let is_fleet = sent.is_some_and(|sent| matches(sent, &self.tokens.fleet_token));
        if is_fleet && !is_for_staff {
            return Ok(Principal::Fleet);
        }
        if !is_for_staff && !is_shared {
            return Err(unauthenticated(
                "This call needs the fleet token. Send it as `authorization: Bearer …`.",
            ));
        }
        match (sent, &self.members) {
            (Some(sent), _) if matches(sent, &self.tokens.staff_token) => {
                Ok(Principal::Staff(Member::operator()))
            }
            (Some(sent), Some(members)) if !is_fleet => {
                let sent = std::str::from_utf8(sent).map_err(|_error| not_staff())?;
                Ok(Principal::Unresolved(Arc::clone(members), sent.to_owned()))
            }
            _ => Err(not_staff()),
        }
    }
}

/// Looks up the member with this token.
pub(super) async fn look_up(members: &dyn Members, token: &str) -> Result<Member, Status> {
    match members.find(token).await {
        Ok(Some(member)) => Ok(member),
        Ok(None) => Err(not_staff()),
        Err(fault) => Err(Fault::into(fault)),
    }
}

fn not_staff() -> Status {
    unauthenticated(
        "This call needs the staff token or the token of a staff member. Send it as `authorization: Bearer …`.",
    )
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    headers
        .get(http::header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
}

fn matches(sent: &[u8], token: &Secret) -> bool {
    sent.ct_eq(token.expose().as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::staff::Role;

    /// A directory with one member.
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

    fn authenticator() -> Authenticator {
        Authenticator::new(Identity {
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
    fn each_kind_of_caller_reaches_only_its_services() {
        let allowed =
            |path: &str, token: Option<&str>| authenticator().check(path, &headers(token)).is_ok();
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
        let shared = "/webhook.v1.EndpointsService/AddEndpoint";
        assert!(allowed(shared, Some("fleet")));
        assert!(allowed(shared, Some("staff")));
        assert!(!allowed(shared, Some("ada")));
        assert!(!allowed(shared, None));
        let exchange = "/economy.v1.ExchangeService/RecordSwap";
        assert!(allowed(exchange, Some("token of an exchange")));
        assert!(allowed("/grpc.health.v1.Health/Check", None));
        assert!(allowed(
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            None
        ));
        for made_up in [
            "/grpc.health.v1.MadeUp/Check",
            "/grpc.health.v2.Health/Check",
            "/grpc.reflection.v1.ServerReflectionMadeUp/Info",
            "//grpc.health.v1.Health/Check",
            "",
        ] {
            assert!(!allowed(made_up, None), "{made_up}");
        }
    }

    #[tokio::test]
    async fn a_member_reaches_staff_services_under_its_name() {
        let authenticator = authenticator().with_members(Arc::new(Ada));
        let who = async |path: &str, token: &str| match authenticator
            .check(path, &headers(Some(token)))
        {
            Ok(Principal::Staff(member)) => Some(member.name),
            Ok(Principal::Unresolved(members, token)) => {
                look_up(&*members, &token).await.ok().map(|m| m.name)
            }
            Ok(Principal::Fleet | Principal::Exchange) => Some("the fleet".to_owned()),
            Err(_) => None,
        };
        let staff = "/listings.v1.StaffReviewService/Decide";
        assert_eq!(who(staff, "ada").await.as_deref(), Some("ada"));
        assert_eq!(who(staff, "staff").await.as_deref(), Some("operator"));
        assert_eq!(who(staff, "fleet").await, None);
        assert_eq!(who(staff, "eve").await, None);
        assert_eq!(who("/listings.v1.FeedService/Follow", "ada").await, None);
        let shared = "/webhook.v1.DeliveriesService/Recover";
        assert_eq!(who(shared, "ada").await.as_deref(), Some("ada"));
        assert_eq!(who(shared, "fleet").await.as_deref(), Some("the fleet"));
        assert_eq!(who(shared, "eve").await, None);
    }
}
