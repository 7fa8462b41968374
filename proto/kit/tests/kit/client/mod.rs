//! The RPC client against replicas that start, stop, hang and fail. They serve the standard health service.

mod silence;

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use contracts::Unary;
use futures::stream::{self, BoxStream, StreamExt as _};
use kit::Lifecycle;
use kit::config::Secret;
use kit::rpc::client::{Addresses, Client, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

#[derive(Debug, Clone, Copy)]
enum Behaviour {
    Answer,
    Hang,
    /// Returns `UNAVAILABLE` without a fault, like a proxy without an upstream.
    Unavailable,
    /// Returns a status that is larger than the client accepts.
    TooLarge,
}

#[derive(Clone)]
struct Replica {
    behaviour: Behaviour,
    calls: Arc<AtomicU32>,
    deadlines: Arc<Mutex<Vec<Duration>>>,
}

/// A running replica with its own runtime: dropping it closes its connections.
struct Running {
    address: String,
    calls: Arc<AtomicU32>,
    /// The remaining time in the header of each call.
    deadlines: Arc<Mutex<Vec<Duration>>>,
    runtime: Option<Runtime>,
}

impl Running {
    fn start(behaviour: Behaviour) -> Self {
        Self::start_at("127.0.0.1:0", behaviour)
    }

    fn start_at(address: &str, behaviour: Behaviour) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (calls, deadlines) = (Arc::<AtomicU32>::default(), Arc::<Mutex<Vec<_>>>::default());
        let replica =
            Replica { behaviour, calls: Arc::clone(&calls), deadlines: Arc::clone(&deadlines) };
        let listener = bind(address);
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(runtime.spawn(async move {
            let connections = TcpListenerStream::new(TcpListener::from_std(listener).unwrap());
            let server = Server::builder().add_service(HealthServer::new(replica));
            server.serve_with_incoming(connections).await.unwrap();
        }));
        Self { address, calls, deadlines, runtime: Some(runtime) }
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

/// Retries, because a replica that was dropped closes its listener a moment after its connections.
fn bind(address: &str) -> std::net::TcpListener {
    let begun = Instant::now();
    loop {
        match std::net::TcpListener::bind(address) {
            Ok(listener) => return listener,
            Err(error) => assert!(begun.elapsed() < LONG, "{address}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tonic::async_trait]
impl Health for Replica {
    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let header = request.metadata().get("grpc-timeout").unwrap();
        let deadline = grpc_timeout(header.to_str().unwrap());
        self.deadlines.lock().unwrap().push(deadline);
        match self.behaviour {
            Behaviour::Answer => Ok(Response::new(HealthCheckResponse::default())),
            Behaviour::Hang => std::future::pending().await,
            Behaviour::Unavailable => Err(Status::new(Code::Unavailable, "no healthy upstream")),
            Behaviour::TooLarge => Err(Status::new(Code::InvalidArgument, "a".repeat(80 << 10))),
        }
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        match self.behaviour {
            Behaviour::Answer => {
                let message = std::future::ready(Ok(HealthCheckResponse::default()));
                Ok(Response::new(stream::once(message).boxed()))
            }
            Behaviour::Hang | Behaviour::TooLarge => Ok(Response::new(stream::pending().boxed())),
            Behaviour::Unavailable => Err(Status::new(Code::Unavailable, "no healthy upstream")),
        }
    }
}

/// Parses the header (gRPC over HTTP/2, "Timeout").
fn grpc_timeout(header: &str) -> Duration {
    let (number, unit) = header.split_at(header.len() - 1);
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

fn connect(addresses: Addresses, token: &Secret, lifecycle: &Lifecycle) -> anyhow::Result<Client> {
    testing::connect(addresses, Transport::plain(), token, lifecycle)
}

fn token() -> Secret {
    testing::fleet_token()
}

/// The request of `Check`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
struct Check {
    #[prost(string, tag = "1")]
    service: String,
}

impl Unary for Check {
    const PATH: &'static str = "/grpc.health.v1.Health/Check";
    type Response = HealthCheckResponse;
}

async fn call(client: &Client, idempotent: bool, deadline: Duration) -> Result<(), Status> {
    let request = Check::default();
    let called = if idempotent {
        client.idempotent(&request, deadline).await
    } else {
        client.once(&request, deadline).await
    };
    called.map(drop)
}

/// Long enough for every call that is answered at all.
const LONG: Duration = testing::LONG;

#[tokio::test]
async fn a_call_that_was_not_sent_is_retried_even_if_not_idempotent() {
    let (gone, there) = (Running::start(Behaviour::Answer), Running::start(Behaviour::Answer));
    let client = client(&[&gone.address, &there.address]);
    for _ in 0..4 {
        call(&client, false, LONG).await.unwrap();
    }
    // Dropping a replica also closes its open connections.
    drop(gone);
    for _ in 0..10 {
        call(&client, true, LONG).await.unwrap();
    }
    for _ in 0..10 {
        call(&client, false, LONG).await.unwrap();
    }
}

/// Reads the HTTP/2 preface, and frames up to the HEADERS frame of a call.
async fn read_head(connection: &mut TcpStream) {
    connection.read_exact(&mut [0; 24]).await.unwrap();
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await.unwrap();
        let [0, high, low, kind, ..] = head else {
            panic!("a long frame");
        };
        let length = u16::from_be_bytes([high, low]);
        let mut payload = vec![0; length.into()];
        connection.read_exact(&mut payload).await.unwrap();
        if kind == HEADERS {
            return;
        }
    }
}

/// The type of a HEADERS frame.
const HEADERS: u8 = 1;
/// An empty SETTINGS frame.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
/// A GOAWAY frame with the last stream 0 and no error: no stream was processed.
const GOAWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[tokio::test]
async fn a_call_that_a_goaway_excludes_is_retried_even_if_not_idempotent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stopping = format!("http://{}", listener.local_addr().unwrap());
    let there = Running::start(Behaviour::Answer);
    let excluded = async {
        let (mut connection, _) = listener.accept().await.unwrap();
        connection.write_all(&SETTINGS).await.unwrap();
        read_head(&mut connection).await;
        connection.write_all(&GOAWAY).await.unwrap();
        connection
    };
    let client = client(&[&stopping, &there.address]);
    let calls = async {
        // One of the two calls goes first to the replica that is stopping.
        for _ in 0..2 {
            call(&client, false, LONG).await.unwrap();
        }
    };
    // The connection stays open: only the GOAWAY ends the call.
    let _ended = tokio::join!(excluded, calls);
    assert_eq!(there.calls(), 2);
}

#[tokio::test]
async fn a_call_that_may_have_been_processed_is_not_retried() {
    let (failing, other) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Unavailable));
    let client = client(&[&failing.address, &other.address]);
    let status = call(&client, false, LONG).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(failing.calls() + other.calls(), 1);
    call(&client, true, LONG).await.unwrap_err();
    assert_eq!(failing.calls() + other.calls(), 3);
}

#[tokio::test]
async fn a_call_whose_stream_is_reset_is_no_failure_of_its_replica_and_ends_no_connection() {
    let (large, there) = (Running::start(Behaviour::TooLarge), Running::start(Behaviour::Answer));
    let client = client(&[&large.address, &there.address]);
    // Each connection has an open stream, which the resets below must not end.
    let mut streams = Vec::new();
    for _ in 0..2 {
        let request = Request::new(HealthCheckRequest::default());
        let stream = HealthClient::new(client.clone()).watch(request).await;
        streams.push(stream.unwrap().into_inner());
    }
    let (large_before, there_before) = (large.calls(), there.calls());
    let mut refused = 0;
    for _ in 0..20 {
        refused += u32::from(call(&client, false, LONG).await.is_err());
    }
    assert_eq!(refused, 10);
    let calls = (large.calls() - large_before, there.calls() - there_before);
    assert_eq!(calls, (10, 10));
    for stream in &mut streams {
        let ended = futures::poll!(std::pin::pin!(stream.message()));
        assert!(!matches!(ended, Poll::Ready(Err(_))), "{ended:?}");
    }
}

#[tokio::test]
async fn a_read_leaves_half_of_its_deadline_to_another_replica_that_works() {
    let (failing, there) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Answer));
    let client = client(&[&failing.address, &there.address]);
    while failing.calls() == 0 {
        call(&client, true, LONG).await.unwrap();
    }
    let first = failing.deadlines.lock().unwrap()[0];
    let second = *there.deadlines.lock().unwrap().last().unwrap();
    // The header is rounded up.
    let half = LONG / 2 + Duration::from_millis(100);
    assert!(first <= half && second > half, "{first:?}, then {second:?}");
}

