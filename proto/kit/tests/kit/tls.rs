//! TLS between services, over real sockets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contracts::economy::v1::history_service_client::HistoryServiceClient;
use contracts::economy::v1::history_service_server::{HistoryService, HistoryServiceServer};
use contracts::economy::v1::{ListHistoryRequest, ListHistoryResponse};
use kit::Lifecycle;
use kit::admin::Readiness;
use kit::boot::bind;
use kit::config::TlsFiles;
use kit::rpc::client::{Addresses, Client, Transport};
use kit::rpc::tls::{Authorities, Credentials, PeerNames};
use kit::rpc::{Authenticator, server};
use metrics_exporter_prometheus::PrometheusBuilder;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use testing::certificates::Authority;
use testing::{eventually, wait_until};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::{Code, Request, Response, Status};

const SERVER: &str = "catalogue-svc";
const CALLER: &str = "gateway";

/// Answers with the names of its caller.
struct Names;

#[tonic::async_trait]
impl HistoryService for Names {
    async fn list_history(
        &self,
        request: Request<ListHistoryRequest>,
    ) -> Result<Response<ListHistoryResponse>, Status> {
        let names = request.extensions().get::<PeerNames>();
        let names = names.map_or_else(|| "nobody".to_owned(), |names| names.0.join(" "));
        Ok(Response::new(ListHistoryResponse {
            json: names.into_bytes().into(),
            page: None,
        }))
    }
}

/// A server with TLS, and the folder of the certificates.
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
        let credentials = load(folder.path(), SERVER, &lifecycle).await;
        let listener = bind(([127, 0, 0, 1], 0).into(), "port").await.unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let mut services = server::services();
        services.add_service(HistoryServiceServer::new(Names));
        let serving = server::serve(
            listener,
            services,
            Some(credentials),
            Authenticator::new(SERVER, testing::identity()),
            Readiness::default(),
            lifecycle.draining(),
        );
        lifecycle.spawn_server("gRPC server of the test", serving);
        Self {
            folder,
            authority,
            lifecycle,
            place,
        }
    }

    fn client(&self, scheme: &str, transport: Transport) -> Client {
        let addresses = Addresses::List(vec![format!("{scheme}://{}", self.place)]);
        let token = testing::identity().fleet_token.first;
        let client = testing::connect(addresses, transport, &token, &self.lifecycle);
        let client = client.unwrap().with_allowed_caller();
        client.with_default_deadline(testing::LONG)
    }

    /// A client with TLS, of the server's service.
    fn client_with(&self, authorities: &Authorities) -> Client {
        let transport = Transport::guarded().with_tls(authorities, SERVER);
        self.client("https", transport.unwrap())
    }

    /// A connection without a certificate, after the handshake.
    async fn connect(&self) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(self.authority.pem().as_bytes());
        roots.add(authority.unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(&self.place).await.unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        let name = ServerName::try_from(SERVER).unwrap();
        connector.connect(name, stream).await.unwrap()
    }

    /// The certificate that the server has now.
    async fn served_certificate(&self) -> Vec<u8> {
        let stream = self.connect().await;
        let (_, session) = stream.get_ref();
        session.peer_certificates().unwrap()[0].to_vec()
    }
}

async fn load(folder: &Path, service: &'static str, lifecycle: &Lifecycle) -> Credentials {
    let folder = folder.join(service);
    let files = TlsFiles {
        certificate: folder.join("tls.crt"),
        key: folder.join("tls.key"),
        ca: folder.join("ca.crt"),
    };
    let (credentials, watch) = Credentials::load(files, service).await.unwrap();
    lifecycle.spawn_background("TLS files", watch.run());
    credentials
}

/// The names by which the server knows the client.
async fn names(client: Client) -> Result<String, Status> {
    let mut history = HistoryServiceClient::new(client);
    let answer = history.list_history(ListHistoryRequest::default()).await?;
    Ok(String::from_utf8(answer.into_inner().json.to_vec()).unwrap())
}

