//! Counts the memory of responses that wait to be sent.
//!
//! A response stays in memory until the client has received it. Over HTTP/2, a client can make a hundred requests and block all
//! responses. `clients` limits what each client, and all clients together, may hold.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http_body::{Frame, SizeHint};

use super::clients::{Client, ClientConnection};
use super::timeouts::CallGuard;

/// Bytes of a response besides its body: its head, and the state of its stream.
const OVERHEAD: usize = 4 * 1024;

/// A response that counts as unsent until it is dropped.
struct TrackedResponse {
    call: CallGuard,
    connection: Arc<ClientConnection>,
    client: Arc<Client>,
}

/// The body of a response. Its chunks count as unsent from when the HTTP library takes them.
struct TrackedBody(Body, Arc<TrackedResponse>);

/// A chunk of a response body. The HTTP library drops it when it is written.
struct BodyChunk(Bytes, Arc<TrackedResponse>);

/// Tracks the response to `call` until the HTTP library has written its last byte.
///
/// # Errors
/// The client has too many unsent bytes. The error resets the stream over HTTP/2, and closes the connection over HTTP/1.1.
pub(super) fn track(
    connection: &Arc<ClientConnection>,
    client: Arc<Client>,
    mut call: CallGuard,
    response: Response,
) -> Result<Response, h2::Error> {
    connection.check_room(&client)?;
    call.response_ready();
    connection.add_unsent(&client, OVERHEAD);
    let tracked = Arc::new(TrackedResponse {
        call,
        connection: Arc::clone(connection),
        client,
    });
    let (mut head, body) = response.into_parts();
    if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
        head.headers.entry(CONTENT_LENGTH).or_insert(length.into());
    }
    let body = Body::new(TrackedBody(body, tracked));
    Ok(Response::from_parts(head, body))
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.0).poll_frame(context)?);
        let frame = frame.map(|frame| match frame.into_data() {
            Ok(bytes) => self.1.chunk(bytes).map(Frame::data),
            Err(trailers) => Ok(trailers),
        });
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl TrackedResponse {
    /// Counts a chunk. It fails if the client has too many unsent bytes already.
    fn chunk(self: &Arc<Self>, bytes: Bytes) -> Result<Bytes, BoxError> {
        self.connection.check_room(&self.client)?;
        self.connection.add_unsent(&self.client, bytes.len());
        Ok(Bytes::from_owner(BodyChunk(bytes, Arc::clone(self))))
    }
}

impl Drop for TrackedResponse {
    fn drop(&mut self) {
        self.connection.remove_unsent(&self.client, OVERHEAD);
    }
}

impl AsRef<[u8]> for BodyChunk {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for BodyChunk {
    fn drop(&mut self) {
        let Self(bytes, tracked) = self;
        tracked
            .connection
            .remove_unsent(&tracked.client, bytes.len());
        tracked.call.chunk_written();
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::http_server::clients::OpenConnection;
    use crate::http_server::clients::tests::{clients, open};

    fn tracked(open: &OpenConnection) -> Result<Response, h2::Error> {
        let connection = &open.connection;
        let call = CallGuard::begin(&connection.deadlines, true);
        let client = connection.client_of(&HeaderMap::new());
        track(connection, client, call, Response::new(Body::from("kalah")))
    }

    #[tokio::test]
    async fn a_response_counts_until_its_last_byte_is_dropped() {
        // The client may have one response and its body, and not a byte more.
        let limit = OVERHEAD + 5;
        let clients = clients(9, limit);
        let [one, other] = [(); 2].map(|()| open(&clients, "192.0.2.1").unwrap());
        let response = tracked(&one).unwrap();
        assert_eq!(response.headers()[CONTENT_LENGTH], "5");
        let mut body = response.into_body();
        let part = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert!(tracked(&other).is_err());
        assert!(tracked(&open(&clients, "192.0.2.2").unwrap()).is_ok());
        assert_eq!(part, "kalah");
        drop(part);
        assert!(tracked(&other).is_ok());
    }

    #[tokio::test]
    async fn a_body_ends_when_its_client_holds_too_much() {
        let clients = clients(9, 2 * OVERHEAD);
        let open = open(&clients, "192.0.2.1").unwrap();
        let mut first = tracked(&open).unwrap().into_body();
        let second = tracked(&open).unwrap().into_body();
        assert!(first.frame().await.unwrap().is_err());
        drop(second);
        drop(first);
        let mut again = tracked(&open).unwrap().into_body();
        assert!(again.frame().await.unwrap().is_ok());
    }
}
