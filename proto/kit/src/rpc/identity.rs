//! Authentication of calls on the internal port: a service of the fleet, or staff.

use http::HeaderMap;
use tonic::Status;
use tonic::transport::CertificateDer;

use super::members_file::{NoMember, StaffMembers, day};
use super::methods::{label, service_label};
use super::permissions::{self, Callers, STAFF};
use super::staff::{Member, permission_denied};
use super::tls;
use crate::api::fault::unauthenticated;
use crate::config::Identity;

/// The caller in metrics and logs of a call with the fleet token and without a certificate.
const FLEET: &str = "fleet";

/// Authenticates callers by their tokens and certificates, and authorizes their calls by [`permissions`].
#[derive(Clone)]
pub struct Authenticator {
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
    /// Accepts the fleet tokens and the staff tokens.
    pub fn new(tokens: Identity) -> Self {
        Self { tokens, members: None, requires_certificate: false }
    }

    /// Accepts the tokens of staff members as well.
    #[must_use]
    pub fn with_members(self, members: StaffMembers) -> Self {
        Self { members: Some(members), ..self }
    }

    /// Accepts services of the fleet only with a client certificate that names one, for a server with TLS.
    #[must_use]
    pub fn requiring_certificates(self) -> Self {
        Self { requires_certificate: true, ..self }
    }

    /// Checks a call to the gRPC `path`: its token says whether a service or staff calls, and the name of the gRPC service whether this
    /// caller may. `certificate` is the verified one of the caller.
    pub(super) fn check(
        &self,
        path: &str,
        headers: &HeaderMap,
        certificate: Option<&CertificateDer<'_>>,
    ) -> Result<Principal, Status> {
        let callers = permissions::callers(path);
        if callers == Callers::Anyone {
            return Ok(Principal::Fleet);
        }
        let sent = bearer(headers);
        if sent.is_some_and(|sent| self.tokens.fleet_token.accepts(sent)) {
            return self.check_service(path, callers, certificate);
        }
        let is_staff = sent.is_some_and(|sent| self.tokens.staff_token.accepts(sent));
        match (callers != Callers::Fleet, sent, &self.members) {
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

    /// Checks a call with the fleet token. With TLS, the caller's certificate must have the name of a service.
    fn check_service(
        &self,
        path: &str,
        callers: Callers,
        certificate: Option<&CertificateDer<'_>>,
    ) -> Result<Principal, Status> {
        let service = certificate.and_then(tls::service_name);
        if service.is_none() && (certificate.is_some() || self.requires_certificate) {
            let sentence = "This call needs a client certificate with the name of a service.";
            return Err(deny(FLEET, path, sentence));
        }
        if callers == Callers::Staff {
            return Err(deny(service.unwrap_or(FLEET), path, "Only staff may make this call."));
        }
        Ok(Principal::Fleet)
    }
}

/// Records a call of the fleet or of staff that is denied.
///
/// The log is its audit: the table of staff actions would get a row for each call of a service that is faulty or taken over. Neither has a
/// text of the caller. Calls without a valid token are not logged: strangers could fill the log.
fn deny(caller: &'static str, path: &str, sentence: &'static str) -> Status {
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
    use crate::rpc::members_file::line;
    use crate::rpc::staff::Role;
    use crate::rpc::tls::tests::certificate;

    fn authenticator() -> Authenticator {
        let tokens = |first: &str| Tokens {
            first: first.to_owned().into(),
            others: vec![format!("next-{first}").into()],
        };
        Authenticator::new(Identity {
            fleet_token: tokens("fleet"),
            staff_token: tokens("staff"),
            staff_members: None,
        })
    }

    fn headers(token: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        headers
    }

    /// The code of the refusal; `None` if the call is admitted.
    fn refusal(
        authenticator: &Authenticator,
        path: &str,
        token: Option<&str>,
        certificate: Option<&CertificateDer<'_>>,
    ) -> Option<Code> {
        let checked = authenticator.check(path, &headers(token), certificate);
        checked.err().map(|status| status.code())
    }

    const DENIED: Option<Code> = Some(Code::PermissionDenied);
    const STRANGER: Option<Code> = Some(Code::Unauthenticated);

    const GAMES: &str = "/catalogue.v1.GamesService/ListGames";
    const STAFF_CALL: &str = "/gateway.v1.StaffService/CreateKey";
    const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const CHECK: &str = "/grpc.health.v1.Health/Check";

    #[test]
    fn each_kind_of_caller_reaches_only_its_services() {
        let authenticator = authenticator();
        let refused = |path: &str, token: Option<&str>| refusal(&authenticator, path, token, None);
        for token in ["fleet", "next-fleet"] {
            assert_eq!(refused(GAMES, Some(token)), None);
            assert_eq!(refused(REFLECTION, Some(token)), None);
            assert_eq!(refused(STAFF_CALL, Some(token)), DENIED);
        }
        for token in ["staff", "next-staff"] {
            assert_eq!(refused(STAFF_CALL, Some(token)), None);
            assert_eq!(refused(REFLECTION, Some(token)), None);
            assert_eq!(refused(GAMES, Some(token)), DENIED);
        }
        for token in [None, Some("ada"), Some(""), Some("flee"), Some("fleet,next-fleet")] {
            for path in [GAMES, STAFF_CALL, REFLECTION] {
                assert_eq!(refused(path, token), STRANGER, "{path}");
            }
            assert_eq!(refused(CHECK, token), None);
        }
    }

    #[test]
    fn a_certificate_names_the_service_that_calls() {
        let plain = authenticator();
        let strict = authenticator().requiring_certificates();
        let fleet = Some("fleet");
        assert_eq!(refusal(&plain, GAMES, fleet, None), None);
        assert_eq!(refusal(&strict, GAMES, fleet, None), DENIED);
        let (web, stranger) = (certificate("web"), certificate("web.example"));
        for of in [&plain, &strict] {
            assert_eq!(refusal(of, GAMES, fleet, Some(&web)), None);
            assert_eq!(refusal(of, STAFF_CALL, fleet, Some(&web)), DENIED);
            assert_eq!(refusal(of, GAMES, fleet, Some(&stranger)), DENIED);
        }
        // Staff and health checks need no certificate.
        assert_eq!(refusal(&strict, STAFF_CALL, Some("staff"), None), None);
        assert_eq!(refusal(&strict, CHECK, None, None), None);
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
        let who = |path: &str, token: &str| match authenticator.check(
            path,
            &headers(Some(token)),
            None,
        ) {
            Ok(Principal::Staff(member)) => Some(member.name),
            Ok(Principal::Fleet) => Some("the fleet".to_owned()),
            Err(_) => None,
        };
        let staff = "/listings.v1.StaffReviewService/Decide";
        assert_eq!(who(staff, "ada").as_deref(), Some("ada"));
        assert_eq!(who(staff, "staff").as_deref(), Some("operator"));
        assert_eq!(who(staff, "fleet"), None);
        assert_eq!(who(staff, "eve"), None);
        assert_eq!(who(staff, "old"), None);
        assert_eq!(who("/common.v1.FeedService/Follow", "ada"), None);
    }
}
