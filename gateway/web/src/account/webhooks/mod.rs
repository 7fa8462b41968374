//! Webhooks of an account. Every page is an RPC of webhook-svc, with the account as scope.

pub mod curl;
pub mod deliveries;
pub mod delivery;
pub mod form;
mod json_text;
pub mod list;
pub mod one;
pub mod recover;
mod signing_secret;
mod utc_minute;
mod words;

use url::Url;
use uuid::Uuid;

use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::page_error::PageError;

impl MemberRequest {
    /// The path of the account's webhooks.
    fn webhooks(&self) -> String {
        self.path("/webhooks")
    }

    /// The path of an endpoint.
    fn webhook(&self, endpoint: Uuid) -> String {
        format!("{}/{endpoint}", self.webhooks())
    }

    fn may_change_webhooks(&self) -> bool {
        self.may(Permission::Develop)
    }
}

/// The id of an endpoint in a path.
fn endpoint_id(text: &str) -> Result<Uuid, PageError> {
    text.parse().map_err(|_not_an_id| PageError::not_found())
}

/// Scheme and host of an address. Its path may be a secret, which no log keeps.
pub(super) fn origin(url: &str) -> String {
    let parsed = Url::parse(url);
    parsed.map_or_else(
        |_odd| String::new(),
        |url| url.origin().ascii_serialization(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_address_is_not_recorded() {
        assert_eq!(
            origin("https://hooks.example/secret?a=b"),
            "https://hooks.example"
        );
        assert_eq!(origin("http://127.0.0.1:9500/x"), "http://127.0.0.1:9500");
        assert_eq!(origin("odd"), "");
    }
}
