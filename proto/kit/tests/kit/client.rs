//! What a client makes of replicas that come, go, hang and break off. The service is the standard health service, by replicas that do
//! as they are told.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kit::Lifecycle;
use kit::config::Secret;
use kit::rpc::client::{Addresses, Client, Idempotent, connect};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// What a replica does with a call.
#[derive(Debug, Clone, Copy)]
enum Does {
    Answers,
    Hangs,
    /// Says that it is not available, as a proxy without a service behind it does.
    IsAway,
}

#[derive(Clone)]
struct Replica {
    does: Does,
    calls: Arc<AtomicU32>,
    deadlines: Arc<Mutex<Vec<Duration>>>,
}

/// A running replica. Its runtime is its own: when it goes, its connections break off.
struct Running {
    address: String,
    calls: Arc<AtomicU32>,
    /// What was left of each call's deadline.
    deadlines: Arc<Mutex<Vec<Duration>>>,
    runtime: Option<Runtime>,
}

impl Running {
    fn start(does: Does) -> Self {
        Self::start_at("127.0.0.1:0", does)
    }

    fn start_at(address: &str, does: Does) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (calls, deadlines) = (Arc::<AtomicU32>::default(), Arc::<Mutex<Vec<_>>>::default());
        let replica = Replica {
            does,
            calls: Arc::clone(&calls),
            deadlines: Arc::clone(&deadlines),
        };
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(runtime.spawn(async move {
            let connections = TcpListenerStream::new(TcpListener::from_std(listener).unwrap());
            let server = Server::builder().add_service(HealthServer::new(replica));
            server.serve_with_incoming(connections).await.unwrap();
        }));
        Self {
            address,
            calls,
            deadlines,
            runtime: Some(runtime),
        }
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[tonic::async_trait]
impl Health for Replica {
    type WatchStream = tokio_stream::Empty<Result<HealthCheckResponse, Status>>;

    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let told = request.metadata().get("grpc-timeout").unwrap();
        let deadline = grpc_timeout(told.to_str().unwrap());
        self.deadlines.lock().unwrap().push(deadline);
        match self.does {
            Does::Answers => Ok(Response::new(HealthCheckResponse::default())),
            Does::Hangs => std::future::pending().await,
            Does::IsAway => Err(Status::new(Code::Unavailable, "no healthy upstream")),
        }
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Ok(Response::new(tokio_stream::empty()))
    }
}

/// What the header says (gRPC over HTTP/2, "Timeout").
fn grpc_timeout(told: &str) -> Duration {
    let (number, unit) = told.split_at(told.len() - 1);
    let number: u64 = number.parse().unwrap();
    match unit {
        "n" => Duration::from_nanos(number),
        "u" => Duration::from_micros(number),
        "m" => Duration::from_millis(number),
        "S" => Duration::from_secs(number),
        other => panic!("{other} is a long deadline"),
    }
}

fn client(addresses: &[&str]) -> Client {
    let (lifecycle, supervisor) = Lifecycle::new();
    drop(supervisor);
    let addresses = Addresses::List(addresses.iter().map(|&a| a.to_owned()).collect());
    connect(addresses, &token(), &lifecycle).unwrap()
}

fn token() -> Secret {
    testing::identity().fleet_token
}

async fn ask(client: &Client, idempotent: bool, deadline: Duration) -> Result<(), Status> {
    let mut request = Request::new(HealthCheckRequest::default());
    request.set_timeout(deadline);
    if idempotent {
        request.extensions_mut().insert(Idempotent);
    }
    let mut client = HealthClient::new(client.clone());
    client.check(request).await.map(drop)
}

/// So long that only a call that is never answered meets it.
const PATIENT: Duration = Duration::from_mins(1);

#[tokio::test]
async fn calls_go_to_all_replicas() {
    let (one, two) = (Running::start(Does::Answers), Running::start(Does::Answers));
    let client = client(&[&one.address, &two.address]);
    for _ in 0..10 {
        ask(&client, false, PATIENT).await.unwrap();
    }
    assert_eq!((one.calls(), two.calls()), (5, 5));
}

#[tokio::test]
async fn what_was_not_sent_is_sent_elsewhere_whatever_it_is() {
    let (gone, there) = (Running::start(Does::Answers), Running::start(Does::Answers));
    let client = client(&[&gone.address, &there.address]);
    for _ in 0..4 {
        ask(&client, false, PATIENT).await.unwrap();
    }
    // A connection that is there breaks off as well.
    drop(gone);
    for _ in 0..10 {
        ask(&client, true, PATIENT).await.unwrap();
    }
    for _ in 0..10 {
        ask(&client, false, PATIENT).await.unwrap();
    }
}

#[tokio::test]
async fn what_may_have_been_done_is_not_repeated() {
    let (away, other) = (Running::start(Does::IsAway), Running::start(Does::IsAway));
    let client = client(&[&away.address, &other.address]);
    let status = ask(&client, false, PATIENT).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(away.calls() + other.calls(), 1);
    ask(&client, true, PATIENT).await.unwrap_err();
    assert_eq!(away.calls() + other.calls(), 3);
}

