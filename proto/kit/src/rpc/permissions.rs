//! Who may call what between the services.
//!
//! Every gRPC port enforces it by the name of the gRPC service: one whose name begins with `Staff` is for staff, any other is for the services
//! of the fleet.

/// The API.
pub const GATEWAY: &str = "gateway";
/// The dashboard and the public site.
pub const WEB: &str = "web";
/// The read model of listings, with the boards.
pub const CATALOGUE: &str = "catalogue-svc";
/// Listings and their review.
pub const LISTINGS: &str = "listings-svc";
/// Reports, rates, swaps and tips.
pub const ECONOMY: &str = "economy-svc";
/// Webhooks.
pub const WEBHOOK: &str = "webhook-svc";
/// The holders of a staff token: the staff tool.
pub const STAFF: &str = "staff";

/// The services of the fleet.
pub const SERVICES: [&str; 6] = [GATEWAY, WEB, CATALOGUE, LISTINGS, ECONOMY, WEBHOOK];

/// The service that anyone may call: load balancers have no token.
const HEALTH: &str = "grpc.health.v1.Health";
const REFLECTION: &str = "grpc.reflection.v1.ServerReflection";

/// Those who may call a gRPC service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callers {
    Anyone,
    /// The services of the fleet.
    Fleet,
    /// The holders of a staff token.
    Staff,
    FleetAndStaff,
}

/// Those who may call the method at `path`.
pub(super) fn callers(path: &str) -> Callers {
    let path = path.strip_prefix('/').unwrap_or_default();
    let service = path.split('/').next().unwrap_or_default();
    let name = service.rsplit('.').next().unwrap_or_default();
    match service {
        HEALTH => Callers::Anyone,
        REFLECTION => Callers::FleetAndStaff,
        _ if name.starts_with("Staff") => Callers::Staff,
        _ => Callers::Fleet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_service_says_who_may_call_it() {
        for (path, expected) in [
            ("/grpc.health.v1.Health/Check", Callers::Anyone),
            ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Callers::FleetAndStaff),
            ("/gateway.v1.StaffService/CreateKey", Callers::Staff),
            ("/listings.v1.StaffReviewService/Decide", Callers::Staff),
            ("/common.v1.FeedService/Follow", Callers::Fleet),
            // Only the exact name of the health service is open to everyone.
            ("/grpc.health.v1.MadeUp/Check", Callers::Fleet),
            ("/grpc.health.v2.Health/Check", Callers::Fleet),
            ("//grpc.health.v1.Health/Check", Callers::Fleet),
            ("grpc.health.v1.Health/Check", Callers::Fleet),
            ("", Callers::Fleet),
        ] {
            assert_eq!(callers(path), expected, "{path}");
        }
    }
}
