//! The request of an attempt: its deadline, and its repetition when the receiver has not processed it.
//!
//! Servers close connections as a matter of course: nginx closes an HTTP/2 connection after 1,000 requests, and requests that are on their way
//! then get no answer. The receiver has done nothing wrong, and its application has seen nothing.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::Duration;

use http::{Extensions, Response};
use hyper::body::Incoming;
use hyper_util::client::legacy::Error;
use hyper_util::client::legacy::connect::{HttpInfo, capture_connection};
use tokio::time::{Instant, sleep, timeout_at};

use super::connector::OPENED;
use super::tcp_connection::until_request_is_lost;
use super::{OwnFault, PostRequest, Sender, reason};

/// The nth repetition waits n times as long. A receiver that refuses everything gets some 125 requests of an attempt.
const PAUSE: Duration = Duration::from_millis(1);
/// The text of an error of hyper-util's client that is canceled.
const CANCELED: &str = "client error (Canceled)";

/// Why there is no response: our fault, if it is one, and the message for the owner of the endpoint.
type NoResponse = (Option<OwnFault>, String);

impl Sender {
    /// Sends a request until it is answered, or has failed, or the deadline is over.
    ///
    /// The receiver can say that it has not processed a request: it has refused its stream (RFC 9113, 8.7), or closes the HTTP/2 connection and
    /// names the last stream that it processed (6.8). Such a request is sent again as often as that happens. A reused connection that closes
    /// without an answer says nothing: the receiver may have closed an idle connection just as the request arrived. The request is repeated
    /// once, on a new connection, since the next idle one may be closing too.
    pub(super) async fn request(
        &self,
        post: &PostRequest<'_>,
    ) -> Result<Response<Incoming>, NoResponse> {
        let deadline = Instant::now() + self.timeout;
        let mut client = self.client(post.endpoint);
        let (mut not_processed, mut repetitions, mut may_reconnect) = (None::<String>, 0, true);
        loop {
            let mut request = post
                .to_http()
                .map_err(|error| (None, format!("could not be called: {error}")))?;
            let lost = until_request_is_lost(capture_connection(&mut request));
            let sending = async {
                sleep(PAUSE * repetitions).await;
                let response = tokio::select! {
                    biased;
                    response = client.request(request) => Some(response),
                    () = lost => None,
                };
                (response, OPENED.with(Cell::get))
            };
            let sending = timeout_at(deadline, OPENED.scope(Cell::new(None), sending));
            let Ok((response, opened)) = sending.await else {
                let late = reason::timed_out(self.timeout);
                let reason = match not_processed {
                    Some(cause) if repetitions == 1 => format!("{late}; before that it {cause}"),
                    Some(cause) => format!("{late}; before that it {cause}, {repetitions} times"),
                    None => late,
                };
                return Err((None, reason));
            };
            let error = match response {
                Some(Ok(response)) => return Ok(response),
                Some(Err(error)) => error,
                None => {
                    not_processed = Some("closed the connection".to_owned());
                    repetitions += 1;
                    continue;
                }
            };
            if is_not_processed(&error) {
                not_processed = Some(reason::of_error(&error));
                repetitions += 1;
            } else if may_reconnect && reason::is_closed(&error) && is_reused(&error, opened) {
                may_reconnect = false;
                client = self.new_connection();
            } else {
                return Err((reason::own_fault(&error), reason::of_error(&error)));
            }
        }
    }
}

/// Whether the request went over a connection that another request had opened. `opened` is the local address of the connection that was opened
/// for this one: an idle connection may have become free first.
fn is_reused(error: &Error, opened: Option<SocketAddr>) -> bool {
    let Some(connection) = error.connect_info() else {
        return false;
    };
    let mut extras = Extensions::new();
    connection.get_extras(&mut extras);
    let used = extras.get::<HttpInfo>().map(HttpInfo::local_addr);
    used.is_some() && used != opened
}

/// Whether no application of the receiver has seen the request: the receiver says so, or the request was not sent.
fn is_not_processed(error: &Error) -> bool {
    reason::causes(error).any(|error| {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            // GOAWAY is an error only of the streams above the last one that it names.
            let is_refused = error.reason() == Some(h2::Reason::REFUSED_STREAM);
            return error.is_remote() && (error.is_go_away() || is_refused);
        }
        if let Some(error) = error.downcast_ref::<Error>() {
            // The client gave the request up before it was sent: the connection that it waited for was closed, or another one was being
            // upgraded to HTTP/2. The kind of this error is only in its text.
            return error.to_string() == CANCELED;
        }
        let error = error.downcast_ref::<hyper::Error>();
        error.is_some_and(hyper::Error::is_canceled)
    })
}
