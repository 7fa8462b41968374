//! A receiver over TLS whose behaviour a test scripts byte by byte, and senders that resolve to it.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, PublicKeyData,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use uuid::Uuid;
use webhook::domain::address::{Address, AllowList};
use webhook::domain::signature::Secret;
use webhook::domain::signed_headers::Secrets;
use webhook::http::resolver::{Resolve, ResolveError};
use webhook::http::{AttemptRequest, AttemptResult, Sender, Settings};

/// The host name in the certificate of a receiver.
pub(crate) const HOST: &str = "hooks.example";
/// A timeout that only a hanging test reaches.
pub(crate) const PATIENCE: Duration = testing::LONG;

pub(crate) type Stream = TlsStream<TcpStream>;

/// How a receiver handles a connection.
pub(crate) type Behaviour = Arc<dyn Fn(Stream) -> BoxFuture<'static, io::Result<()>> + Send + Sync>;

/// A certificate authority that the senders of a test trust.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: tempfile::NamedTempFile,
}

/// The certificate chain and key of a receiver.
pub(crate) struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    /// Gets a message when a connection has ended.
    ended: mpsc::UnboundedReceiver<()>,
    _tasks: JoinSet<()>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        Self::named("some authority")
    }

    pub(crate) fn named(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), issuer.pem()).unwrap();
        Self { issuer, file }
    }

    pub(crate) fn identity(&self, params: &CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity::new(certificate.der().clone(), &key)
    }

    /// A certificate for [`HOST`] with this key, as PEM.
    pub(crate) fn signed(&self, key: &impl PublicKeyData) -> String {
        good().signed_by(key, &self.issuer).unwrap().pem()
    }

    /// Settings that trust this authority and allow `receivers`.
    pub(crate) fn settings(&self, receivers: &[&Receiver]) -> Settings {
        let pairs: Vec<String> =
            receivers.iter().map(|receiver| receiver.address.to_string()).collect();
        Settings {
            answer_timeout: PATIENCE,
            excerpt_timeout: PATIENCE,
            ca_file: Some(self.file.path().to_owned()),
            allow: pairs.join(",").parse::<AllowList>().unwrap(),
            ..Settings::default()
        }
    }
}

impl Identity {
    fn new(certificate: CertificateDer<'static>, key: &KeyPair) -> Self {
        Self {
            chain: vec![certificate],
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    }

    pub(crate) fn self_signed(params: &CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self::new(certificate.der().clone(), &key)
    }

    fn server(self, protocols: &[&[u8]]) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(self.chain, self.key)
            .unwrap();
        server.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        TlsAcceptor::from(Arc::new(server))
    }
}

/// Parameters of a valid certificate for [`HOST`].
pub(crate) fn good() -> CertificateParams {
    CertificateParams::new(vec![HOST.to_owned()]).unwrap()
}

impl Receiver {
    pub(crate) async fn start(authority: &Authority, behaviour: Behaviour) -> Self {
        let identity = authority.identity(&good());
        Self::start_as(identity, &[b"http/1.1"], "127.0.0.1:0", behaviour).await
    }

    pub(crate) async fn start_as(
        identity: Identity,
        protocols: &[&[u8]],
        at: &str,
        behaviour: Behaviour,
    ) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor = identity.server(protocols);
        let connections = Arc::new(AtomicUsize::new(0));
        let (end, ended) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        let count = Arc::clone(&connections);
        tasks.spawn(async move {
            let mut running = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let (acceptor, behaviour) = (acceptor.clone(), Arc::clone(&behaviour));
                let end = end.clone();
                running.spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        behaviour(stream).await.ok();
                    }
                    end.send(()).ok();
                });
            }
        });
        Self { address, connections, ended, _tasks: tasks }
    }

    /// A receiver that answers each request with the bytes of `answer`.
    pub(crate) async fn answering(authority: &Authority, answer: &str) -> Self {
        let answer: Arc<str> = answer.into();
        let behaviour = move |stream| {
            let answer = Arc::clone(&answer);
            async move {
                let mut stream: Stream = stream;
                while request(&mut stream).await?.is_some() {
                    stream.write_all(answer.as_bytes()).await?;
                    stream.flush().await?;
                }
                Ok(())
            }
            .boxed()
        };
        Self::start(authority, Arc::new(behaviour)).await
    }

    /// The number of accepted connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits until a connection has ended.
    pub(crate) async fn ended(&mut self) {
        let ended = timeout(PATIENCE, self.ended.recv()).await;
        ended.expect("the sender holds the connection").unwrap();
    }
}

