//! The RPC client against replicas that start, stop, hang and fail. They serve the standard health service.

mod silence;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::Router;
use contracts::Unary;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::StatusCode;
use kit::Lifecycle;
use kit::api::fault::replica_unavailable;
use kit::config::Secret;
use kit::rpc::client::{Addresses, Client, Transport, is_unanswered};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

#[derive(Debug, Clone, Copy)]
enum Behaviour {
    Answer,
    Hang,
    /// Returns `UNAVAILABLE` without a fault, like a proxy without an upstream.
    Unavailable,
    /// Refuses calls that are no retry, like a replica that lags.
    Lag,
    /// Returns a status that is larger than the client accepts.
    TooLarge,
}

#[derive(Clone)]
struct Replica {
    behaviour: Behaviour,
    counts: Counts,
}

/// What a replica has got.
#[derive(Debug, Clone, Default)]
struct Counts {
    calls: Arc<AtomicU32>,
    /// Calls that say that they are a retry.
    retries: Arc<AtomicU32>,
    /// Calls without a deadline are health checks. A replica passes them if it answers calls, and
    /// while `is_healthy`.
    checks: Arc<AtomicU32>,
    is_healthy: Arc<AtomicBool>,
}

/// A running replica with its own runtime: dropping it closes its connections.
struct Running {
    address: String,
    counts: Counts,
    runtime: Option<Runtime>,
}

impl Running {
    fn start(behaviour: Behaviour) -> Self {
        Self::start_at("127.0.0.1:0", behaviour)
    }

    fn start_at(address: &str, behaviour: Behaviour) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let counts = Counts::default();
        counts.is_healthy.store(matches!(behaviour, Behaviour::Answer), Ordering::Relaxed);
        let replica = Replica { behaviour, counts: counts.clone() };
        let listener = bind(address);
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(runtime.spawn(async move {
            let connections = TcpListenerStream::new(TcpListener::from_std(listener).unwrap());
            let server = Server::builder().add_service(HealthServer::new(replica));
            server.serve_with_incoming(connections).await.unwrap();
        }));
        Self { address, counts, runtime: Some(runtime) }
    }

    fn calls(&self) -> u32 {
        self.counts.calls.load(Ordering::Relaxed)
    }

    fn retries(&self) -> u32 {
        self.counts.retries.load(Ordering::Relaxed)
    }

    /// Lets time pass until this replica has got a health check.
    async fn is_checked(&self) {
        let before = self.counts.checks.load(Ordering::Relaxed);
        while self.counts.checks.load(Ordering::Relaxed) == before {
            advance(Duration::from_secs(1)).await;
        }
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
        let metadata = request.metadata();
        if !metadata.contains_key("grpc-timeout") {
            self.counts.checks.fetch_add(1, Ordering::Relaxed);
            let is_healthy = self.counts.is_healthy.load(Ordering::Relaxed);
            let status =
                if is_healthy { ServingStatus::Serving } else { ServingStatus::NotServing };
            return Ok(Response::new(HealthCheckResponse { status: status.into() }));
        }
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        let is_retry = metadata.contains_key("grpc-previous-rpc-attempts");
        self.counts.retries.fetch_add(is_retry.into(), Ordering::Relaxed);
        match self.behaviour {
            Behaviour::Answer => Ok(Response::new(HealthCheckResponse::default())),
            Behaviour::Hang => std::future::pending().await,
            Behaviour::Unavailable => Err(Status::new(Code::Unavailable, "no healthy upstream")),
            Behaviour::Lag if is_retry => Ok(Response::new(HealthCheckResponse::default())),
            Behaviour::Lag => Err(replica_unavailable("it lags")),
            Behaviour::TooLarge => Err(Status::new(Code::InvalidArgument, "a".repeat(80 << 10))),
        }
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        match self.behaviour {
            Behaviour::Answer => {
                let message = std::future::ready(Ok(HealthCheckResponse::default()));
                Ok(Response::new(stream::once(message).boxed()))
            }
            Behaviour::Hang | Behaviour::Lag | Behaviour::TooLarge => {
                Ok(Response::new(stream::pending().boxed()))
            }
            Behaviour::Unavailable => Err(Status::new(Code::Unavailable, "no healthy upstream")),
        }
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

/// A proxy answers so for a service that it cannot reach, or when the service breaks off.
#[tokio::test]
async fn a_read_is_made_elsewhere_after_a_response_without_a_status_of_grpc() {
    for status in [StatusCode::BAD_GATEWAY, StatusCode::OK] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let mut serving = JoinSet::new();
        let answer = Router::new().fallback(move || std::future::ready(status));
        serving.spawn(async move { axum::serve(listener, answer).await.unwrap() });
        let there = Running::start(Behaviour::Answer);
        let client = client(&[&there.address, &proxy]);
        // The first turn is that of the second address.
        call(&client, true, LONG).await.unwrap();
        assert_eq!((there.calls(), there.retries()), (1, 1));
        call(&client, false, LONG).await.unwrap();
        let lost = call(&client, false, LONG).await.unwrap_err();
        assert!(is_unanswered(&lost), "{status}: {lost}");
    }
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

/// Lets time pass while nothing waits for the network. Before, the client reads what has arrived:
/// after the time it would take the answer of a ping for lost.
async fn advance(by: Duration) {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

/// Makes a call. When it reaches the replica, the clock moves by this time.
async fn call_while(
    replica: &Running,
    passes: Duration,
    client: &Client,
    idempotent: bool,
) -> Result<(), Status> {
    let (before, is_over) = (replica.calls(), Cell::new(false));
    let calling = async {
        let called = call(client, idempotent, LONG).await;
        is_over.set(true);
        called
    };
    let passing = async {
        while replica.calls() == before {
            if is_over.get() {
                return;
            }
            tokio::task::yield_now().await;
        }
        advance(passes).await;
    };
    tokio::join!(calling, passing).0
}

#[tokio::test]
async fn a_read_that_is_slow_is_made_elsewhere_as_well_and_its_replica_stays() {
    let (slow, there) = (Running::start(Behaviour::Hang), Running::start(Behaviour::Answer));
    let client = client(&[&there.address, &slow.address]);
    // The first turn is that of the second address.
    call_while(&slow, LONG / 2, &client, true).await.unwrap();
    assert_eq!((slow.calls(), there.calls(), there.retries()), (1, 1, 1));
    call(&client, true, LONG).await.unwrap();
    call_while(&slow, LONG / 2, &client, true).await.unwrap();
    assert_eq!((slow.calls(), there.retries()), (2, 2));
}

#[tokio::test]
async fn a_call_that_a_lagging_replica_refuses_is_made_again_and_counts_as_an_answer() {
    for idempotent in [true, false] {
        let (lagging, there) = (Running::start(Behaviour::Lag), Running::start(Behaviour::Answer));
        let client = client(&[&lagging.address, &there.address]);
        for _ in 0..20 {
            call(&client, idempotent, LONG).await.unwrap();
        }
        assert_eq!((lagging.calls(), there.calls()), (10, 20));
    }
    // Without another replica, it answers as well as it can.
    let alone = Running::start(Behaviour::Lag);
    call(&client(&[&alone.address]), true, LONG).await.unwrap();
    assert_eq!((alone.calls(), alone.retries()), (2, 1));
}

#[tokio::test]
async fn a_replica_that_hangs_costs_no_read_and_five_writes_at_most() {
    for idempotent in [true, false] {
        let (hung, there) = (Running::start(Behaviour::Hang), Running::start(Behaviour::Answer));
        let client = client(&[&hung.address, &there.address]);
        let mut lost = 0;
        for _ in 0..10 {
            let passes = if idempotent { LONG / 2 } else { LONG };
            lost += u32::from(call_while(&hung, passes, &client, idempotent).await.is_err());
        }
        assert_eq!((lost, hung.calls()), (if idempotent { 0 } else { 5 }, 5));
    }
}

#[tokio::test]
async fn a_replica_is_taken_back_when_it_passes_a_health_check() {
    let (failing, there) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Answer));
    let client = client(&[&failing.address, &there.address]);
    for _ in 0..20 {
        // Writes alone: no call of a caller is a trial.
        drop(call(&client, false, LONG).await);
    }
    assert_eq!((failing.calls(), there.calls()), (5, 15));
    failing.is_checked().await;
    failing.is_checked().await;
    for _ in 0..4 {
        call(&client, false, LONG).await.unwrap();
    }
    failing.counts.is_healthy.store(true, Ordering::Relaxed);
    failing.is_checked().await;
    while failing.calls() == 5 {
        drop(call(&client, false, LONG).await);
    }
}

