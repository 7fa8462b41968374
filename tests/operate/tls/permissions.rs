//! The table of permitted calls (`kit::rpc::permissions`) on the ports of a running fleet.

use e2e::{Fleet, eventually};
use futures::{StreamExt as _, stream};
use kit::rpc::permissions::{SERVICES, STAFF, may_call};
use prost::Message as _;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};
use reqwest::Client;

/// The most calls at once.
const CONCURRENT: usize = 8;

/// The caller in the log if the header names no service.
const UNKNOWN: &str = "unknown";
/// What a service logs about a denied call, before the names.
const DENIED: &str = " WARN rpc_denied: a call was denied ";

/// A method that neither web nor staff may call, on any port.
const FOLLOW: &str = "/common.v1.FeedService/Follow";

/// Methods of every service. They read; or else, without a value in any field, they are refused by the service.
fn paths() -> Vec<String> {
    let files = FileDescriptorSet::decode(contracts::DESCRIPTORS).unwrap();
    let mut paths = Vec::new();
    for file in &files.file {
        for service in &file.service {
            let names: Vec<&str> = service
                .method
                .iter()
                .map(MethodDescriptorProto::name)
                .collect();
            let reads = |name: &&str| name.starts_with("List") || name.starts_with("Get");
            let mut chosen: Vec<&str> = names.iter().copied().filter(reads).collect();
            if chosen.is_empty() {
                chosen.push(names[0]);
            }
            let service = format!("/{}.{}", file.package(), service.name());
            paths.extend(chosen.iter().map(|name| format!("{service}/{name}")));
        }
    }
    paths
}

fn http2() -> Client {
    Client::builder().http2_prior_knowledge().build().unwrap()
}

/// The status with which the port refuses a call itself: without details, which the statuses of a service have.
async fn refusal(
    client: &Client,
    url: String,
    caller: &'static str,
    token: &str,
) -> Option<tonic::Code> {
    let call = client.post(url).header("content-type", "application/grpc");
    // A message without fields.
    let call = call.header("x-caller", caller).body(vec![0; 5]);
    let answer = call.bearer_auth(token).send().await.unwrap();
    let headers = answer.headers();
    let status = headers.get("grpc-status")?;
    let code = tonic::Code::from_bytes(status.as_bytes());
    let is_refusal = matches!(
        code,
        tonic::Code::PermissionDenied | tonic::Code::Unauthenticated
    );
    (is_refusal && !headers.contains_key("grpc-status-details-bin")).then_some(code)
}

async fn count_denied(fleet: &Fleet, service: &str) -> u64 {
    fleet.metric(service, "rpc_denied_total").await[0]
}

/// The denied calls in the log of a service, with the names of the caller, the service and the method.
fn logged_denials(fleet: &Fleet, service: &str) -> Vec<String> {
    let logs = fleet.mail_dir.with_file_name("logs");
    let log = std::fs::read(logs.join(format!("{service}.log"))).unwrap();
    let log = String::from_utf8_lossy(&log);
    let denials = log.lines().filter_map(|line| line.split_once(DENIED));
    denials.map(|(_, names)| names.to_owned()).collect()
}

/// Makes a call that the service `server` denies, until its log has just the names of the caller and of the method.
async fn assert_logged(fleet: &Fleet, server: &str, caller: &'static str) {
    let client = http2();
    let address = &fleet.service(server).grpc;
    let (token, name) = match caller {
        STAFF => (&fleet.staff_token, STAFF),
        _ if SERVICES.contains(&caller) => (&fleet.service_token, caller),
        _ => (&fleet.service_token, UNKNOWN),
    };
    let (service, _) = FOLLOW[1..].split_once('/').unwrap();
    let names = format!(r#"caller="{name}" service="{service}" method="{FOLLOW}""#);
    eventually("a denied call is logged", async || {
        let refused = refusal(&client, format!("{address}{FOLLOW}"), caller, token).await;
        assert_eq!(refused, Some(tonic::Code::PermissionDenied));
        let logged = logged_denials(fleet, server);
        logged.contains(&names).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_call_that_the_table_does_not_list_is_denied_at_every_port() {
    let fleet = Fleet::shared();
    let (client, paths) = (http2(), paths());
    for server in SERVICES {
        let address = &fleet.service(server).grpc;
        let before = count_denied(&fleet, server).await;
        let callers = SERVICES.into_iter().chain([STAFF, "stranger"]);
        let calls = callers.flat_map(|caller| paths.iter().map(move |path| (caller, path)));
        let checks = stream::iter(calls).map(async |(caller, path)| {
            let token = if caller == STAFF {
                &fleet.staff_token
            } else {
                &fleet.service_token
            };
            let refused = refusal(&client, format!("{address}{path}"), caller, token).await;
            let may = may_call(caller, server, path);
            let expected = (!may).then_some(tonic::Code::PermissionDenied);
            assert_eq!(refused, expected, "{caller}: {path} of {server}");
            u64::from(!may)
        });
        let checks = checks.buffer_unordered(CONCURRENT);
        let denied: u64 = checks.collect::<Vec<_>>().await.into_iter().sum();
        // Other tests may be denied calls meanwhile.
        assert!(denied > 0);
        assert!(count_denied(&fleet, server).await >= before + denied);
        for caller in ["web", STAFF, "stranger"] {
            assert_logged(&fleet, server, caller).await;
        }
    }
}
