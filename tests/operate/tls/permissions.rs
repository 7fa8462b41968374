//! Who may call what (`kit::rpc::permissions`), on the ports of a running fleet.

use e2e::{Fleet, eventually};
use futures::{StreamExt as _, stream};
use kit::rpc::permissions::SERVICES;
use prost::Message as _;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};
use reqwest::Client;

const CONCURRENT: usize = 8;

/// The log line of a denied call, up to the names.
const DENIED: &str = " WARN rpc_denied: a call was denied ";

const STAFF_CALL: &str = "/gateway.v1.StaffService/ListPlans";
const FLEET_CALL: &str = "/common.v1.FeedService/Follow";

/// Methods of every service that change nothing: they read, or the service rejects them without arguments.
fn paths() -> Vec<String> {
    let files = FileDescriptorSet::decode(contracts::DESCRIPTORS).unwrap();
    let mut paths = Vec::new();
    for file in &files.file {
        for service in &file.service {
            let names: Vec<&str> = service.method.iter().map(MethodDescriptorProto::name).collect();
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

/// The status with which the port itself refuses a call. Such a status has no details, unlike those of a service.
async fn refusal(client: &Client, url: String, token: &str) -> Option<tonic::Code> {
    let call = client.post(url).header("content-type", "application/grpc");
    // An empty message.
    let answer = call.body(vec![0; 5]).bearer_auth(token).send().await.unwrap();
    let headers = answer.headers();
    let status = headers.get("grpc-status")?;
    let code = tonic::Code::from_bytes(status.as_bytes());
    let is_refusal = matches!(code, tonic::Code::PermissionDenied | tonic::Code::Unauthenticated);
    (is_refusal && !headers.contains_key("grpc-status-details-bin")).then_some(code)
}

async fn count_denied(fleet: &Fleet, service: &str) -> u64 {
    fleet.metric(service, "rpc_denied_total").await.iter().sum()
}

/// The denied calls in the log of a service: caller, service and method.
fn logged_denials(fleet: &Fleet, service: &str) -> Vec<String> {
    let logs = fleet.mail_dir.with_file_name("logs");
    let log = std::fs::read(logs.join(format!("{service}.log"))).unwrap();
    let log = String::from_utf8_lossy(&log);
    let denials = log.lines().filter_map(|line| line.split_once(DENIED));
    denials.map(|(_, names)| names.to_owned()).collect()
}

/// Makes a call that `server` denies, until the log names its caller, service and method.
async fn assert_logged(fleet: &Fleet, server: &str, caller: &str, token: &str, method: &str) {
    let client = http2();
    let address = &fleet.service(server).grpc;
    let (service, _) = method[1..].split_once('/').unwrap();
    let names = format!(r#"caller="{caller}" service="{service}" method="{method}""#);
    eventually("a denied call is logged", async || {
        let refused = refusal(&client, format!("{address}{method}"), token).await;
        assert_eq!(refused, Some(tonic::Code::PermissionDenied));
        let logged = logged_denials(fleet, server);
        logged.contains(&names).then_some(())
    })
    .await;
}

#[tokio::test]
async fn staff_and_services_reach_only_their_own_calls_at_every_port() {
    let fleet = Fleet::shared();
    let (client, paths) = (http2(), paths());
    for server in SERVICES {
        let address = &fleet.service(server).grpc;
        let before = count_denied(&fleet, server).await;
        let calls = paths.iter().flat_map(|path| [(path, true), (path, false)]);
        let checks = stream::iter(calls)
            .map(async |(path, is_staff)| {
                let token = if is_staff { &fleet.staff_token } else { &fleet.service_token };
                let refused = refusal(&client, format!("{address}{path}"), token).await;
                let may = path.contains(".Staff") == is_staff;
                let expected = (!may).then_some(tonic::Code::PermissionDenied);
                assert_eq!(refused, expected, "{is_staff}: {path} of {server}");
                u64::from(!may)
            })
            .buffer_unordered(CONCURRENT);
        let denied: u64 = checks.collect::<Vec<_>>().await.into_iter().sum();
        // Other tests may be denied calls in the meantime.
        assert!(denied > 0);
        assert!(count_denied(&fleet, server).await >= before + denied);
        assert_logged(&fleet, server, "fleet", &fleet.service_token, STAFF_CALL).await;
        assert_logged(&fleet, server, "staff", &fleet.staff_token, FLEET_CALL).await;
    }
}
