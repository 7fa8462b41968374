//! The TLS certificate of a receiver is verified.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use rcgen::{CertificateParams, PKCS_RSA_SHA256, PublicKeyData, SignatureAlgorithm};
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;
use webhook::http::{AttemptOutcome, Sender, Settings};

use super::receiver::{
    Authority, Behaviour, Identity, PATIENCE, Receiver, Scripted, Stream, good, ping, sender,
};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

async fn presenting(identity: Identity) -> Receiver {
    let answer: Behaviour =
        Arc::new(|mut stream: Stream| async move { stream.write_all(OK.as_bytes()).await }.boxed());
    Receiver::start_as(identity, &[], "127.0.0.1:0", answer).await
}

#[tokio::test]
async fn an_invalid_certificate_is_a_failure() {
    let authority = Authority::named("authority of the test");
    let at = |not_before: OffsetDateTime, not_after: OffsetDateTime| {
        let mut params = good();
        (params.not_before, params.not_after) = (not_before, not_after);
        authority.identity(&params)
    };
    let other_name = CertificateParams::new(vec!["other.example".to_owned()]).unwrap();
    let past = datetime!(2001-01-01 00:00 UTC);
    let far = datetime!(2901-01-01 00:00 UTC);
    let impostor = Authority::named("authority of the test").identity(&good());
    for (identity, problem) in [
        (
            impostor,
            "a signature is wrong: its authority has not signed it, or an RSA key has less than 2,048 bits",
        ),
        (at(past, datetime!(2001-02-01 00:00 UTC)), "it has expired"),
        (at(datetime!(2900-01-01 00:00 UTC), far), "it is not valid yet"),
        (authority.identity(&other_name), "it is for another name"),
        (
            Identity::self_signed(&good()),
            "it is self-signed, or a certificate between it and its authority is missing",
        ),
        (
            Authority::new().identity(&good()),
            "it is self-signed, or a certificate between it and its authority is missing",
        ),
    ] {
        let receiver = presenting(identity).await;
        let sender = sender(&authority.settings(&[&receiver]), &receiver);
        let answer = ping(&sender).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed);
        let reason = format!("TLS certificate is not valid: {problem}");
        assert_eq!(answer.reason, Some(reason));
    }
}

/// The reason of an attempt at a server that sends these bytes when a client has connected.
async fn reason_of(bytes: &[u8]) -> String {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut settings = authority.settings(&[]);
    settings.allow = address.to_string().parse().unwrap();
    let resolver = Scripted::new([vec![address]]);
    let sender = Sender::with_resolver(&settings, resolver).unwrap();
    let serving = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(bytes).await.unwrap();
        tokio::time::sleep(PATIENCE).await;
    };
    let answer = tokio::select! {
        answer = ping(&sender) => answer,
        () = serving => panic!("the sender waits"),
    };
    assert_eq!(answer.outcome, AttemptOutcome::Failed);
    answer.reason.unwrap()
}

#[tokio::test]
async fn a_receiver_without_tls_is_a_failure() {
    assert_eq!(
        reason_of(OK.as_bytes()).await,
        "does not speak TLS at this port; it may be a port for plain HTTP"
    );
}

#[tokio::test]
async fn a_receiver_with_an_old_version_of_tls_is_a_failure() {
    const OLD_TLS: &str = "does not speak TLS 1.2 or 1.3";
    // A fatal alert: protocol_version.
    let alert = [21, 3, 2, 0, 2, 2, 70];
    assert_eq!(reason_of(&alert).await, OLD_TLS);
    // A ServerHello of TLS 1.1, which some servers send at once: a random, no session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression.
    let mut hello = vec![22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2];
    hello.extend([7; 32]);
    hello.extend([0, 0, 0x2f, 0]);
    assert_eq!(reason_of(&hello).await, OLD_TLS);
}

/// Runs OpenSSL; returns its output.
async fn openssl(args: &[&str]) -> Vec<u8> {
    let output = Command::new("openssl").args(args).output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// An `RSAPublicKey` of PKCS #1.
struct RsaKey(Vec<u8>);

impl PublicKeyData for RsaKey {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_RSA_SHA256
    }
}

/// rustls and rcgen use no such keys, so the server is one of Python, with a key of OpenSSL.
#[tokio::test]
async fn a_key_that_is_too_short_is_a_failure() {
    const SERVER: &str = "import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.set_ciphers('DEFAULT:@SECLEVEL=0')
context.load_cert_chain(sys.argv[1], sys.argv[2])
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    try:
        context.wrap_socket(connection, server_side=True)
    except OSError:
        pass
";
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key] = ["certificate", "key"].map(|name| folder.path().join(name));
    openssl(&["genrsa", "-out", key.to_str().unwrap(), "1024"]).await;
    let public = ["rsa", "-RSAPublicKey_out", "-outform", "DER", "-in"];
    let public = openssl(&[&public[..], &[key.to_str().unwrap()]].concat()).await;
    std::fs::write(&certificate, authority.signed(&RsaKey(public))).unwrap();
    let mut server = Command::new("python3")
        .args(["-c", SERVER])
        .args([&certificate, &key])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut port = String::new();
    let output = server.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut port).await.unwrap();
    let address = format!("127.0.0.1:{}", port.trim());
    let mut settings = authority.settings(&[]);
    settings.allow = address.parse().unwrap();
    let resolver = Scripted::new([vec![address.parse().unwrap()]]);
    let sender = Sender::with_resolver(&settings, resolver).unwrap();
    let reason = ping(&sender).await.reason.unwrap();
    assert!(reason.contains("less than 2,048 bits"), "{reason}");
}

#[tokio::test]
async fn a_handshake_that_hangs_ends_with_the_deadline() {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut settings = authority.settings(&[]);
    settings.allow = address.to_string().parse().unwrap();
    settings.answer_timeout = Duration::from_millis(320);
    let resolver = Scripted::new([vec![address]]);
    let sender = Sender::with_resolver(&settings, resolver).unwrap();
    let answer = ping(&sender).await;
    assert_eq!(answer.reason.as_deref(), Some("did not open a connection (TCP, then TLS) in time"));
}

#[tokio::test]
async fn a_missing_ca_file_is_refused_at_start() {
    let mut settings = Settings { ca_file: Some("/nowhere/ca.pem".into()), ..Settings::default() };
    let error = Sender::new(&settings).unwrap_err();
    assert!(format!("{error:#}").contains("/nowhere/ca.pem"), "{error:#}");
    settings.ca_file = None;
    Sender::new(&settings).unwrap();
}
