//! Unary calls. A response is collected once and decoded where it lies, so a call that changes nothing can be made again until it has ended.

use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use contracts::Unary;
use http::request::Request;
use http::uri::PathAndQuery;
use http::{HeaderMap, response};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use prost::Message;
use tokio::time::{Instant, timeout_at};
use tonic::body::Body;
use tonic::{Code, Status};

use super::Client;
use super::balancer::InFlightGuard;
use super::connection::body_error;
use super::request_headers::set_deadline;
use super::transport_error::{TransportError, unavailable};
use crate::rpc::retry;

/// Bytes before each message: a flag and the length (gRPC over HTTP/2, "Length-Prefixed-Message").
const PREFIX: usize = 5;
/// The largest response. A creator comes with all its games and a country with all its cities, which can be thousands.
const MAX_RESPONSE: usize = 64 * 1024 * 1024;

/// A call with one message, which can be sent again.
struct Call {
    path: PathAndQuery,
    headers: HeaderMap,
    message: Bytes,
    is_idempotent: bool,
}

/// What a service has answered: a message with its prefix, or a status that is not OK.
type Answer = Result<Bytes, Status>;

/// Makes a call.
pub(super) async fn call<Q: Unary>(
    client: &Client,
    request: &Q,
    timeout: Duration,
    is_idempotent: bool,
) -> Result<Q::Response, Status> {
    let call = Call {
        path: PathAndQuery::from_static(Q::PATH),
        headers: client.request_headers.unary(),
        message: encode(request)?,
        is_idempotent,
    };
    let answer = send(client, &call, Instant::now() + timeout).await?;
    decode(answer?)
}

/// Sends a call. If it was not sent, or is idempotent, it is retried once, on another replica if there is one, within the time that is left.
/// The first attempt of an idempotent call leaves half of the time to a replica that works.
async fn send(client: &Client, call: &Call, deadline: Instant) -> Result<Answer, TransportError> {
    let first = client.pick(None, call.is_idempotent, deadline).await?;
    let first_deadline = if call.is_idempotent && client.balancer.has_healthy_other(&first.replica)
    {
        deadline - deadline.saturating_duration_since(Instant::now()) / 2
    } else {
        deadline
    };
    let outcome = attempt(&first, call, first_deadline, false).await;
    let may_retry =
        |error: &TransportError| error.may_retry(call.is_idempotent) && Instant::now() < deadline;
    if !outcome.as_ref().is_err_and(may_retry) {
        return outcome;
    }
    metrics::counter!("rpc_client_retries_total").increment(1);
    let second = client.pick(Some(&first.replica), false, deadline).await?;
    drop(first);
    attempt(&second, call, deadline, true).await
}

/// Sends a call to one replica, and collects the response.
async fn attempt(
    guard: &InFlightGuard,
    call: &Call,
    deadline: Instant,
    is_retry: bool,
) -> Result<Answer, TransportError> {
    let replica = &guard.replica;
    let sending = async {
        let mut request = Request::new(Body::new(Full::new(call.message.clone())));
        *request.method_mut() = http::Method::POST;
        *request.headers_mut() = call.headers.clone();
        set_deadline(request.headers_mut(), deadline.saturating_duration_since(Instant::now()));
        if is_retry {
            retry::add_header(request.headers_mut());
        }
        let sent = replica.http.send(&call.path, request).await;
        let (head, body) = sent.map_err(|failure| failure.error)?.into_parts();
        let (trailers, message) = match Limited::new(body, MAX_RESPONSE).collect().await {
            Ok(collected) => (collected.trailers().cloned(), collected.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                return Ok(Err(Status::out_of_range("the response is longer than 64 MB")));
            }
            Err(error) => return Err(body_error(&*error)),
        };
        let answer = answer(&head, trailers.as_ref(), message)?;
        match answer.as_ref().err().and_then(unavailable) {
            None => replica.record_success(),
            Some(error) if call.is_idempotent => return Err(error),
            Some(_) => {}
        }
        Ok(answer)
    };
    let outcome = timeout_at(deadline, sending).await;
    let outcome = outcome.unwrap_or(Err(TransportError::TimedOut));
    outcome.inspect_err(|error| guard.record_failure(error))
}

/// A response without messages has its status in the head, all others in the trailers.
///
/// # Errors
/// There is none: something between the services has answered, or the response was cut off.
fn answer(
    head: &response::Parts,
    trailers: Option<&HeaderMap>,
    message: Bytes,
) -> Result<Answer, TransportError> {
    let status = Status::from_header_map(trailers.unwrap_or(&head.headers));
    match status {
        Some(status) if status.code() == Code::Ok => Ok(Ok(message)),
        Some(status) => Ok(Err(status)),
        None => {
            let reason =
                format!("the response has no status of gRPC (HTTP status {})", head.status);
            Err(TransportError::Broken(reason.into()))
        }
    }
}

fn encode(request: &impl Message) -> Result<Bytes, Status> {
    let length = request.encoded_len();
    let too_long = |_| Status::resource_exhausted("the request is longer than 4 GB");
    let mut message = BytesMut::with_capacity(PREFIX + length);
    message.put_u8(0);
    message.put_u32(u32::try_from(length).map_err(too_long)?);
    request.encode(&mut message).map_err(|error| internal(error.to_string()))?;
    Ok(message.freeze())
}

fn decode<A: Message + Default>(mut message: Bytes) -> Result<A, Status> {
    // The services of the fleet do not compress: the flag is 0.
    let prefix = message.split_to(PREFIX.min(message.len()));
    let is_whole = u32::try_from(message.len())
        .is_ok_and(|length| *prefix == [&[0], &length.to_be_bytes()[..]].concat());
    if !is_whole {
        return Err(internal("the response is not one message"));
    }
    A::decode(message).map_err(|error| internal(format!("the response is not valid: {error}")))
}

/// It has no details, so that the outcome of a write counts as unknown.
fn internal(message: impl Into<String>) -> Status {
    Status::new(Code::Internal, message)
}

#[cfg(test)]
mod tests {
    use contracts::common::v1::PageInfo;

    use super::*;

    #[test]
    fn a_response_without_a_status_of_grpc_is_broken() {
        let (mut head, ()) = http::Response::builder().status(502).body(()).unwrap().into_parts();
        let broken = answer(&head, None, Bytes::new()).unwrap_err();
        assert!(matches!(&broken, TransportError::Broken(reason) if reason.contains("502")));
        // As a response that was cut off before its trailers.
        head.status = http::StatusCode::OK;
        assert!(answer(&head, None, Bytes::from_static(b"\0")).is_err());
        head.headers.insert("grpc-status", "5".parse().unwrap());
        assert_eq!(answer(&head, None, Bytes::new()).unwrap().unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn a_response_is_one_whole_message() {
        let sent = PageInfo { total: 300, ..PageInfo::default() };
        let message = encode(&sent).unwrap();
        assert_eq!(decode::<PageInfo>(message.clone()).unwrap(), sent);
        let compressed = [&[1], &message[1..]].concat();
        let two = [&*message, &*message].concat();
        for broken in
            [&[][..], &message[..PREFIX - 1], &message[..message.len() - 1], &compressed, &two]
        {
            let status = decode::<PageInfo>(Bytes::copy_from_slice(broken)).unwrap_err();
            assert_eq!(status.code(), Code::Internal, "{broken:?}");
        }
    }
}
