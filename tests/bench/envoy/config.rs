//! Envoy's configuration: HTTP/1.1 with JSON in front, gRPC behind.

use serde_json::{Value, json};

/// A port of Envoy and the gRPC server behind it.
pub(crate) struct Front {
    pub(crate) name: &'static str,
    /// Address of the port.
    pub(crate) listen: String,
    /// Address of the server.
    pub(crate) upstream: String,
    /// A file with the descriptors of its service.
    pub(crate) descriptors: String,
    /// Its service.
    pub(crate) service: &'static str,
    /// What calls are to carry.
    pub(crate) token: Option<String>,
}

/// The configuration of all fronts.
pub(crate) fn of(fronts: &[&Front]) -> Value {
    let listeners: Vec<Value> = fronts.iter().map(|front| front.listener()).collect();
    let clusters: Vec<Value> = fronts.iter().map(|front| front.cluster()).collect();
    json!({ "static_resources": { "listeners": listeners, "clusters": clusters } })
}

impl Front {
    fn listener(&self) -> Value {
        let transcoder = json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder",
            "proto_descriptor": self.descriptors,
            "services": [self.service],
            "auto_mapping": true,
            "print_options": { "preserve_proto_field_names": true },
        });
        let router = json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
        });
        let manager = json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            "stat_prefix": self.name,
            "route_config": { "virtual_hosts": [{
                "name": self.name,
                "domains": ["*"],
                "routes": [{ "match": { "prefix": "/" }, "route": { "cluster": self.name } }],
                "request_headers_to_add": self.headers(),
            }] },
            "http_filters": [
                { "name": "envoy.filters.http.grpc_json_transcoder", "typed_config": transcoder },
                { "name": "envoy.filters.http.router", "typed_config": router },
            ],
        });
        json!({
            "name": self.name,
            "address": address(&self.listen),
            "filter_chains": [{ "filters": [{
                "name": "envoy.filters.network.http_connection_manager",
                "typed_config": manager,
            }] }],
        })
    }

    fn headers(&self) -> Vec<Value> {
        let Some(token) = &self.token else {
            return Vec::new();
        };
        vec![json!({
            "header": { "key": "authorization", "value": format!("Bearer {token}") },
            "append_action": "OVERWRITE_IF_EXISTS_OR_ADD",
        })]
    }

    fn cluster(&self) -> Value {
        json!({
            "name": self.name,
            "type": "STATIC",
            "connect_timeout": "1s",
            "typed_extension_protocol_options": {
                "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                    "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                    "explicit_http_config": { "http2_protocol_options": {} },
                },
            },
            "load_assignment": {
                "cluster_name": self.name,
                "endpoints": [{ "lb_endpoints": [{
                    "endpoint": { "address": address(&self.upstream) },
                }] }],
            },
        })
    }
}

fn address(of: &str) -> Value {
    let of = of.strip_prefix("http://").unwrap_or(of);
    let (host, port) = of.rsplit_once(':').unwrap();
    let port: u16 = port.parse().unwrap();
    json!({ "socket_address": { "address": host, "port_value": port } })
}
