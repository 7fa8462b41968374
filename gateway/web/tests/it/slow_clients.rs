//! Clients that hold connections and do nothing with them: another client is served.

use std::net::SocketAddr;

use kit::client_address::ProxyHeader;
use kit::http_server::{Limits, Timeouts, serve};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::support::Site;

/// The beginning of an HTTP/2 connection whose client lets no byte of a body through.
const HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0";
/// GET, http, the authority `x` and the path `/docs`.
const GET: &[u8] = b"\0\0\x0c\x01\x05\0\0\0\x01\x82\x86\x01\x01x\x04\x05/docs";

/// Connections that send this and nothing else.
async fn crowd(address: SocketAddr, bytes: &[u8]) -> Vec<TcpStream> {
    let mut crowd = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        crowd.push(stream);
    }
    crowd
}

#[testing::database_test(web::MIGRATOR)]
async fn clients_that_hold_all_connections_keep_nobody_out(pool: PgPool) {
    let site = Site::new(pool).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let draining = CancellationToken::new();
    let second = std::time::Duration::from_secs(1);
    let limits = Limits {
        http_connections: 4,
        http_client_connections: 256,
        http_client_unsent: 16,
        timeouts: Timeouts {
            http_head: testing::LONG,
            http_body: testing::LONG,
            http_idle: testing::LONG,
            http_write: second,
        },
    };
    let settings = limits.settings(site.app.proxies.clone(), ProxyHeader::default(), draining);
    // It ends with the test.
    let mut server = JoinSet::new();
    server.spawn(serve(listener, settings, site.router.clone()));
    let asking = [HELLO, GET].concat();
    for (who, bytes) in [
        ("say nothing", &b""[..]),
        ("take nothing of a page", &asking),
        ("speak HTTP/2 and ask for nothing", HELLO),
    ] {
        let crowd = crowd(address, bytes).await;
        let mut other = TcpStream::connect(address).await.unwrap();
        let request = b"GET /robots.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let mut answer = String::new();
        let asking = async {
            other.write_all(request).await?;
            other.read_to_string(&mut answer).await
        };
        let asked = tokio::time::timeout(testing::LONG, asking).await;
        assert!(asked.is_ok(), "kept out by clients that {who}");
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{who}: {answer}");
        drop(crowd);
    }
}
