//! The client with replicas that start, stop, hang and fail. The service is the standard health service, with configurable replicas.

mod silence;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::stream::{self, BoxStream, StreamExt as _};
use kit::Lifecycle;
use kit::config::Secret;
use kit::rpc::client::{Addresses, Client, Idempotent, MayProbe, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// The behaviour of a replica.
#[derive(Debug, Clone, Copy)]
enum Behaviour {
    Answer,
    Hang,
    /// Returns `UNAVAILABLE` without a fault, like a proxy without an upstream.
    Unavailable,
    /// Returns a status that is larger than the client reads.
    TooLarge,
    /// Answers at once, and calls with a name after this time.
    Late(Duration),
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
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (calls, deadlines) = (Arc::<AtomicU32>::default(), Arc::<Mutex<Vec<_>>>::default());
        let replica = Replica {
            behaviour,
            calls: Arc::clone(&calls),
            deadlines: Arc::clone(&deadlines),
        };
        let listener = bind(address);
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

/// Binds the address. A replica that was there before closes its connections first and its listener a moment later.
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
            Behaviour::Late(time) => {
                if !request.get_ref().service.is_empty() {
                    tokio::time::sleep(time).await;
                }
                Ok(Response::new(HealthCheckResponse::default()))
            }
        }
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        match self.behaviour {
            Behaviour::Answer | Behaviour::Late(_) => {
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

async fn call(client: &Client, idempotent: bool, deadline: Duration) -> Result<(), Status> {
    let mut request = Request::new(HealthCheckRequest::default());
    request.set_timeout(deadline);
    if idempotent {
        request.extensions_mut().insert(Idempotent::Unary);
    }
    let mut client = HealthClient::new(client.clone());
    client.check(request).await.map(drop)
}

/// An idempotent call whose response is a stream.
async fn watch(
    client: &Client,
    deadline: Duration,
) -> Result<Streaming<HealthCheckResponse>, Status> {
    let request = Idempotent::ServerStreaming.request(HealthCheckRequest::default(), deadline);
    let mut client = HealthClient::new(client.clone());
    client.watch(request).await.map(Response::into_inner)
}

/// Long enough for every call that is answered at all.
const LONG: Duration = testing::LONG;

#[tokio::test]
async fn calls_go_to_all_replicas() {
    let (one, two) = (
        Running::start(Behaviour::Answer),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&one.address, &two.address]);
    for _ in 0..10 {
        call(&client, false, LONG).await.unwrap();
    }
    assert_eq!((one.calls(), two.calls()), (5, 5));
}

#[tokio::test]
async fn a_call_that_was_not_sent_is_retried_even_if_not_idempotent() {
    let (gone, there) = (
        Running::start(Behaviour::Answer),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&gone.address, &there.address]);
    for _ in 0..4 {
        call(&client, false, LONG).await.unwrap();
    }
    // This also closes the open connection.
    drop(gone);
    for _ in 0..10 {
        call(&client, true, LONG).await.unwrap();
    }
    for _ in 0..10 {
        call(&client, false, LONG).await.unwrap();
    }
}

/// Reads the preface of HTTP/2 and frames up to the head of a call.
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

/// The type of a frame that has the head of a call.
const HEADERS: u8 = 1;
/// A frame without settings.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
/// A frame which says that no stream was processed, and no error.
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
        // One of them goes to the replica that stops.
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
    let (away, other) = (
        Running::start(Behaviour::Unavailable),
        Running::start(Behaviour::Unavailable),
    );
    let client = client(&[&away.address, &other.address]);
    let status = call(&client, false, LONG).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(away.calls() + other.calls(), 1);
    call(&client, true, LONG).await.unwrap_err();
    assert_eq!(away.calls() + other.calls(), 3);
}

#[tokio::test]
async fn a_replica_that_hangs_is_ejected() {
    let (hung, there) = (
        Running::start(Behaviour::Hang),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&hung.address, &there.address]);
    // A call that hangs is retried on the other replica after a quarter of its time.
    for _ in 0..30 {
        call(&client, true, Duration::from_secs(12)).await.unwrap();
    }
    assert_eq!(there.calls(), 30);
    assert!((3..30).contains(&hung.calls()), "{} calls", hung.calls());
}

#[tokio::test]
async fn a_call_whose_stream_is_reset_ejects_no_replica_and_ends_no_connection() {
    let (large, there) = (
        Running::start(Behaviour::TooLarge),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&large.address, &there.address]);
    // Both connections have an open stream.
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

/// The calls of a follower are of this kind, and its client makes no idempotent ones.
#[tokio::test]
async fn a_call_that_its_caller_repeats_probes_an_ejected_replica() {
    let (hung, there) = (
        Running::start(Behaviour::Hang),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&hung.address, &there.address]);
    // The replicas take turns while neither is ejected, so six responses in a row come from one that is left.
    let mut responses = 0;
    while responses < 6 {
        let called = call(&client, false, Duration::from_millis(200)).await;
        responses = if called.is_ok() { responses + 1 } else { 0 };
    }
    let before = hung.calls();
    // The ejection ends.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(1)).await;
    tokio::time::resume();
    let mut probe = Request::new(HealthCheckRequest::default());
    probe.set_timeout(LONG);
    probe.extensions_mut().insert(MayProbe);
    let mut health = HealthClient::new(client.clone());
    let probed = async {
        while hung.calls() == before {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = health.check(probe) => panic!("the other replica got the call: {answer:?}"),
        () = probed => {}
    }
}