#[tokio::test]
async fn a_replica_that_hangs_costs_a_part_of_the_time_and_is_put_aside() {
    let (hung, there) = (Running::start(Does::Hangs), Running::start(Does::Answers));
    let client = client(&[&hung.address, &there.address]);
    // A call that hangs is made elsewhere after a quarter of its time.
    for _ in 0..30 {
        ask(&client, true, Duration::from_secs(2)).await.unwrap();
    }
    assert_eq!(there.calls(), 30);
    assert!((3..30).contains(&hung.calls()), "{} calls", hung.calls());
}

#[tokio::test]
async fn a_call_and_its_repetition_share_the_deadline() {
    let (hung, there) = (Running::start(Does::Hangs), Running::start(Does::Answers));
    let client = client(&[&hung.address, &there.address]);
    let whole = Duration::from_secs(2);
    while hung.calls() == 0 {
        ask(&client, true, whole).await.unwrap();
    }
    let first = hung.deadlines.lock().unwrap()[0];
    let second = *there.deadlines.lock().unwrap().last().unwrap();
    // Each is told in tenths of a second, rounded up.
    let most = whole + Duration::from_millis(100);
    assert!(first + second <= most, "{first:?}, then {second:?}");
}

#[tokio::test]
async fn a_replica_that_fails_at_once_attracts_no_calls() {
    let (away, there) = (Running::start(Does::IsAway), Running::start(Does::Answers));
    let client = client(&[&away.address, &there.address]);
    for _ in 0..100 {
        ask(&client, true, PATIENT).await.unwrap();
    }
    assert_eq!(there.calls(), 100);
    assert!(away.calls() < 20, "{} calls", away.calls());
}

#[tokio::test]
async fn a_service_that_hangs_is_given_up_in_time() {
    let hung = Running::start(Does::Hangs);
    let client = client(&[&hung.address]);
    let status = ask(&client, true, Duration::from_millis(50))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    // Nobody else is there to be asked, so it was asked once.
    assert_eq!(hung.calls(), 1);
}

#[tokio::test]
async fn when_all_fail_few_calls_are_repeated() {
    let (one, two) = (Running::start(Does::IsAway), Running::start(Does::IsAway));
    let client = client(&[&one.address, &two.address]);
    for _ in 0..1_000 {
        ask(&client, true, PATIENT).await.unwrap_err();
    }
    let calls = one.calls() + two.calls();
    // A fifth of them, and a hundred that are allowed at once.
    assert!((1_000..=1_310).contains(&calls), "{calls} calls");
}

#[tokio::test]
async fn addresses_in_a_file_come_and_go() {
    let (first, second) = (Running::start(Does::Answers), Running::start(Does::Answers));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("addresses");
    std::fs::write(&file, "").unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let client = connect(Addresses::File(file.clone()), &token(), &lifecycle).unwrap();
    let write = |address: &str| {
        let new = folder.path().join("new");
        std::fs::write(&new, address).unwrap();
        std::fs::rename(&new, &file).unwrap();
    };
    // A call waits for the first address.
    let (asked, ()) = tokio::join!(ask(&client, true, PATIENT), async { write(&first.address) });
    asked.unwrap();
    assert_eq!((first.calls(), second.calls()), (1, 0));
    write(&second.address);
    while second.calls() == 0 {
        ask(&client, true, PATIENT).await.unwrap();
    }
    let before = first.calls();
    for _ in 0..10 {
        ask(&client, true, PATIENT).await.unwrap();
    }
    assert_eq!(first.calls(), before);
    lifecycle.stopping().cancel();
}

/// The name may stand for an address more, where nobody listens: a call is sent elsewhere then.
#[tokio::test]
async fn a_name_stands_for_its_addresses() {
    let replica = Running::start(Does::Answers);
    let (_, port) = replica.address.rsplit_once(':').unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let name = Addresses::Dns(format!("http://localhost:{port}"));
    let client = connect(name, &token(), &lifecycle).unwrap();
    for _ in 0..10 {
        ask(&client, true, PATIENT).await.unwrap();
    }
    assert_eq!(replica.calls(), 10);
    lifecycle.stopping().cancel();
}

/// All its replicas are gone, or its name is not known yet.
#[tokio::test]
async fn a_service_without_an_address_is_given_up_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let file = folder.path().join("addresses");
    std::fs::write(&file, "").unwrap();
    let client = connect(Addresses::File(file), &token(), &lifecycle).unwrap();
    for idempotent in [true, false] {
        let refused = ask(&client, idempotent, Duration::from_millis(50)).await;
        assert_eq!(refused.unwrap_err().code(), Code::DeadlineExceeded);
    }
    lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_service_that_comes_back_is_found_again() {
    let first = Running::start(Does::Answers);
    let address = first.address.clone();
    let client = client(&[&address]);
    ask(&client, true, PATIENT).await.unwrap();
    drop(first);
    let mut lost = 0;
    while ask(&client, true, PATIENT).await.is_ok() {
        lost += 1;
        assert!(lost < 1_000, "the service is still there");
    }
    let _second = Running::start_at(address.strip_prefix("http://").unwrap(), Does::Answers);
    while ask(&client, true, PATIENT).await.is_err() {
        tokio::task::yield_now().await;
    }
}
