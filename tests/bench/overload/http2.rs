//! HTTP/2: many requests in flight on each connection.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use futures::future::join_all;
use h2::client::{Builder, SendRequest};
use http::Request;
use http::header::AUTHORIZATION;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;

use super::generator::Wire;
use crate::http1::Target;

/// Requests in flight on a connection: the gateway's limit.
const STREAMS: usize = 8;
/// The most connections of an open loop.
const MOST: usize = 1_000;
/// The flow-control windows of a stream and of a connection: larger than the responses.
const WINDOW: u32 = 1 << 20;
const WINDOWS: u32 = 1 << 30;

/// A pool with as many connections as the requests in flight need.
pub(super) struct Http2 {
    target: Target,
    connections: RefCell<Vec<Rc<Connection>>>,
    /// Where the search for a free connection starts, so that connections take turns.
    next: Cell<usize>,
}

#[derive(Default)]
struct Connection {
    /// The first request opens the connection.
    sender: OnceCell<SendRequest<Bytes>>,
    under_way: Cell<usize>,
}

impl Http2 {
    /// Opens the first `connections`.
    pub(super) async fn open(target: &Target, connections: usize) -> Self {
        let connections: Vec<Rc<Connection>> = (0..connections).map(|_| Rc::default()).collect();
        let opened = connections.iter().map(|it| it.sender(target));
        for sender in join_all(opened).await {
            sender.unwrap();
        }
        Self {
            target: target.clone(),
            connections: RefCell::new(connections),
            next: Cell::default(),
        }
    }

    /// A connection with a free stream, or else a new connection.
    fn free(&self) -> Option<Rc<Connection>> {
        let mut connections = self.connections.borrow_mut();
        let count = connections.len();
        let first = self.next.get();
        let free = (0..count)
            .map(|step| (first + step) % count)
            .find(|index| connections[*index].under_way.get() < STREAMS);
        if let Some(index) = free {
            self.next.set(index + 1);
            return Some(Rc::clone(&connections[index]));
        }
        (count < MOST).then(|| {
            let connection = Rc::default();
            connections.push(Rc::clone(&connection));
            connection
        })
    }
}

impl Connection {
    #[expect(
        clippy::disallowed_methods,
        reason = "it ends with the connection, and the benchmark does not stop in between"
    )]
    async fn sender(&self, target: &Target) -> anyhow::Result<SendRequest<Bytes>> {
        let sender = self.sender.get_or_try_init(async || {
            let stream = TcpStream::connect(target.address).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) = Builder::new()
                .initial_window_size(WINDOW)
                .initial_connection_window_size(WINDOWS)
                .handshake(stream)
                .await?;
            drop(tokio::spawn(connection));
            anyhow::Ok(sender)
        });
        sender.await.cloned()
    }

    async fn exchange(&self, target: &Target) -> anyhow::Result<u16> {
        let mut sender = self.sender(target).await?.ready().await?;
        let (answer, _) = sender.send_request(request(target), true)?;
        let (head, mut body) = answer.await?.into_parts();
        while let Some(part) = body.data().await {
            body.flow_control().release_capacity(part?.len())?;
        }
        Ok(head.status.as_u16())
    }
}

fn request(target: &Target) -> Request<()> {
    let mut request = Request::new(());
    *request.uri_mut() = target.uri.clone();
    let key = target.authorization.clone();
    request.headers_mut().insert(AUTHORIZATION, key);
    request
}

impl Wire for Http2 {
    async fn exchange(&self) -> Option<u16> {
        let connection = self.free()?;
        connection.under_way.update(|count| count + 1);
        let answer = connection.exchange(&self.target).await;
        connection.under_way.update(|count| count - 1);
        if let Err(error) = &answer {
            // The server may reset a single stream. After any other error, the connection is not used again.
            let error = error.downcast_ref::<h2::Error>();
            if !error.is_some_and(h2::Error::is_reset) {
                let mut connections = self.connections.borrow_mut();
                connections.retain(|other| !Rc::ptr_eq(other, &connection));
            }
        }
        answer.ok()
    }
}
