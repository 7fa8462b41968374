//! Authentication of calls on the internal port: a service of the fleet, or staff.

use http::{Extensions, HeaderMap};
use tonic::Status;

use super::members::{NoMember, StaffMembers, day};
use super::methods::{UNKNOWN, label, service_label};
use super::permissions::{self, HEALTH, STAFF};
use super::staff::{Member, permission_denied};
use super::tls::PeerNames;
use crate::config::Identity;
use crate::fault::unauthenticated;

/// Authenticates callers by their tokens, and authorizes their calls by the table of [`permissions`].
#[derive(Clone)]
pub struct Authenticator {
    /// The service that is called.
    server: &'static str,
    tokens: Identity,
    members: Option<StaffMembers>,
    requires_certificate: bool,
}

/// The principal of a call that is allowed.
pub(super) enum Principal {
    /// A service of the fleet; or any caller of the health service.
    Fleet,
    /// Staff.
    Staff(Member),
}

impl Authenticator {
    /// Accepts the fleet tokens and the staff tokens on the internal port of the service `server`.
    pub fn new(server: &'static str, tokens: Identity) -> Self {
        Self {
            server,
            tokens,
            members: None,
            requires_certificate: false,
        }
    }

    /// Accepts the tokens of staff members as well.
    #[must_use]
    pub fn with_members(self, members: StaffMembers) -> Self {
        Self {
            members: Some(members),
            ..self
        }
    }

    /// Accepts services of the fleet only with a client certificate that names them, for a server with TLS.
    #[must_use]
    pub fn requiring_certificates(self) -> Self {
        Self {
            requires_certificate: true,
            ..self
        }
    }

