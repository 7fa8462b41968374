//! One connection, from its first byte to its end.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::ConnectInfo;
use http::header::{CONNECTION, EXPECT, HeaderValue};
use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use kit::overload::UnderWay;
use kit::{Code, Fault};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::body::{Bounded, Held};
use super::burst;
use super::io::Paced;
use super::pace::{Pace, Turn};
use super::turns::{Gate, Queue};
use super::{Public, Serving, version};
use crate::config::Patience;
use crate::layers::bounds::{self, Objection};

/// Bounds of the library, far above those of `layers/bounds.rs`: beyond them the answer is bare (§7.2).
const FIELDS: usize = 256;
const HEAD: usize = 128 * 1024;
const HEAD_H2: u32 = 128 * 1024;
/// Calls at once on one HTTP/2 connection.
const STREAMS: u32 = 100;
/// Streams that a caller has reset before they were looked at: no more than it may have open. A caller that opens and resets for the
/// sake of it is shown the door (CVE-2023-44487).
const RESETS: usize = 100;
/// Bytes of bodies that a caller may have sent ahead, of one call and of all on its connection.
const WINDOW: u32 = 64 * 1024;
const WINDOWS: u32 = 256 * 1024;

/// What becomes of a connection for which there is no room: it is told so, and nothing more is waited for.
const BRIEF: Patience = Patience {
    http_head: Duration::from_secs(1),
    http_body: Duration::from_secs(1),
    http_idle: Duration::from_secs(1),
    http_write: Duration::from_secs(1),
};

/// Who is at the other end of a connection.
struct Caller {
    address: Option<ConnectInfo<SocketAddr>>,
    pace: Arc<Pace>,
}

/// How it stands with a call's turn.
#[derive(Debug, Clone)]
enum Turned {
    /// It is its connection's turn.
    Up,
    /// It waits for its own.
    Waits,
    /// Its connection's did not come.
    Away(Fault),
}

/// Where connections come in.
pub(super) struct Door {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    public: Public,
    patience: Patience,
    warm: Duration,
    draining: CancellationToken,
    full: bool,
    queue: Arc<Queue>,
}

impl Door {
    /// The door to what is `public`.
    pub(super) fn new(public: Public, serving: &Serving) -> Self {
        Self {
            http1: http1(),
            http2: http2(),
            public,
            patience: serving.patience,
            warm: serving.warm,
            draining: serving.draining.clone(),
            full: false,
            queue: Arc::new(Queue::new(serving.turns)),
        }
    }

    /// The door where everybody is told that there is no room.
    pub(super) fn full(public: Public, serving: &Serving) -> Self {
        Self {
            full: true,
            patience: BRIEF,
            ..Self::new(public, serving)
        }
    }

