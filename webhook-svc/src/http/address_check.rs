//! A HEAD request to an address that an owner enters: an address that redirects is refused (§6).

use http::StatusCode;
use http::header::USER_AGENT;

use super::{Sender, reason};
use crate::domain::address::Address;
use crate::domain::signed_headers::AGENT;

/// Why a request to an address has no answer of its receiver, in words.
#[derive(Debug)]
pub enum AddressProblem {
    /// The status and the target.
    Redirects(String),
    /// The receiver may not be running yet.
    Unreached(String),
}

impl Sender {
    /// Requests an address without a message, under the network rules of deliveries. Returns the status, which may be that of a failure: the
    /// receiver need not know HEAD.
    ///
    /// # Errors
    /// See [`AddressProblem`].
    pub async fn check_address(&self, address: &Address) -> Result<StatusCode, AddressProblem> {
        let request = self.address_checks.head(address.as_str()).header(USER_AGENT, AGENT);
        let sent = self.send(address, request, self.address_check_timeout);
        let response = sent.await.map_err(AddressProblem::Unreached)?;
        let status = response.status();
        if status.is_redirection() {
            let answer = reason::for_status(status, response.headers());
            return Err(AddressProblem::Redirects(answer));
        }
        Ok(status)
    }
}