#[tokio::test]
async fn retries_of_reads_have_a_budget() {
    let failing = Running::start(Behaviour::Unavailable);
    let client = client(&[&failing.address]);
    for _ in 0..1_000 {
        call(&client, true, LONG).await.unwrap_err();
    }
    // A hundred at first, and a fifth of the calls.
    let retries = failing.retries();
    assert!((100..=320).contains(&retries), "{retries} retries");
}

#[tokio::test]
async fn a_replica_that_fails_at_once_attracts_no_calls() {
    let (failing, there) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Answer));
    let client = client(&[&failing.address, &there.address]);
    for _ in 0..100 {
        call(&client, true, LONG).await.unwrap();
    }
    assert_eq!((failing.calls(), there.calls()), (5, 100));
    // Streams count like calls.
    let (failing, there) =
        (Running::start(Behaviour::Unavailable), Running::start(Behaviour::Answer));
    let mut health = HealthClient::new(super::client::client(&[&failing.address, &there.address]));
    for _ in 0..20 {
        drop(health.watch(HealthCheckRequest::default()).await);
    }
    assert_eq!((failing.calls(), there.calls()), (5, 15));
}

#[tokio::test]
async fn a_call_to_a_service_that_hangs_times_out() {
    for idempotent in [true, false] {
        let hung = Running::start(Behaviour::Hang);
        let client = client(&[&hung.address]);
        let status = call_while(&hung, LONG, &client, idempotent).await.unwrap_err();
        assert_eq!((status.code(), hung.calls()), (Code::DeadlineExceeded, 1));
        assert!(is_unanswered(&status));
    }
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
#[tokio::test(start_paused = true)]
async fn a_call_to_a_service_without_an_address_is_not_sent_within_three_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let (lifecycle, _supervisor) = Lifecycle::new();
    let file = folder.path().join("addresses");
    std::fs::write(&file, "").unwrap();
    let client = connect(Addresses::File(file), &token(), &lifecycle).unwrap();
    for idempotent in [true, false] {
        let begun = tokio::time::Instant::now();
        let refused = call(&client, idempotent, LONG).await.unwrap_err();
        assert_eq!((refused.code(), begun.elapsed().as_secs()), (Code::Unavailable, 3));
        assert!(!is_unanswered(&refused), "{refused}");
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
