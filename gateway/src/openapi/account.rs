//! The operations of the account API (§10.18).

use http::Method;
use kit::Code;

use super::operations::{ListKind, Operation, Success, Tag};
use super::parameters::{self as p, Parameter};

const PAGE: &[Parameter] = &[p::LIMIT, p::CURSOR];
const ONE: &[Parameter] = &[p::ID];
const ONE_DELIVERY: &[Parameter] = &[p::ID, p::ENDPOINT];

/// An operation that reads one object.
const fn get(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    success: Success,
    parameters: &'static [Parameter],
) -> Operation {
    Operation {
        method: Method::GET,
        path,
        id,
        tag: Tag::AccountApi,
        summary,
        parameters,
        body: None,
        success,
        codes: &[],
    }
}

/// An operation that changes something, and answers with this object.
fn post(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    object: &'static str,
    parameters: &'static [Parameter],
) -> Operation {
    Operation {
        method: Method::POST,
        ..get(path, id, summary, Success::Object(object), parameters)
    }
}

const fn rows(row: &'static str) -> Success {
    Success::List(row, ListKind::Plain)
}

/// Every operation that an account token calls.
#[rustfmt::skip]
pub(super) fn operations() -> Vec<Operation> {
    use Success::{Added, Object};
    vec![
        get("/account/keys", "listKeys", "Lists the keys of the account, and its requests for live keys.", rows("AccountKey"), PAGE),
        post("/account/keys", "createKey", "Makes a test key, or requests a live one.", "NewAccountKey", &[])
            .with_body("KeySubmission", Added("NewAccountKey")).with_codes(&[Code::PlanRequired]),
        get("/account/keys/{id}", "getKey", "Gets a key.", Object("AccountKey"), ONE),
        post("/account/keys/{id}/rotate", "rotateKey", "Makes a new secret for a key.", "RotatedAccountKey", &[p::ID, p::GRACE, p::EXPIRES_AT]),
        post("/account/keys/{id}/revoke", "revokeKey", "Revokes a key.", "AccountKey", ONE),
        post("/account/keys/{id}/reveal", "revealKey", "Reveals the key of an approved request, once.", "NewAccountKey", ONE),
        get("/account/endpoints", "listEndpoints", "Lists the endpoints of webhooks.", rows("AccountEndpoint"), PAGE),
        post("/account/endpoints", "addEndpoint", "Adds an endpoint.", "NewAccountEndpoint", &[])
            .with_body("EndpointSubmission", Added("NewAccountEndpoint")).with_codes(&[Code::PlanRequired]),
        get("/account/endpoints/{id}", "getEndpoint", "Gets an endpoint.", Object("AccountEndpoint"), ONE),
        post("/account/endpoints/{id}", "changeEndpoint", "Changes an endpoint.", "AccountEndpoint", ONE)
            .with_body("EndpointChange", Object("AccountEndpoint")).with_method(Method::PATCH),
        post("/account/endpoints/{id}", "removeEndpoint", "Removes an endpoint and its queue.", "RemovedEndpoint", ONE)
            .with_method(Method::DELETE),
        post("/account/endpoints/{id}/{action}", "runEndpointAction", "Pauses, resumes or tests an endpoint, or rotates its secret.",
            "EndpointActionResult", &[p::ID, p::ACTION, p::TEST_EVENT, p::TEST_KIND]),
        get("/account/deliveries", "listDeliveries", "Lists deliveries to an endpoint, the newest first.", Success::List("AccountDelivery", ListKind::Page),
            &[p::ENDPOINT, p::DELIVERY_STATE, p::EVENT_OF_DELIVERY, p::SINCE_MOMENT, p::UNTIL_MOMENT, p::LIMIT, p::CURSOR])
            .with_codes(&[Code::NotFound]),
        post("/account/deliveries/recover", "recoverDeliveries", "Sends what was made since a moment and has failed again.", "RecoveredDeliveries",
            &[p::ENDPOINT, p::RECOVER_SINCE, p::ONLY_COUNT]).with_codes(&[Code::NotFound, Code::PlanRequired]),
        get("/account/deliveries/{id}", "getDelivery", "Gets a delivery with its attempts.", Object("OneDelivery"), ONE_DELIVERY),
        post("/account/deliveries/{id}/send-again", "sendDeliveryAgain", "Makes an attempt at once.", "SentDelivery", ONE_DELIVERY)
            .with_codes(&[Code::PlanRequired]),
        get("/account/usage", "getUsage", "Says what the account has used.", Object("AccountUsage"), &[p::DAYS]),
    ]
}

impl Operation {
    fn with_body(self, body: &'static str, success: Success) -> Self {
        Self {
            body: Some(body),
            success,
            ..self
        }
    }

    fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    fn with_codes(self, codes: &'static [Code]) -> Self {
        Self { codes, ..self }
    }
}
