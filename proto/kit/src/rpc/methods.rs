//! The methods that internal ports have.

use std::collections::HashSet;
use std::sync::LazyLock;

use prost::Message as _;
use prost_types::FileDescriptorSet;

/// Services that need no token.
pub(super) const OPEN_SERVICES: [&str; 2] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
];

/// Services that take the fleet token, for an account that a service of the fleet has authenticated, and the tokens of staff.
pub(super) const SHARED_SERVICES: [&str; 2] = [
    "webhook.v1.EndpointsService",
    "webhook.v1.DeliveriesService",
];

/// The label of calls to paths that are no method: a stranger may make up any number of them.
const UNKNOWN: &str = "unknown";

static METHODS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let sets = [
        contracts::DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
    ];
    let files = sets
        .iter()
        .filter_map(|set| FileDescriptorSet::decode(*set).ok())
        .flat_map(|set| set.file);
    files
        .flat_map(|file| {
            let package = file.package().to_owned();
            file.service.into_iter().flat_map(move |service| {
                let prefix = format!("/{package}.{}", service.name());
                let methods = service.method.into_iter();
                methods.map(move |method| format!("{prefix}/{}", method.name()))
            })
        })
        .collect()
});

/// The name of a call in metrics and traces.
pub(super) fn label(path: &str) -> &'static str {
    METHODS.get(path).map_or(UNKNOWN, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_services_exist() {
        for service in SHARED_SERVICES {
            let prefix = format!("/{service}/");
            assert!(
                METHODS.iter().any(|it| it.starts_with(&prefix)),
                "{service}"
            );
        }
    }

    #[test]
    fn only_methods_are_labels() {
        for method in [
            "/grpc.health.v1.Health/Check",
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "/common.v1.FeedService/Follow",
        ] {
            assert_eq!(label(method), method);
        }
        for path in [
            "/grpc.health.v1.Health/Check/",
            "//grpc.health.v1.Health/Check",
            "/grpc.health.v1.Health/Made-Up",
            "/grpc.health.made.Up/Check",
            "/common.v1.StaffMadeUpService/Follow",
            "",
        ] {
            assert_eq!(label(path), UNKNOWN, "{path}");
        }
    }
}
