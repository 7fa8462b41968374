//! TLS between services, over real sockets.

use std::path::Path;
use std::time::Duration;

use contracts::economy::v1::history_service_client::HistoryServiceClient;
use contracts::economy::v1::history_service_server::{HistoryService, HistoryServiceServer};
use contracts::economy::v1::{ListHistoryRequest, ListHistoryResponse};
use kit::Lifecycle;
use kit::admin::Readiness;
use kit::boot::bind;
use kit::config::TlsFiles;
use kit::rpc::client::{Addresses, Client, Transport, is_unanswered};
use kit::rpc::tls::{Authorities, Credentials};
use kit::rpc::{Authenticator, server};
use tempfile::TempDir;
use testing::certificates::Authority;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tonic::{Code, Request, Response, Status};

const SERVER: &str = "catalogue-svc";
const CALLER: &str = "gateway";

/// Answers every caller that the port admits.
struct Anybody;

#[tonic::async_trait]
impl HistoryService for Anybody {
    async fn list_history(
        &self,
        _: Request<ListHistoryRequest>,
    ) -> Result<Response<ListHistoryResponse>, Status> {
        Ok(Response::new(ListHistoryResponse::default()))
    }
}

struct Fixture {
    folder: TempDir,
    authority: Authority,
    lifecycle: Lifecycle,
    /// Host and port.
    place: String,
}

impl Fixture {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("test").unwrap();
        for service in [SERVER, CALLER] {
            let folder = folder.path().join(service);
            authority.write(&folder).unwrap();
            authority.issue(&folder, service, 2090).unwrap();
        }
        let (lifecycle, supervisor) = Lifecycle::new();
        drop(supervisor);
        Self::serve(folder, authority, lifecycle).await
    }

    /// Starts a server with the certificate that is in its folder.
    async fn serve(folder: TempDir, authority: Authority, lifecycle: Lifecycle) -> Self {
        let credentials = load(folder.path(), SERVER).await;
        let listener = bind(([127, 0, 0, 1], 0).into(), "port").await.unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let mut services = server::services();
        services.add_service(HistoryServiceServer::new(Anybody));
        let serving = server::serve(
            listener,
            services,
            Some(credentials),
            Authenticator::new(testing::identity()).requiring_certificates(),
            Readiness::default(),
            lifecycle.draining(),
        );
        lifecycle.spawn_server("gRPC server of the test", serving);
        Self { folder, authority, lifecycle, place }
    }

    fn client(&self, scheme: &str, transport: Transport) -> Client {
        let addresses = Addresses::List(vec![format!("{scheme}://{}", self.place)]);
        let token = testing::identity().fleet_token.first;
        let client = testing::connect(addresses, transport, &token, &self.lifecycle);
        client.unwrap().with_default_deadline(testing::LONG)
    }

    /// A client with TLS that expects the service of the server.
    fn client_with(&self, authorities: &Authorities) -> Client {
        let transport = Transport::guarded().with_tls(authorities, SERVER);
        self.client("https", transport.unwrap())
    }
}

async fn load(folder: &Path, service: &'static str) -> Credentials {
    let folder = folder.join(service);
    let files = TlsFiles {
        certificate: folder.join("tls.crt"),
        key: folder.join("tls.key"),
        ca: folder.join("ca.crt"),
    };
    Credentials::load(&files, service).await.unwrap()
}

async fn call(client: Client) -> Result<(), Status> {
    let mut history = HistoryServiceClient::new(client);
    let answer = history.list_history(ListHistoryRequest::default());
    answer.await.map(drop)
}

#[tokio::test]
async fn services_know_each_other_by_their_certificates() {
    let fixture = Fixture::start().await;
    // Connections without a handshake do not hold up others.
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(TcpStream::connect(&fixture.place).await.unwrap());
    }
    let credentials = load(fixture.folder.path(), CALLER).await;
    let client = fixture.client_with(credentials.client());
    for _ in 0..2 {
        call(client.clone()).await.unwrap();
    }
    drop(silent);
    fixture.lifecycle.stopping().cancel();
}