#[tokio::test]
async fn a_write_has_its_whole_deadline_and_a_read_where_no_other_replica_works() {
    let (failing, hung) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Unavailable));
    let client = client(&[&failing.address, &hung.address]);
    call(&client, false, LONG).await.unwrap_err();
    call(&client, true, LONG).await.unwrap_err();
    // Now both have failed.
    call(&client, true, LONG).await.unwrap_err();
    let deadlines = [&failing, &hung].map(|replica| replica.deadlines.lock().unwrap().clone());
    let whole = deadlines.concat().into_iter();
    assert_eq!(whole.filter(|it| *it > LONG * 3 / 4).count(), 4);
}

/// Lets time pass while nothing waits for the network.
async fn advance(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

/// A call. If it reaches the replica that hangs, the time of that attempt passes at once.
async fn call_past(hung: &Running, client: &Client, idempotent: bool) -> Result<(), Status> {
    let (before, is_over) = (hung.calls(), Cell::new(false));
    let calling = async {
        let called = call(client, idempotent, LONG).await;
        is_over.set(true);
        called
    };
    let waiting = async {
        while hung.calls() == before {
            if is_over.get() {
                return;
            }
            tokio::task::yield_now().await;
        }
        advance(if idempotent { LONG / 2 } else { LONG }).await;
    };
    tokio::join!(calling, waiting).0
}

#[tokio::test]
async fn a_replica_that_hangs_costs_no_read_and_one_write_at_most() {
    for idempotent in [true, false] {
        let (hung, there) = (Running::start(Behaviour::Hang), Running::start(Behaviour::Answer));
        let client = client(&[&hung.address, &there.address]);
        // Each replica gets one of the first two calls.
        let mut lost = 0;
        for _ in 0..2 {
            lost += u32::from(call_past(&hung, &client, idempotent).await.is_err());
        }
        assert_eq!((lost, hung.calls()), (u32::from(!idempotent), 1));
        for probes in 0..4 {
            // Longer than the replica is avoided.
            advance(Duration::from_secs(31)).await;
            for _ in 0..3 {
                call_past(&hung, &client, false).await.unwrap();
            }
            assert_eq!(hung.calls(), 1 + probes);
            // The first read probes the replica, and goes on elsewhere.
            for _ in 0..3 {
                call_past(&hung, &client, true).await.unwrap();
            }
            assert_eq!(hung.calls(), 2 + probes);
        }
    }
}

#[tokio::test]
async fn a_replica_that_fails_at_once_attracts_no_calls() {
    let (failing, there) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Answer));
    let client = client(&[&failing.address, &there.address]);
    for _ in 0..100 {
        call(&client, true, LONG).await.unwrap();
    }
    assert_eq!(there.calls(), 100);
    assert!(failing.calls() < 20, "{} calls", failing.calls());
}

