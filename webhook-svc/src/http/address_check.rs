//! A HEAD request to an address that an owner enters: an address that redirects is refused (§6).

use http::header::USER_AGENT;

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
        let request = self.address_checks.head(address.as_str());
        let request = request.header(USER_AGENT, AGENT);
        let sent = self.send(address, request, self.address_check_timeout);
        match sent.await {
            Ok(response) => {
                let answer = reason::for_status(response.status(), response.headers());
                if response.status().is_redirection() {
                    Err(answer)
                } else {
                    Ok(answer)
                }
            }
            Err(reason) => Ok(reason),
        }
    }
}