/// The task that speaks HTTP/2 is another than the one of the handshake.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
#[expect(clippy::disallowed_methods, reason = "a call of a task of its own, as a handler makes")]
async fn the_first_call_of_a_client_is_answered() {
    let fixture = Fixture::start().await;
    let credentials = load(fixture.folder.path(), CALLER).await;
    for _ in 0..10 {
        let client = fixture.client_with(credentials.client());
        tokio::spawn(call(client)).await.unwrap().unwrap();
    }
    fixture.lifecycle.stopping().cancel();
}

/// Certificates are replaced by restarting the services one after another, so those with the old and the new ones call each other for a while.
#[tokio::test]
async fn a_service_that_was_restarted_with_a_new_certificate_and_an_old_one_call_each_other() {
    let before = Fixture::start().await;
    let path = before.folder.path();
    let old = load(path, CALLER).await;
    let first = before.client_with(old.client());
    call(first).await.unwrap();
    for service in [SERVER, CALLER] {
        before.authority.issue(&path.join(service), service, 2091).unwrap();
    }
    let new = load(path, CALLER).await;
    call(before.client_with(new.client())).await.unwrap();
    before.lifecycle.stopping().cancel();
    let (lifecycle, supervisor) = Lifecycle::new();
    drop(supervisor);
    let after = Fixture::serve(before.folder, before.authority, lifecycle).await;
    for caller in [&old, &new] {
        call(after.client_with(caller.client())).await.unwrap();
    }
    after.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn the_token_of_the_fleet_counts_only_with_a_certificate() {
    let fixture = Fixture::start().await;
    let ca = fixture.folder.path().join(CALLER).join("ca.crt");
    let client = fixture.client_with(&Authorities::read(&ca).await.unwrap());
    let denied = call(client).await.unwrap_err();
    assert_eq!(denied.code(), Code::PermissionDenied, "{denied}");
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let fixture = Fixture::start().await;
    let folder = tempfile::tempdir().unwrap();
    let caller_folder = folder.path().join(CALLER);
    let stranger = Authority::new("stranger").unwrap();
    stranger.issue(&caller_folder, CALLER, 2090).unwrap();
    // The client trusts the server, but the server does not trust the client.
    let both = fixture.authority.pem() + &stranger.pem();
    let ca = caller_folder.join("ca.crt");
    std::fs::write(&ca, both).unwrap();
    let credentials = load(folder.path(), CALLER).await;
    let client = fixture.client_with(credentials.client());
    let refused = call(client).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    assert!(refused.message().contains("received fatal alert"), "{refused}");

    // The client does not trust the server.
    stranger.write(&caller_folder).unwrap();
    let client = fixture.client_with(&Authorities::read(&ca).await.unwrap());
    let refused = call(client).await.unwrap_err();
    assert!(refused.message().contains("UnknownIssuer"), "{refused}");
    fixture.lifecycle.stopping().cancel();
}

/// A replica that hangs accepts connections, and says nothing.
#[tokio::test]
async fn a_write_whose_handshake_hangs_was_not_sent() {
    let fixture = Fixture::start().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}", silent.local_addr().unwrap());
    let credentials = load(fixture.folder.path(), CALLER).await;
    let transport = Transport::guarded().with_tls(credentials.client(), SERVER).unwrap();
    let addresses = Addresses::List(vec![address]);
    let token = testing::identity().fleet_token.first;
    let client = testing::connect(addresses, transport, &token, &fixture.lifecycle).unwrap();
    let accepting = async {
        let connection = silent.accept().await.unwrap();
        // From here on, timers fire when all tasks wait.
        tokio::time::pause();
        (connection, Instant::now())
    };
    let request = ListHistoryRequest::default();
    let (refused, (_connection, begun)) =
        tokio::join!(client.once(&request, testing::LONG), accepting);
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    assert!(!is_unanswered(&refused), "{refused}");
    // The first and the second attempt.
    assert!(begun.elapsed() <= Duration::from_secs(3), "{:?}", begun.elapsed());
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_server_with_the_name_of_another_service_is_refused() {
    let fixture = Fixture::start().await;
    let credentials = load(fixture.folder.path(), CALLER).await;
    let transport = Transport::guarded().with_tls(credentials.client(), "economy-svc");
    let client = fixture.client("https", transport.unwrap());
    let refused = call(client).await.unwrap_err();
    assert!(refused.message().contains("economy-svc"), "{refused}");
    fixture.lifecycle.stopping().cancel();
}
