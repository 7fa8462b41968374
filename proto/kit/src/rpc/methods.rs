//! The methods that internal ports have.

use std::collections::HashSet;
use std::sync::LazyLock;

use prost::Message as _;
use prost_types::FileDescriptorSet;

/// The label of calls to paths that are no method: a stranger may make up any number of them.
pub(super) const UNKNOWN: &str = "unknown";

pub(super) static METHODS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let sets = [
        contracts::DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
    ];
    let files =
        sets.iter().filter_map(|set| FileDescriptorSet::decode(*set).ok()).flat_map(|set| set.file);
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

/// The name of the service of a call in metrics and logs.
pub(super) fn service_label(path: &str) -> &'static str {
    label(path).split('/').nth(1).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_methods_are_labels() {
        for method in [
            "/grpc.health.v1.Health/Check",
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "/common.v1.FeedService/Follow",
        ] {
            assert_eq!(label(method), method);
            let (_, service) = method.split_once('/').unwrap();
            assert!(service.starts_with(service_label(method)), "{method}");
        }
        for path in [
            "/grpc.health.v1.Health/Check/",
            "//grpc.health.v1.Health/Check",
            "/grpc.health.v1.Health/Made-Up",
            "/grpc.health.made.Up/Check",
            "/common.v1.StaffMadeUpService/Follow",
            "",
        ] {
            assert_eq!((label(path), service_label(path)), (UNKNOWN, UNKNOWN), "{path}");
        }
    }
}