/// Reads the head and body of a request; `None` if the connection has ended.
pub(crate) async fn request(stream: &mut Stream) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut read = Vec::new();
    loop {
        let end = read.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8(read[..end].to_vec()).unwrap();
            let length = header(&head, "content-length").map_or(0, |it| it.parse().unwrap());
            if read.len() >= end + 4 + length {
                return Ok(Some((head, read.split_off(end + 4))));
            }
        }
        if stream.read_buf(&mut read).await? == 0 {
            return Ok(None);
        }
    }
}

pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let of = |line: &'a str| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    };
    head.lines().find_map(of)
}

type Resolved = Result<Vec<SocketAddr>, ResolveError>;

/// A resolver that returns the given answers in order and repeats the last one. Without answers it never returns.
#[derive(Debug)]
pub(crate) struct Scripted(Mutex<VecDeque<Resolved>>);

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = Vec<SocketAddr>>) -> Arc<Self> {
        Self::answering(answers.into_iter().map(Ok))
    }

    pub(crate) fn answering(answers: impl IntoIterator<Item = Resolved>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(answers.into_iter().collect())))
    }

    pub(crate) fn silent() -> Arc<Self> {
        Self::answering([])
    }
}

impl Resolve for Scripted {
    fn resolve<'a>(&'a self, _: &'a str, _: Duration) -> BoxFuture<'a, Resolved> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        match answer {
            Some(answer) => async move { answer }.boxed(),
            None => std::future::pending().boxed(),
        }
    }
}

/// A sender that resolves every name to `receiver`.
pub(crate) fn sender(settings: &Settings, receiver: &Receiver) -> Sender {
    let resolver = Scripted::new([vec![receiver.address]]);
    Sender::with_resolver(settings, resolver).unwrap()
}

pub(crate) fn secret() -> Secret {
    Secret::from([7; 32])
}

/// The time of attempts.
pub(crate) const AT: OffsetDateTime = datetime!(2026-11-22 08:49:37 UTC);

/// Sends a test event to `address`.
pub(crate) async fn post(sender: &Sender, address: &Address) -> AttemptResult {
    post_at(sender, address, AT).await
}

pub(crate) async fn post_at(
    sender: &Sender,
    address: &Address,
    at: OffsetDateTime,
) -> AttemptResult {
    let attempt = AttemptRequest {
        address,
        event: "ping",
        id: Uuid::from_u128(7),
        at,
        body: Bytes::from_static(br#"{"message":"hello"}"#),
        secrets: Secrets { current: &secret(), next: None },
    };
    sender.attempt(attempt).await
}

/// Sends a test event to [`HOST`].
pub(crate) async fn ping(sender: &Sender) -> AttemptResult {
    post(sender, &address()).await
}

/// An address at [`HOST`].
pub(crate) fn address() -> Address {
    Address::parse("https://hooks.example/in", &AllowList::default()).unwrap()
}

/// Sends test events until one connects: a busy machine may miss the deadline before that.
pub(crate) async fn ping_connected(sender: &Sender) -> AttemptResult {
    testing::eventually("a connection before the deadline", async || {
        let attempt = ping(sender).await;
        let reason = attempt.reason.as_deref().unwrap_or_default();
        let is_late = reason.starts_with("did not open a connection")
            || reason == "did not accept a connection in time";
        (!is_late).then_some(attempt)
    })
    .await
}