#[tokio::test]
async fn a_stream_that_is_unavailable_is_opened_on_another_replica_next() {
    let (failing, there) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Answer));
    let mut health = HealthClient::new(client(&[&failing.address, &there.address]));
    let mut failures = 0;
    for _ in 0..4 {
        let opened = health.watch(HealthCheckRequest::default()).await;
        failures += u32::from(opened.is_err());
    }
    assert_eq!((failures, failing.calls(), there.calls()), (1, 1, 3));
}

#[tokio::test]
async fn a_call_to_a_service_that_hangs_times_out() {
    let hung = Running::start(Behaviour::Hang);
    let client = client(&[&hung.address]);
    let status = call(&client, true, Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(hung.calls() <= 1);
}

#[tokio::test]
async fn addresses_in_a_file_come_and_go() {
    let (first, second) = (Running::start(Behaviour::Answer), Running::start(Behaviour::Answer));
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
    let (called, ()) = tokio::join!(call(&client, true, LONG), async { write(&first.address) });
    called.unwrap();
    assert_eq!((first.calls(), second.calls()), (1, 0));
    write(&second.address);
    while second.calls() == 0 {
        call(&client, true, LONG).await.unwrap();
    }
    let before = first.calls();
    for _ in 0..10 {
        call(&client, true, LONG).await.unwrap();
    }
    assert_eq!(first.calls(), before);
    lifecycle.stopping().cancel();
}

/// `localhost` may also resolve to an address where nothing listens: the client then uses the other one.
#[tokio::test]
async fn a_dns_name_resolves_to_its_addresses() {
    let replica = Running::start(Behaviour::Answer);
    let (_, port) = replica.address.rsplit_once(':').unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let name = Addresses::Dns(format!("http://localhost:{port}"));
    let client = connect(name, &token(), &lifecycle).unwrap();
    for _ in 0..10 {
        call(&client, true, LONG).await.unwrap();
    }
    assert_eq!(replica.calls(), 10);
    lifecycle.stopping().cancel();
}

/// No replica is running, or the name does not resolve yet.
#[tokio::test]
async fn a_call_to_a_service_without_an_address_times_out() {
    let folder = tempfile::tempdir().unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let file = folder.path().join("addresses");
    std::fs::write(&file, "").unwrap();
    let client = connect(Addresses::File(file), &token(), &lifecycle).unwrap();
    for idempotent in [true, false] {
        let refused = call(&client, idempotent, Duration::from_millis(50)).await;
        assert_eq!(refused.unwrap_err().code(), Code::DeadlineExceeded);
    }
    lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_lost_connection_may_need_tls_if_it_has_had_no_response() {
    for has_response in [false, true] {
        let hung = Running::start(Behaviour::Hang);
        let client = client(&[&hung.address]);
        let mut open = None;
        if has_response {
            let mut request = Request::new(HealthCheckRequest::default());
            request.set_timeout(LONG);
            // The response begins, but its first message never comes.
            let response = HealthClient::new(client.clone()).watch(request).await;
            open = Some(response.unwrap());
        }
        let before = hung.calls();
        let close = async move {
            while hung.calls() == before {
                tokio::task::yield_now().await;
            }
            drop(hung);
        };
        let (lost, ()) = tokio::join!(call(&client, false, LONG), close);
        let lost = lost.unwrap_err();
        assert_eq!(lost.message().contains("https://"), !has_response, "{lost}");
        drop(open);
    }
}

#[tokio::test]
async fn a_restarted_service_is_found_again() {
    let first = Running::start(Behaviour::Answer);
    let address = first.address.clone();
    let client = client(&[&address]);
    call(&client, true, LONG).await.unwrap();
    drop(first);
    let mut lost = 0;
    while call(&client, true, LONG).await.is_ok() {
        lost += 1;
        assert!(lost < 1_000, "the service is still there");
    }
    let _second = Running::start_at(address.strip_prefix("http://").unwrap(), Behaviour::Answer);
    while call(&client, true, LONG).await.is_err() {
        tokio::task::yield_now().await;
    }
}