#[tokio::test]
async fn without_another_healthy_replica_a_call_has_its_whole_deadline() {
    let gone = Running::start(Behaviour::Answer);
    let deadline = Duration::from_secs(5);
    let late = Running::start(Behaviour::Late(deadline.mul_f64(0.4)));
    let client = client(&[&gone.address, &late.address]);
    drop(gone);
    // Every second call finds that one replica is gone, until that is ejected.
    for _ in 0..6 {
        call(&client, true, LONG).await.unwrap();
    }
    let before = late.calls();
    let message = HealthCheckRequest {
        service: "late".to_owned(),
    };
    let request = Idempotent::Unary.request(message, deadline);
    HealthClient::new(client).check(request).await.unwrap();
    assert_eq!(late.calls(), before + 1);
}

#[tokio::test]
async fn a_call_and_its_retry_share_the_deadline() {
    let (hung, there) = (
        Running::start(Behaviour::Hang),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&hung.address, &there.address]);
    let whole = Duration::from_secs(12);
    while hung.calls() == 0 {
        call(&client, true, whole).await.unwrap();
    }
    let first = hung.deadlines.lock().unwrap()[0];
    let second = *there.deadlines.lock().unwrap().last().unwrap();
    // Each deadline is rounded up to 100 ms.
    let max = whole + Duration::from_millis(100);
    assert!(first + second <= max, "{first:?}, then {second:?}");
}

#[tokio::test]
async fn a_replica_that_fails_at_once_attracts_no_calls() {
    let (away, there) = (
        Running::start(Behaviour::Unavailable),
        Running::start(Behaviour::Answer),
    );
    let client = client(&[&away.address, &there.address]);
    for _ in 0..100 {
        call(&client, true, LONG).await.unwrap();
    }
    assert_eq!(there.calls(), 100);
    assert!(away.calls() < 20, "{} calls", away.calls());
}

/// Fewer than half of the circuits are closed, so first attempts go to all replicas.
#[tokio::test]
async fn one_of_three_replicas_answers_the_calls_of_two_that_fail_at_once() {
    let away = [(); 2].map(|()| Running::start(Behaviour::Unavailable));
    let there = Running::start(Behaviour::Answer);
    let client = client(&[&away[0].address, &away[1].address, &there.address]);
    // Until both are ejected, a call may meet both.
    for _ in 0..20 {
        call(&client, true, LONG).await.ok();
    }
    for _ in 0..50 {
        call(&client, true, LONG).await.unwrap();
    }
}

#[tokio::test]
async fn a_call_to_a_service_that_hangs_times_out() {
    let hung = Running::start(Behaviour::Hang);
    let client = client(&[&hung.address]);
    let status = call(&client, true, Duration::from_millis(50))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    // There is no other replica, so the call was not retried.
    assert!(hung.calls() <= 1);
}

#[tokio::test]
async fn when_all_replicas_fail_few_calls_are_retried() {
    let (one, two) = (
        Running::start(Behaviour::Unavailable),
        Running::start(Behaviour::Unavailable),
    );
    let client = client(&[&one.address, &two.address]);
    let begun = Instant::now();
    for _ in 0..1_000 {
        let status = call(&client, true, LONG).await.unwrap_err();
        let reason = status.message();
        assert!(reason.ends_with("no healthy upstream"), "{reason}");
    }
    let calls = one.calls() + two.calls();
    // The retry budget: a fifth of the calls, and a hundred in ten seconds. tower's budget has ten slots and leaves two of them behind each
    // second, so a slow machine gets a hundred in five seconds.
    let periods = 1 + u32::try_from(begun.elapsed().as_secs() / 5).unwrap();
    let most = 1_210 + 100 * periods;
    assert!((1_000..=most).contains(&calls), "{calls} of {most} calls");
}

#[tokio::test]
async fn addresses_in_a_file_come_and_go() {
    let (first, second) = (
        Running::start(Behaviour::Answer),
        Running::start(Behaviour::Answer),
    );
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

/// `localhost` may also resolve to an address where nothing listens: the call is then sent to the other one.
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
            // The response begins, and its first message does not come.
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

#[tokio::test]
async fn a_stream_is_retried_before_its_first_message() {
    for behaviour in [Behaviour::Hang, Behaviour::Unavailable] {
        let (bad, good) = (Running::start(behaviour), Running::start(Behaviour::Answer));
        let client = client(&[&bad.address, &good.address]);
        while bad.calls() == 0 {
            // The first attempt gets a quarter of it.
            let mut messages = watch(&client, Duration::from_secs(8)).await.unwrap();
            assert!(messages.message().await.unwrap().is_some());
        }
    }
}
