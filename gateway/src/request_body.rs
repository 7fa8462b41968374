//! The body of a request, which is read before the request takes an admission permit: one that comes slowly holds a connection, and nothing else.

use std::borrow::Cow;
use std::error::Error;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use bytes::Bytes;
use futures::poll;
use http::Method;
use http_body_util::LengthLimitError;
use kit::overload::ConcurrencyLimit;
use kit::{Code, Fault};
use tokio::time::timeout;

use crate::request_limits::{self, MAX_BODY, too_large};

/// A body that has been read, or why it could not be, as a request extension. The checks of the request come before that error.
#[derive(Debug, Clone)]
pub struct ReadBody(pub Result<Bytes, Fault>);

/// Reads the body of a request that may have one into the extension [`ReadBody`].
///
/// # Errors
/// `unavailable`: too many bodies are arriving.
pub async fn read_ahead(
    request: &mut Request,
    arriving: &ConcurrencyLimit,
    time: Duration,
) -> Result<(), Fault> {
    let has_body = matches!(*request.method(), Method::POST | Method::PATCH);
    if !has_body || request_limits::body(request).is_err() {
        return Ok(());
    }
    let mut reading = pin!(read(std::mem::take(request.body_mut())));
    let body = match poll!(reading.as_mut()) {
        Poll::Ready(body) => body,
        Poll::Pending => {
            let _arrives = arriving.try_acquire()?;
            let body = timeout(time, reading).await;
            body.unwrap_or_else(|_elapsed| Err(too_slow(time)))
        }
    };
    request.extensions_mut().insert(ReadBody(body));
    Ok(())
}

/// Reads a body to its end.
///
/// # Errors
/// `too_large`; `bad_json`: it broke off.
pub async fn read(body: Body) -> Result<Bytes, Fault> {
    let most = usize::try_from(MAX_BODY).unwrap_or(usize::MAX);
    to_bytes(body, most).await.map_err(|error| {
        let is_too_long = error
            .source()
            .is_some_and(<dyn Error>::is::<LengthLimitError>);
        if is_too_long {
            return too_large();
        }
        bad_json("The body ended too early. Send all of it.")
    })
}

/// A slow body is `bad_json`, since the contract has no other code for it.
fn too_slow(time: Duration) -> Fault {
    bad_json(format!(
        "The body came too slowly: all of it must arrive within {time:?}. Send it faster, or send less."
    ))
}

pub fn bad_json(message: impl Into<Cow<'static, str>>) -> Fault {
    Fault::new(Code::BadJson, message)
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, StreamExt as _, stream};

    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    /// A request whose body never ends.
    fn slow(method: Method) -> Request {
        let byte = stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(b"{")) });
        let body = Body::from_stream(byte.chain(stream::pending()));
        Request::builder().method(method).body(body).unwrap()
    }

    fn code(request: &Request) -> Option<Code> {
        let read = request.extensions().get::<ReadBody>().unwrap();
        read.0.as_ref().err().map(|fault| fault.code)
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_ends_in_time_and_only_so_many_arrive() {
        let arriving = ConcurrencyLimit::new("bodies", 1);
        let (mut first, mut second) = (slow(Method::POST), slow(Method::PATCH));
        let mut reading = Box::pin(read_ahead(&mut first, &arriving, TIME));
        assert!(reading.as_mut().now_or_never().is_none());
        let shed = read_ahead(&mut second, &arriving, TIME).await;
        assert_eq!(shed.unwrap_err().code, Code::Unavailable);
        // A body that is there does not wait, nor does a read.
        let mut whole = Request::post("/").body(Body::from("{}")).unwrap();
        read_ahead(&mut whole, &arriving, TIME).await.unwrap();
        assert_eq!(code(&whole), None);
        let mut get = slow(Method::GET);
        read_ahead(&mut get, &arriving, TIME).await.unwrap();
        assert!(get.extensions().get::<ReadBody>().is_none());
        reading.await.unwrap();
        assert_eq!(code(&first), Some(Code::BadJson));
    }

    #[tokio::test]
    async fn a_body_has_a_largest_length() {
        let length = usize::try_from(MAX_BODY).unwrap();
        assert!(read(Body::from(vec![b' '; length])).await.is_ok());
        let longer = read(Body::from(vec![b' '; length + 1])).await;
        assert_eq!(longer.unwrap_err().code, Code::TooLarge);
    }
}
