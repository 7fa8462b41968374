//! Who is calling on the internal port: a service of the fleet, or staff.

use http::HeaderMap;
use subtle::ConstantTimeEq as _;
use tonic::Status;

use crate::config::{Identity, Secret};
use crate::fault::unidentified;

/// Refuses a call to the gRPC `path` that does not carry the right token. Staff services, whose names begin with `Staff`, want the
/// staff token, every other the fleet's; health and reflection are open.
pub(super) fn check(path: &str, headers: &HeaderMap, tokens: &Identity) -> Result<(), Status> {
    let service = path
        .trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default();
    if service.starts_with("grpc.health.") || service.starts_with("grpc.reflection.") {
        return Ok(());
    }
    let name = service.rsplit('.').next().unwrap_or_default();
    if name.starts_with("Staff") {
        bearer(headers, &tokens.staff_token)
            .then_some(())
            .ok_or_else(|| {
                unidentified("this call needs the staff token, as `authorization: Bearer …`")
            })
    } else {
        bearer(headers, &tokens.fleet_token)
            .then_some(())
            .ok_or_else(|| {
                unidentified("this call needs the fleet's token, as `authorization: Bearer …`")
            })
    }
}

fn bearer(headers: &HeaderMap, token: &Secret) -> bool {
    headers
        .get(http::header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
        .is_some_and(|sent| sent.ct_eq(token.expose().as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_caller_reaches_its_own_services() {
        let tokens = Identity {
            fleet_token: "fleet".to_owned().into(),
            staff_token: "staff".to_owned().into(),
        };
        let allowed = |path: &str, token: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(token) = token {
                headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
            }
            check(path, &headers, &tokens).is_ok()
        };
        assert!(allowed(
            "/catalogue.v1.GamesService/ListGames",
            Some("fleet")
        ));
        assert!(!allowed(
            "/catalogue.v1.GamesService/ListGames",
            Some("staff")
        ));
        assert!(!allowed("/catalogue.v1.GamesService/ListGames", None));
        assert!(allowed("/gateway.v1.StaffService/CreateKey", Some("staff")));
        assert!(!allowed(
            "/gateway.v1.StaffService/CreateKey",
            Some("fleet")
        ));
        assert!(allowed("/grpc.health.v1.Health/Check", None));
    }
}