    /// Checks a call to the gRPC `path`: its token says whether a service or staff calls, and the table whether this caller may.
    ///
    /// A service names itself in the header `x-caller`. It is believed because it has the fleet token, and with TLS only if its certificate
    /// has this name. Health is open.
    pub(super) fn check(
        &self,
        path: &str,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Principal, Status> {
        let (service, _) = permissions::split(path);
        if service == HEALTH {
            return Ok(Principal::Fleet);
        }
        let callers = permissions::callers(self.server, path);
        let sent = bearer(headers);
        if sent.is_some_and(|sent| self.tokens.fleet_token.accepts(sent)) {
            return self.check_service(path, callers, headers, extensions);
        }
        let is_staff = sent.is_some_and(|sent| self.tokens.staff_token.accepts(sent));
        match (callers.contains(&STAFF), sent, &self.members) {
            (true, ..) if is_staff => Ok(Principal::Staff(Member::operator())),
            (false, ..) if is_staff => Err(deny(STAFF, path, "Staff may not make this call.")),
            (false, ..) => Err(unauthenticated(
                "This call needs the fleet token. Send it as `authorization: Bearer …`.",
            )),
            (true, Some(sent), Some(members)) => {
                let sent = std::str::from_utf8(sent).map_err(|_error| not_staff())?;
                members.find(sent).map(Principal::Staff).map_err(refusal)
            }
            (true, ..) => Err(not_staff()),
        }
    }

    /// Checks a call with the fleet token.
    fn check_service(
        &self,
        path: &str,
        callers: &[&str],
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Principal, Status> {
        let Some(caller) = permissions::caller(headers) else {
            let sentence = "Name the service that calls in the header `x-caller`, for example `x-caller: web`.";
            return Err(deny(UNKNOWN, path, sentence));
        };
        let is_certified = match extensions.get::<PeerNames>() {
            Some(PeerNames(names)) => names.iter().any(|name| name == caller),
            None => !self.requires_certificate,
        };
        if !is_certified {
            let sentence =
                format!("This call needs a client certificate with the name `{caller}`.");
            return Err(deny(caller, path, sentence));
        }
        if !callers.contains(&caller) {
            let service = service_label(path);
            let sentence = format!("`{caller}` may not make this call to `{service}`.");
            return Err(deny(caller, path, sentence));
        }
        Ok(Principal::Fleet)
    }
}

/// Records a call of the fleet or of staff that is denied.
///
/// The log is its audit: the table of staff actions would get a row for each call of a service that is faulty or taken over. Neither has a
/// text of the caller. Calls without a valid token are not logged: strangers could fill the log.
fn deny(caller: &'static str, path: &str, sentence: impl Into<String>) -> Status {
    let (service, method) = (service_label(path), label(path));
    metrics::counter!("rpc_denied_total", "caller" => caller, "service" => service).increment(1);
    tracing::warn!(target: "rpc_denied", caller, service, method, "a call was denied");
    permission_denied(sentence)
}

fn refusal(reason: NoMember) -> Status {
    match reason {
        NoMember::Unknown => not_staff(),
        NoMember::Expired(last) => unauthenticated(format!(
            "The last day of your token was {}. Ask an admin for a new one (`staff member new`).",
            day(last)
        )),
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

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};
    use tonic::Code;

    use super::*;
    use crate::clock::Clock;
    use crate::config::Tokens;
    use crate::rpc::members::line;
    use crate::rpc::methods::METHODS;
    use crate::rpc::permissions::{CALLER, LISTINGS, SERVICES, WEB, may_call};
    use crate::rpc::staff::Role;

    fn authenticator() -> Authenticator {
        let tokens = |first: &str| Tokens {
            first: first.to_owned().into(),
            others: vec![format!("next-{first}").into()],
        };
        let identity = Identity {
            fleet_token: tokens("fleet"),
            staff_token: tokens("staff"),
            staff_members: None,
        };
        Authenticator::new(LISTINGS, identity)
    }

    fn headers(caller: Option<&str>, token: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(caller) = caller {
            headers.insert(CALLER, caller.parse().unwrap());
        }
        if let Some(token) = token {
            headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        headers
    }

    /// The code with which a call is refused.
    fn refusal(
        authenticator: &Authenticator,
        path: &str,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Option<Code> {
        let checked = authenticator.check(path, headers, extensions);
        checked.err().map(|status| status.code())
    }

    const DENIED: Option<Code> = Some(Code::PermissionDenied);
    const STRANGER: Option<Code> = Some(Code::Unauthenticated);

    const GAMES: &str = "/catalogue.v1.GamesService/ListGames";
    const STAFF_CALL: &str = "/gateway.v1.StaffService/CreateKey";
    const SHARED: &str = "/webhook.v1.EndpointsService/AddEndpoint";
    const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const CHECK: &str = "/grpc.health.v1.Health/Check";

    #[test]
    fn each_kind_of_caller_reaches_only_its_services() {
        let authenticator = authenticator();
        let refused = |path: &str, token: Option<&str>| {
            let headers = headers(Some(WEB), token);
            refusal(&authenticator, path, &headers, &Extensions::new())
        };
        for token in ["fleet", "next-fleet"] {
            for path in [GAMES, SHARED, REFLECTION] {
                assert_eq!(refused(path, Some(token)), None, "{path}");
            }
            assert_eq!(refused(STAFF_CALL, Some(token)), DENIED);
        }
        for token in ["staff", "next-staff"] {
            for path in [STAFF_CALL, SHARED, REFLECTION] {
                assert_eq!(refused(path, Some(token)), None, "{path}");
            }
            assert_eq!(refused(GAMES, Some(token)), DENIED);
        }
        for token in [
            None,
            Some("ada"),
            Some(""),
            Some("flee"),
            Some("fleet,next-fleet"),
        ] {
            for path in [GAMES, STAFF_CALL, SHARED, REFLECTION] {
                assert_eq!(refused(path, token), STRANGER, "{path}");
            }
            assert_eq!(refused(CHECK, token), None);
        }
        for made_up in [
            "/grpc.health.v1.MadeUp/Check",
            "/grpc.health.v2.Health/Check",
            "/grpc.reflection.v1.ServerReflectionMadeUp/Info",
            "//grpc.health.v1.Health/Check",
            "",
        ] {
            assert_eq!(refused(made_up, None), STRANGER, "{made_up}");
            assert_eq!(refused(made_up, Some("fleet")), DENIED, "{made_up}");
        }
    }

    /// Every method of every port, for every caller.
    #[test]
    fn a_service_makes_the_calls_of_the_table_and_no_other() {
        let others = [STAFF, "stranger"];
        for server in SERVICES {
            let authenticator = Authenticator {
                server,
                ..authenticator()
            };
            for path in &*METHODS {
                let is_open = permissions::split(path).0 == HEALTH;
                for caller in SERVICES.into_iter().chain(others) {
                    let headers = headers(Some(caller), Some("fleet"));
                    let refused = refusal(&authenticator, path, &headers, &Extensions::new());
                    let is_service = SERVICES.contains(&caller);
                    let may = is_open || (is_service && may_call(caller, server, path));
                    assert_eq!(
                        refused,
                        if may { None } else { DENIED },
                        "{caller}: {path} of {server}"
                    );
                }
                let nameless = headers(None, Some("fleet"));
                let refused = refusal(&authenticator, path, &nameless, &Extensions::new());
                assert_eq!(refused, if is_open { None } else { DENIED }, "{path}");
                let staff = headers(None, Some("staff"));
                let refused = refusal(&authenticator, path, &staff, &Extensions::new());
                let may = is_open || may_call(STAFF, server, path);
                assert_eq!(refused, if may { None } else { DENIED }, "{path}");
            }
        }
    }

    #[test]
    fn a_certificate_names_the_service_that_calls() {
        let certified = |names: &[&str]| {
            let names = names.iter().map(ToString::to_string).collect();
            let mut extensions = Extensions::new();
            extensions.insert(PeerNames(names));
            extensions
        };
        let fleet = headers(Some(WEB), Some("fleet"));
        let staff = headers(None, Some("staff"));
        let plain = authenticator();
        let strict = authenticator().requiring_certificates();
        let refused =
            |of: &Authenticator, extensions: &Extensions| refusal(of, GAMES, &fleet, extensions);
        assert_eq!(refused(&plain, &Extensions::new()), None);
        assert_eq!(refused(&strict, &Extensions::new()), DENIED);
        for of in [&plain, &strict] {
            assert_eq!(refused(of, &certified(&["web", "host-1"])), None);
            for others in [&["gateway"][..], &["*"], &["web.example"], &[]] {
                assert_eq!(refused(of, &certified(others)), DENIED, "{others:?}");
            }
        }
        // Staff, and those who ask for the health, have no certificate.
        let none = Extensions::new();
        assert_eq!(refusal(&strict, STAFF_CALL, &staff, &none), None);
        assert_eq!(refusal(&strict, CHECK, &HeaderMap::new(), &none), None);
    }

    #[test]
    fn a_member_reaches_staff_services_under_its_name() {
        let clock = Clock::fixed(datetime!(2026-03-01 00:00 UTC));
        let member = |name: &str, last_day| Member {
            name: name.to_owned(),
            role: Role::Reviewer,
            last_day: Some(last_day),
        };
        let ada = line(&member("ada", date!(2026 - 03 - 01)), "ada");
        let old = line(&member("old", date!(2026 - 02 - 28)), "old");
        let members = StaffMembers::of(&format!("{ada}\n{old}"), clock).unwrap();
        let authenticator = authenticator().with_members(members);
        let who = |path: &str, token: &str| {
            let headers = headers(Some(WEB), Some(token));
            match authenticator.check(path, &headers, &Extensions::new()) {
                Ok(Principal::Staff(member)) => Some(member.name),
                Ok(Principal::Fleet) => Some("the fleet".to_owned()),
                Err(_) => None,
            }
        };
        let staff = "/listings.v1.StaffReviewService/Decide";
        assert_eq!(who(staff, "ada").as_deref(), Some("ada"));
        assert_eq!(who(staff, "staff").as_deref(), Some("operator"));
        assert_eq!(who(staff, "fleet"), None);
        assert_eq!(who(staff, "eve"), None);
        assert_eq!(who(staff, "old"), None);
        assert_eq!(who("/common.v1.FeedService/Follow", "ada"), None);
        let shared = "/webhook.v1.DeliveriesService/Recover";
        assert_eq!(who(shared, "ada").as_deref(), Some("ada"));
        assert_eq!(who(shared, "fleet").as_deref(), Some("the fleet"));
        assert_eq!(who(shared, "eve"), None);
    }
}