#[tokio::test]
async fn services_know_each_other_by_their_certificates() {
    let fixture = Fixture::start().await;
    // Callers that say nothing do not hold up others.
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(TcpStream::connect(&fixture.place).await.unwrap());
    }
    let credentials = load(fixture.folder.path(), CALLER, &fixture.lifecycle).await;
    let client = fixture.client_with(credentials.client());
    for _ in 0..2 {
        let names = names(client.clone()).await.unwrap();
        assert_eq!(names, "gateway localhost");
    }
    drop(silent);
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_client_without_a_certificate_has_no_names() {
    let fixture = Fixture::start().await;
    let ca = fixture.folder.path().join(CALLER).join("ca.crt");
    let client = fixture.client_with(&Authorities::read(&ca).await.unwrap());
    assert_eq!(names(client).await.unwrap(), "nobody");
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let fixture = Fixture::start().await;
    let folder = tempfile::tempdir().unwrap();
    let caller_folder = folder.path().join(CALLER);
    let stranger = Authority::new("stranger").unwrap();
    stranger.issue(&caller_folder, CALLER, 2090).unwrap();
    // The client trusts the server, and the server does not trust the client.
    let both = fixture.authority.pem() + &stranger.pem();
    let ca = caller_folder.join("ca.crt");
    std::fs::write(&ca, both).unwrap();
    let credentials = load(folder.path(), CALLER, &fixture.lifecycle).await;
    let client = fixture.client_with(credentials.client());
    assert_eq!(names(client).await.unwrap_err().code(), Code::Unavailable);

    // The client does not trust the server.
    stranger.write(&caller_folder).unwrap();
    let client = fixture.client_with(&Authorities::read(&ca).await.unwrap());
    let refused = names(client).await.unwrap_err();
    assert!(refused.message().contains("UnknownIssuer"), "{refused}");
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_server_with_the_name_of_another_service_is_refused() {
    let fixture = Fixture::start().await;
    let credentials = load(fixture.folder.path(), CALLER, &fixture.lifecycle).await;
    let transport = Transport::guarded().with_tls(credentials.client(), "economy-svc");
    let client = fixture.client("https", transport.unwrap());
    let refused = names(client).await.unwrap_err();
    assert!(refused.message().contains("economy-svc"), "{refused}");
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_client_without_tls_learns_that_the_port_speaks_tls() {
    let fixture = Fixture::start().await;
    let client = fixture.client("http", Transport::plain());
    let refused = names(client).await.unwrap_err();
    assert!(refused.message().contains("https://"), "{refused}");
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn a_caller_that_does_not_begin_http2_after_the_handshake_is_disconnected() {
    let fixture = Fixture::start().await;
    let silent = fixture.connect().await;
    let mut slow = fixture.connect().await;
    let all_but_a_byte = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r";
    slow.write_all(all_but_a_byte).await.unwrap();
    slow.flush().await.unwrap();
    // From now on, timers fire once all tasks wait. A server without a deadline would send its settings of HTTP/2.
    tokio::time::pause();
    for mut caller in [silent, slow] {
        let read = caller.read(&mut [0; 64]).await;
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    }
    fixture.lifecycle.stopping().cancel();
}

#[tokio::test]
async fn failed_handshakes_are_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let counted = |count: u32| {
        let line = format!("tls_handshakes_failed_total {count}");
        recorder.handle().render().contains(&line)
    };
    let fixture = Fixture::start().await;
    wait_until("the counter is there", async || counted(0)).await;
    for failed in 1..=2 {
        let mut stream = TcpStream::connect(&fixture.place).await.unwrap();
        stream.write_all(b"not TLS").await.unwrap();
        wait_until("the failure is counted", async || counted(failed)).await;
    }
    fixture.lifecycle.stopping().cancel();
}

/// Each call has a connection of its own.
#[tokio::test]
async fn certificates_are_replaced_while_calls_arrive() {
    let fixture = Fixture::start().await;
    let folder = fixture.folder.path();
    let credentials = load(folder, CALLER, &fixture.lifecycle).await;
    let is_replaced = AtomicBool::new(false);
    let calls = async {
        let mut calls = 0;
        while calls < 200 || !is_replaced.load(Ordering::Relaxed) {
            let client = fixture.client_with(credentials.client());
            assert_eq!(names(client).await.unwrap(), "gateway localhost");
            calls += 1;
        }
    };
    let replace = async {
        let before = fixture.served_certificate().await;
        for service in [CALLER, SERVER] {
            let folder = folder.join(service);
            fixture.authority.issue(&folder, service, 2091).unwrap();
        }
        eventually("the new certificate is served", async || {
            let now = fixture.served_certificate().await;
            (now != before).then_some(())
        })
        .await;
        is_replaced.store(true, Ordering::Relaxed);
    };
    tokio::join!(calls, replace);
    fixture.lifecycle.stopping().cancel();
}
