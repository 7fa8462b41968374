//! The operations of the account API (§10.18).

use http::Method;
use kit::Code;

use super::operations::{ListKind, Operation, PAGE, Success, Tag, get, rows};
use super::parameters::{self as p, Parameter};

const ONE: &[Parameter] = &[p::ID];
const ONE_DELIVERY: &[Parameter] = &[p::DELIVERY_ID, p::ENDPOINT];

/// Every operation that an account token calls.
#[rustfmt::skip]
pub(super) fn operations() -> Vec<Operation> {
    use Success::{Added, List, Object};
    vec![
        get("/account/keys", "listKeys", Tag::AccountApi, "Lists the keys of the account, and its requests for live keys.", rows("AccountKey"), PAGE),
        get("/account/keys", "createKey", Tag::AccountApi, "Makes a test key, or requests a live one.",
            Added("NewAccountKey"), &[]).write(Method::POST, "KeySubmission").codes(&[Code::PlanRequired])
            .about("A test key is made at once, and the response has its secret. A live key is requested: when staff have approved it, \
                `revealKey` has the secret, once."),
        get("/account/keys/{id}", "getKey", Tag::AccountApi, "Gets a key.", Object("AccountKey"), ONE),
        get("/account/keys/{id}/rotate", "rotateKey", Tag::AccountApi, "Makes a new secret for a key.",
            Object("RotatedAccountKey"), &[p::ID, p::GRACE, p::EXPIRES_AT]).method(Method::POST)
            .about("The response has the new secret, once. The old secret works until its grace period ends."),
        get("/account/keys/{id}/revoke", "revokeKey", Tag::AccountApi, "Revokes a key.", Object("AccountKey"), ONE).method(Method::POST),
        get("/account/keys/{id}/reveal", "revealKey", Tag::AccountApi, "Reveals the key of an approved request, once.",
            Object("NewAccountKey"), ONE).method(Method::POST)
            .about("This call makes the key: nobody else has seen its secret."),
        get("/account/endpoints", "listEndpoints", Tag::AccountApi, "Lists the endpoints of webhooks.", rows("AccountEndpoint"), PAGE),
        get("/account/endpoints", "addEndpoint", Tag::AccountApi, "Adds an endpoint.",
            Added("NewAccountEndpoint"), &[]).write(Method::POST, "EndpointSubmission").codes(&[Code::PlanRequired])
            .about("The response has the signing secret, once. The address must be https, and public."),
        get("/account/endpoints/{id}", "getEndpoint", Tag::AccountApi, "Gets an endpoint.", Object("AccountEndpoint"), ONE),
        get("/account/endpoints/{id}", "changeEndpoint", Tag::AccountApi, "Changes an endpoint.",
            Object("AccountEndpoint"), ONE).write(Method::PATCH, "EndpointChange"),
        get("/account/endpoints/{id}", "removeEndpoint", Tag::AccountApi, "Removes an endpoint and its queue.",
            Object("RemovedEndpoint"), ONE).method(Method::DELETE),
        get("/account/endpoints/{id}/{action}", "runEndpointAction", Tag::AccountApi, "Pauses, resumes or tests an endpoint, or rotates its secret.",
            Object("EndpointActionResult"), &[p::ID, p::ACTION, p::TEST_EVENT, p::TEST_KIND]).method(Method::POST)
            .about("`pause` keeps deliveries until `resume`. `rotate-secret` returns a new secret, which signs in addition to the old \
                one until `switch-secret`, or until the rotation ends. `test` sends a sample of an event."),
        get("/account/deliveries", "listDeliveries", Tag::AccountApi, "Lists deliveries to an endpoint, the newest first.",
            List("AccountDelivery", ListKind::Page),
            &[p::ENDPOINT, p::DELIVERY_STATE, p::EVENT_OF_DELIVERY, p::SINCE_MOMENT, p::UNTIL_MOMENT, p::LIMIT, p::CURSOR])
            .codes(&[Code::NotFound]),
        get("/account/deliveries/recover", "recoverDeliveries", Tag::AccountApi, "Sends the deliveries again that have failed since a time.",
            Object("RecoveredDeliveries"), &[p::ENDPOINT, p::RECOVER_SINCE, p::ONLY_COUNT]).method(Method::POST)
            .codes(&[Code::NotFound, Code::PlanRequired]),
        get("/account/deliveries/{id}", "getDelivery", Tag::AccountApi, "Gets a delivery with its attempts.", Object("OneDelivery"), ONE_DELIVERY),
        get("/account/deliveries/{id}/send-again", "sendDeliveryAgain", Tag::AccountApi, "Makes one attempt at once.",
            Object("SentDelivery"), ONE_DELIVERY).method(Method::POST).codes(&[Code::PlanRequired]),
        get("/account/usage", "getUsage", Tag::AccountApi, "Gets the usage of the account.", Object("AccountUsage"), &[p::DAYS])
            .about("Only calls of live keys count in the month."),
    ]
}
