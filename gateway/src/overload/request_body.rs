//! Reads the body of a request before the request takes an admission permit, so that a slow body holds a connection and nothing else.

use std::borrow::Cow;
use std::error::Error;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use bytes::Bytes;
use futures::poll;
use http::Method;
use http::request::Parts;
use http_body_util::LengthLimitError;
use kit::overload::ConcurrencyLimit;
use kit::{Code, Fault};
use tokio::time::timeout;

use super::request_limits::{self, MAX_BODY, too_large};

/// Reads the body of a request that may have one. The inner error is that of the body: the checks of the request come before it.
///
/// # Errors
/// `unavailable`: too many bodies are arriving.
pub(super) async fn read_ahead(
    head: &Parts,
    body: &mut Body,
    arriving: &ConcurrencyLimit,
    time: Duration,
) -> Result<Result<Bytes, Fault>, Fault> {
    let has_body = matches!(head.method, Method::POST | Method::PATCH);
    if !has_body || request_limits::body(&head.headers).is_err() {
        return Ok(Ok(Bytes::new()));
    }
    let mut reading = pin!(read(std::mem::take(body)));
    Ok(match poll!(reading.as_mut()) {
        Poll::Ready(body) => body,
        Poll::Pending => {
            let _arrives = arriving.try_acquire()?;
            let body = timeout(time, reading).await;
            body.unwrap_or_else(|_elapsed| Err(too_slow(time)))
        }
    })
}

/// Reads a body to its end.
///
/// # Errors
/// `too_large`; `bad_json`: it broke off.
async fn read(body: Body) -> Result<Bytes, Fault> {
    let most = usize::try_from(MAX_BODY).unwrap_or(usize::MAX);
    to_bytes(body, most).await.map_err(|error| {
        let is_too_long = error.source().is_some_and(<dyn Error>::is::<LengthLimitError>);
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
    use http::Request;

    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    /// A body of one byte that never ends.
    fn slow() -> Body {
        let byte = stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(b"{")) });
        Body::from_stream(byte.chain(stream::pending()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_times_out_and_further_ones_are_shed() {
        let arriving = ConcurrencyLimit::new("bodies", 1);
        let read = async |method, mut body| {
            let (mut head, ()) = Request::new(()).into_parts();
            head.method = method;
            let read = read_ahead(&head, &mut body, &arriving, TIME).await?;
            Ok::<_, Fault>(read.map_err(|fault| fault.code))
        };
        let mut first = Box::pin(read(Method::POST, slow()));
        assert!(first.as_mut().now_or_never().is_none());
        let shed = read(Method::PATCH, slow()).await;
        assert_eq!(shed.unwrap_err().code, Code::Unavailable);
        // A complete body does not wait for a permit, and the body of a GET is not read.
        let whole = read(Method::POST, Body::from("{}")).await.unwrap();
        assert_eq!(whole, Ok(Bytes::from_static(b"{}")));
        let get = read(Method::GET, slow()).await.unwrap();
        assert_eq!(get, Ok(Bytes::new()));
        assert_eq!(first.await.unwrap(), Err(Code::BadJson));
    }

    #[tokio::test]
    async fn a_body_beyond_the_maximum_length_is_refused() {
        let length = usize::try_from(MAX_BODY).unwrap();
        assert!(read(Body::from(vec![b' '; length])).await.is_ok());
        let longer = read(Body::from(vec![b' '; length + 1])).await;
        assert_eq!(longer.unwrap_err().code, Code::TooLarge);
    }
}