    /// Serves a connection to its end: its caller's, ours when it takes too long, or that of the server.
    pub(super) async fn serve(self: &Arc<Self>, stream: TcpStream) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "answers on a connection may wait for each other");
        }
        let caller = Caller {
            address: stream.peer_addr().ok().map(ConnectInfo),
            pace: Arc::new(Pace::new(self.patience, self.warm)),
        };
        let mut io = Paced::new(stream, &caller.pace);
        let told = tokio::select! {
            told = version::read(&mut io) => told,
            () = caller.pace.overdue() => return tracing::debug!("a connection said nothing"),
            () = self.draining.cancelled() => return,
        };
        match told {
            Ok((begun, true)) => self.http2(io.rewind(begun), &caller).await,
            Ok((begun, false)) => self.http1(io.rewind(begun), &caller).await,
            Err(error) => tracing::debug!(%error, "a connection broke off"),
        }
    }

    /// Each call waits for its turn by itself.
    async fn http2(self: &Arc<Self>, io: Paced, caller: &Caller) {
        let service = service_fn(|request| self.answer(request, caller, Turned::Waits));
        let gate = || Gate::new(&self.queue);
        let (io, outgoing) = burst::gather(io.behind(gate()), gate());
        let connection = Box::pin(self.http2.serve_connection(TokioIo::new(io), service));
        tokio::select! {
            // First whatever there is to say, then what was said.
            biased;
            _ = self.drive(connection, caller, None) => {}
            error = outgoing.broken() => tracing::debug!(%error, "a connection broke off"),
        }
    }

    /// A connection that rests has no more than its socket: the library's buffers are let go, and made anew when bytes come.
    ///
    /// Of very many that wake at once each waits for its turn, with its bytes still in the kernel: what is worked on stays little enough
    /// for the processor's caches, and so quick. Whoever waits longer than that is turned away.
    async fn http1(self: &Arc<Self>, mut io: Paced, caller: &Caller) {
        loop {
            let (turn, turned) = match self.queue.connection().await {
                Ok(turn) => (Some(turn), Turned::Up),
                Err(fault) => (None, Turned::Away(fault)),
            };
            let service = service_fn(|request| self.answer(request, caller, turned.clone()));
            let connection = Box::pin(self.http1.serve_connection(TokioIo::new(io), service));
            let Some(resting) = self.drive(connection, caller, turn).await else {
                return;
            };
            let parts = Pin::into_inner(resting).into_parts();
            io = parts.io.into_inner();
            let unread = parts.read_buf;
            if !unread.is_empty() {
                // It came with the last call: a head that has begun, and must end in time.
                caller.pace.received();
                io = io.rewind(unread);
                continue;
            }
            // Even empty it would keep the buffer that it is a part of.
            drop(unread);
            tokio::select! {
                readable = io.readable() => if let Err(error) = readable {
                    return tracing::debug!(%error, "a connection broke off");
                },
                () = caller.pace.overdue() => return,
                () = self.draining.cancelled() => return,
            }
        }
    }

    /// Serves until the connection has ended, or rests: then it is given back.
    async fn drive<C>(
        &self,
        mut connection: Pin<Box<C>>,
        caller: &Caller,
        mut turn: Option<UnderWay>,
    ) -> Option<Pin<Box<C>>>
    where
        C: GracefulConnection<Error = hyper::Error>,
    {
        let mut draining = false;
        let turn_ends = sleep(self.queue.length());
        tokio::pin!(turn_ends);
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection broke off");
                    }
                    return None;
                }
                next = caller.pace.turn(|| self.queue.is_full()) => match next {
                    Turn::Rests => return Some(connection),
                    // First the polite way: over HTTP/2 the caller is told. Then it is let go.
                    Turn::Overdue if caller.pace.part() => connection.as_mut().graceful_shutdown(),
                    Turn::Overdue => {
                        tracing::debug!("a connection took longer than it may");
                        return None;
                    }
                },
                // It waits for something else than the processor, or goes on and on: others may wake.
                () = turn_ends.as_mut(), if turn.is_some() => turn = None,
                () = self.draining.cancelled(), if !draining => {
                    draining = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }

    /// Nothing is made for a call before its turn.
    fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        caller: &Caller,
        turned: Turned,
    ) -> impl Future<Output = Result<Response<Held>, Infallible>> + Send + 'static {
        let (door, address) = (Arc::clone(self), caller.address);
        let pace = Arc::clone(&caller.pace);
        let call = pace.call(request.version());
        async move {
            let turn = match turned {
                Turned::Up => Ok(None),
                Turned::Waits => door.queue.call().await.map(Some),
                Turned::Away(fault) => Err(fault),
            };
            let objection = door.objection(&request);
            // Whoever asks before it sends a body may send it or not once it has an answer; so nobody knows what comes next.
            let asks_first =
                request.headers().contains_key(EXPECT) && !request.body().is_end_stream();
            let close = request.version() < Version::HTTP_2 && (objection.is_some() || asks_first);
            let complete = !close && is_whole(&request);
            let answer = match turn {
                Ok(turn) => {
                    let request = door.received(request, objection, address);
                    // On the heap, so that little is moved about for a call that waits.
                    let answer = Box::pin(door.public.router.clone().oneshot(request));
                    match turn {
                        Some(turn) => door.queue.within(turn, answer).await?,
                        None => answer.await?,
                    }
                }
                Err(fault) => (door.public.turned_away)(request.method(), request.headers(), fault),
            };
            let mut answer = answer.map(|body| Held::new(body, call));
            if close {
                let headers = answer.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            if complete && !answer.headers().contains_key(CONNECTION) {
                pace.complete();
            }
            Ok(answer)
        }
    }

    /// The request as the router takes it.
    fn received(
        &self,
        request: Request<Incoming>,
        objection: Option<Fault>,
        address: Option<ConnectInfo<SocketAddr>>,
    ) -> Request<Body> {
        let time = self.patience.http_body;
        let mut request = request.map(|body| Body::new(Bounded::new(body, bounds::BODY, time)));
        if let Some(fault) = objection {
            request.extensions_mut().insert(Objection(fault));
        }
        if let Some(address) = address {
            request.extensions_mut().insert(address);
        }
        request
    }

    /// Why a request is refused whatever it asks.
    fn objection(&self, request: &Request<Incoming>) -> Option<Fault> {
        if self.full {
            return Some(Fault {
                retry_after: Some(1),
                ..Fault::new(
                    Code::Unavailable,
                    "there is no room for another connection just now; try again in a moment, or keep connections open",
                )
            });
        }
        bounds::host(request).err()
    }
}

/// Whether a request over HTTP/1.1 ends with its head, and its caller keeps the connection.
fn is_whole(request: &Request<Incoming>) -> bool {
    let stays = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"keep-alive");
    request.version() == Version::HTTP_11
        && request.body().is_end_stream()
        && request.headers().get_all(CONNECTION).iter().all(stays)
}

fn http1() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // `pace.rs` sees to it, and knows a head that is late from a connection that rests.
        .header_read_timeout(None)
        .max_headers(FIELDS)
        .max_buf_size(HEAD);
    builder
}

fn http2() -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD_H2)
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(RESETS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOWS)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}
