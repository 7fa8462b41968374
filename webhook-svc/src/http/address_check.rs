//! A HEAD request to an address that an owner enters: an address that redirects is refused (§6).

use bytes::Bytes;
use http::header::{HeaderValue, USER_AGENT};
use http::{Request, Uri};
use http_body_util::Full;
use tokio::time::timeout;

use super::{Sender, reason};
use crate::domain::address::Address;
use crate::domain::signed_headers::AGENT;

impl Sender {
    /// Requests an address without a message, under the network rules of deliveries. Returns the outcome in words, which may be a failure: the
    /// receiver may not be running yet, and need not know HEAD.
    ///
    /// # Errors
    /// The address redirects: the status and the target in words.
    pub async fn check_address(&self, address: &Address) -> Result<String, String> {
        let request = Uri::try_from(address.as_str()).map(Request::head);
        let request = request.map(|builder| {
            let agent = HeaderValue::from_static(AGENT);
            builder
                .header(USER_AGENT, agent)
                .body(Full::<Bytes>::default())
        });
        let request = match request {
            Ok(Ok(request)) => request,
            Ok(Err(error)) => return Ok(format!("could not be called: {error}")),
            Err(error) => return Ok(format!("could not be called: {error}")),
        };
        // A client of its own: most addresses are checked once, and clients of endpoints are kept.
        let client = self.builder.build::<_, Full<Bytes>>(self.connector.clone());
        let limit = self.address_check_timeout;
        match timeout(limit, client.request(request)).await {
            Ok(Ok(response)) => {
                let answer = reason::of_status(response.status(), response.headers());
                if response.status().is_redirection() {
                    Err(answer)
                } else {
                    Ok(answer)
                }
            }
            Ok(Err(error)) => Ok(reason::of_error(&error).replace('\0', "\u{FFFD}")),
            Err(_elapsed) => Ok(reason::timed_out(limit)),
        }
    }
}
