//! `GET /economy/rates` with many rows: clients that stop reading, a service that fails, and many clients at once.

use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway::upstream;
use http_body_util::BodyExt as _;
use sqlx::PgPool;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tower::ServiceExt as _;

use crate::economy::key_of_game;
use crate::support::economy::{RATES, RatesScript};
use crate::support::port::Port;
use crate::support::{Test, TestConfig, TestKey, UPSTREAM, eventually};

const PIECE: usize = 64 * 1024;
const PIECES: usize = 1_600;
/// Bytes of a large list.
const LARGE: usize = PIECE * PIECES;
const READERS: usize = 30;

/// A list of 100 MB, which is an array with much white space.
fn large() -> RatesScript {
    let mut pieces = vec![Bytes::from(vec![b' '; PIECE]); PIECES];
    pieces[0] = Bytes::from([b"[".to_vec(), vec![b' '; PIECE - 1]].concat());
    pieces[PIECES - 1] = Bytes::from([vec![b' '; PIECE - 1], b"]".to_vec()].concat());
    RatesScript {
        pieces,
        ..RatesScript::default()
    }
}

/// A client that has read the head of a response and reads on when it is asked to.
struct Reader {
    connection: BufReader<TcpStream>,
    status: String,
    length: usize,
}

impl Reader {
    async fn open(port: &Port, key: &TestKey, path: &str) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        // Small, so that a body does not fit into the buffers of the kernel.
        socket.set_recv_buffer_size(32 * 1024).unwrap();
        let mut connection = socket.connect(port.address).await.unwrap();
        let head = format!(
            "GET /v1{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
            key.secret
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut reader = Self {
            connection: BufReader::new(connection),
            status: String::new(),
            length: 0,
        };
        reader.read_head().await;
        reader
    }

    async fn read_head(&mut self) {
        self.connection.read_line(&mut self.status).await.unwrap();
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line).await.unwrap();
            if line.trim_end().is_empty() {
                break;
            }
            if let Some(length) = line.strip_prefix("content-length: ") {
                self.length = length.trim_end().parse().unwrap();
            }
        }
    }

    /// Reads up to the end of the connection.
    async fn body(mut self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.length);
        // A reset also ends the connection.
        drop(self.connection.read_to_end(&mut body).await);
        body
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn clients_that_stop_reading_hold_little_and_stop_nobody(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    test.economy.set_rates(large());
    let port = Port::open(test.router.clone()).await;
    let open = || Reader::open(&port, &key, "/economy/rates");
    let stopped = futures::future::join_all((0..READERS).map(|_| open())).await;
    for reader in &stopped {
        assert_eq!(reader.status, "HTTP/1.1 200 OK\r\n");
    }
    // Another client receives the whole list, and other calls are answered.
    let whole = open().await;
    let length = whole.length;
    let body = whole.body().await;
    assert_eq!(body.len(), length);
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["data"], serde_json::json!([]));
    assert!(test.get(&key, "/economy/currencies").await.is_ok());
    // What was sent and nobody has read is in buffers.
    let buffered = test.economy.sent() - LARGE;
    assert!(buffered < 2 * LARGE, "{buffered} bytes are buffered");
    drop(stopped);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn rates_that_fail_before_they_begin_are_a_503(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    // The call fails, or breaks off while the list is read for the cache.
    for fails_before in [0, 1, 2] {
        test.economy.set_rates(RatesScript {
            fails_before: Some(fails_before),
            ..RatesScript::default()
        });
        let calls = test.economy.request_ids().len();
        let response = test.get(&key, "/economy/rates").await;
        assert_eq!(response.error(), (503, "unavailable"), "{}", response.text);
        let id = response.header("x-request-id");
        assert_eq!(response.json["meta"]["request_id"], id);
        let ids = test.economy.request_ids();
        assert!(ids.len() > calls + 1, "the rows were requested");
        assert!(ids[calls..].iter().all(|sent| sent == id), "{ids:?}");
    }
    test.economy.set_rates(RatesScript::default());
    let after = test.get(&key, "/economy/rates").await;
    assert_eq!(
        after.json["data"],
        serde_json::from_str::<serde_json::Value>(RATES).unwrap()
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn rates_that_break_off_are_cut_off(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    test.economy.set_rates(RatesScript {
        fails_before: Some(PIECES / 2),
        ..large()
    });
    let port = Port::open(test.router.clone()).await;
    let reader = Reader::open(&port, &key, "/economy/rates").await;
    assert_eq!(reader.status, "HTTP/1.1 200 OK\r\n");
    let length = reader.length;
    let body = reader.body().await;
    assert!(body.len() < length, "{} of {length} bytes", body.len());
    assert!(!body.ends_with(b"}"));

    let request = key.get("/economy/rates").body(axum::body::Body::empty());
    let response = test.router.clone().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.into_body().collect().await.is_err());
}

/// A call that waits for another to read the same rates has one deadline, however many wait with it.
#[testing::database_test(gateway::MIGRATOR)]
async fn calls_that_wait_for_rates_do_not_wait_for_each_other(pool: PgPool) {
    // So many that one after the other takes much longer than a slow machine does.
    const CLIENTS: u32 = 40;
    let deadline = Duration::from_secs(1);
    let with = TestConfig {
        upstream: upstream::CallLimits {
            write_deadline: deadline,
            ..UPSTREAM
        },
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = key_of_game(&test, "secret").await;
    eventually("the gateway is connected", async || {
        test.get(&key, "/economy/currencies").await.is_ok()
    })
    .await;
    // The service answers with heads, and never with rows.
    test.economy.set_rates(RatesScript {
        after_heads: usize::MAX,
        ..RatesScript::default()
    });
    let began = Instant::now();
    let calls = (0..CLIENTS).map(|_| test.get(&key, "/economy/rates"));
    for response in futures::future::join_all(calls).await {
        assert_eq!(response.error(), (503, "unavailable"), "{}", response.text);
    }
    assert!(began.elapsed() < deadline * CLIENTS / 2);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn rates_are_fetched_once_for_all_clients_that_wait(pool: PgPool) {
    const CLIENTS: usize = 8;
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    test.economy.set_rates(RatesScript {
        after_heads: CLIENTS,
        ..RatesScript::default()
    });
    let calls = (0..CLIENTS).map(|_| test.get(&key, "/economy/rates"));
    for response in futures::future::join_all(calls).await {
        assert!(response.is_ok(), "{}", response.text);
    }
    let requests = test.economy.rates();
    let rows = requests.iter().filter(|request| !request.head_only);
    assert_eq!(rows.count(), 1);
}
