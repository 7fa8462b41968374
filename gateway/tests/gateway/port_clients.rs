//! The limits of each client, at the public port: connections, and responses that are not received. A flood from many addresses costs
//! others nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use futures::future::join_all;
use kit::descriptor_limit;
use kit::http_server::ClientLimits;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Notify;

use crate::port::{PATIENT, Port};
use crate::port_keep_alive::Connection;
use crate::support::{Test, TestKey, eventually};

/// Connections of the port and of a client, and unsent bytes of a client, as shipped.
const CONNECTIONS: u32 = 4_096;
const SHIPPED: (u32, usize) = (256, 16 * 1024 * 1024);
/// Addresses of a flood.
const ADDRESSES: u8 = 20;
/// Connections of each: together, their responses hold more than a client may have, and those of all addresses more than the port.
const FLOOD: usize = 45;
/// Calls on each of these: as many as the port takes.
const CALLS: u32 = 100;

async fn open(router: Router, connections: u32, client: (u32, usize)) -> Port {
    let client = ClientLimits {
        connections: client.0,
        unsent: client.1,
        ..ClientLimits::default()
    };
    Port::open_with(router, PATIENT, connections, client).await
}

/// A connection from 127.0.0.`host`.
async fn connect_from(port: &Port, host: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    let from = SocketAddr::from((Ipv4Addr::new(127, 0, 0, host), 0));
    socket.bind(from).unwrap();
    socket.connect(port.address).await.unwrap()
}

/// Whether the server has closed the connection. Reads what has arrived.
fn is_closed(stream: &TcpStream) -> bool {
    let mut dropped = [0; 4096];
    loop {
        match stream.try_read(&mut dropped) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

fn call(key: &TestKey) -> String {
    format!(
        "GET /v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        key.secret
    )
}

/// An HTTP/2 connection that makes calls without a key and lets no byte of a response body through.
fn calls_without_window() -> Vec<u8> {
    let hello = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0";
    // GET, http, the authority `x` and the path, none of them indexed.
    let head = b"\x82\x86\x01\x01x\x04\x09/v1/games";
    let length = u8::try_from(head.len()).unwrap();
    let calls = (0..CALLS).flat_map(|n| {
        let frame = [0, 0, length, 1, 5];
        [&frame[..], &(2 * n + 1).to_be_bytes(), head].concat()
    });
    hello.iter().copied().chain(calls).collect()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_flood_from_twenty_addresses_costs_a_caller_with_a_key_no_call(pool: PgPool) {
    let many = u32::from(ADDRESSES) * u32::try_from(FLOOD).unwrap();
    assert_eq!(descriptor_limit::allowed("test", many, 3), many);
    let test = Test::new(pool).await;
    let account = test.account("partner").await;
    let key = test.key(&account, "test").await;
    let port = open(test.router.clone(), CONNECTIONS, SHIPPED).await;
    let mut kept = Connection::open(&port).await;
    let mut call_twice = async || {
        let mut new = Connection::open(&port).await;
        for caller in [&mut kept, &mut new] {
            caller.send(call(&key)).await;
            let response = caller.response().await;
            let response = response.expect("the call has no response");
            assert_eq!(response.status, 200, "{response:?}");
        }
    };
    call_twice().await;
    let calls = calls_without_window();
    let mut flood = Vec::new();
    for _ in 0..FLOOD {
        let wave = (2..2 + ADDRESSES).map(async |host| {
            let mut stream = connect_from(&port, host).await;
            stream.write_all(&calls).await.unwrap();
            stream
        });
        flood.extend(join_all(wave).await);
        call_twice().await;
    }
    eventually("connections that hold most are closed", async || {
        tokio::task::yield_now().await;
        flood.iter().any(is_closed)
    })
    .await;
    for _ in 0..50 {
        call_twice().await;
    }
}

#[tokio::test]
async fn idle_connections_of_many_addresses_lock_nobody_out() {
    let router = Router::new().route("/", get(async || "here"));
    let port = open(router, 40, (10, SHIPPED.1)).await;
    let mut idle = Vec::new();
    for host in 2..7 {
        for _ in 0..10 {
            idle.push(connect_from(&port, host).await);
        }
    }
    for _ in 0..20 {
        let mut caller = Connection::open(&port).await;
        caller.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert_eq!(caller.response().await.unwrap().body, "here");
    }
    assert!(idle.iter().any(is_closed));
}

#[tokio::test]
async fn a_client_over_its_connections_is_refused_and_others_are_not() {
    let router = Router::new().route("/", get(async || "here"));
    let port = open(router, 100, (2, SHIPPED.1)).await;
    let ask = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    let answers = async |stream: &mut TcpStream| {
        let mut answer = Vec::new();
        // A connection that is reset can perhaps not be written to.
        drop(stream.write_all(ask).await);
        while !answer.ends_with(b"here") {
            let Ok(byte) = stream.read_u8().await else {
                return false;
            };
            answer.push(byte);
        }
        true
    };
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = connect_from(&port, 2).await;
        assert!(answers(&mut stream).await);
        held.push(stream);
    }
    assert!(!answers(&mut connect_from(&port, 2).await).await);
    assert!(answers(&mut connect_from(&port, 3).await).await);
    drop(held.pop());
    eventually("a connection is free", async || {
        answers(&mut connect_from(&port, 2).await).await
    })
    .await;
}

#[tokio::test]
async fn a_connection_waits_while_none_is_idle_and_an_idle_one_makes_room() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (notify, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    let slow = get(async move || {
        notify.notify_one();
        wait.notified().await;
        "done"
    });
    let router = Router::new()
        .route("/", get(async || "here"))
        .route("/slow", slow);
    let port = open(router, 1, (10, SHIPPED.1)).await;
    let mut first = Connection::open(&port).await;
    first.send("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await;
    begun.notified().await;
    let mut second = Connection::open(&port).await;
    second.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let mut waiting = Box::pin(second.response());
    assert!(futures::poll!(&mut waiting).is_pending());
    go_on.notify_one();
    assert_eq!(first.response().await.unwrap().body, "done");
    // The first connection is idle now, and is closed for the second.
    assert_eq!(waiting.await.unwrap().body, "here");
    assert!(first.response().await.is_none());
}
