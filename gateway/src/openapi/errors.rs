//! Error responses (§7). Statuses and texts come from the table of [`Code`]; the codes of an operation follow from what its route requires.

use std::collections::BTreeMap;

use http::Method;
use kit::Code;
use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::parameters::IDEMPOTENCY_KEY;
use super::reference::{body, reference};
use super::responses::header;
use super::schemas::KNOWN_VALUES;
use crate::domain::access::{AllowedKeys, Effect, Requirements};

/// Errors of every operation.
const ALWAYS: [Code; 12] = [
    // The host, at least, is checked.
    Code::Invalid,
    Code::MissingKey,
    Code::InvalidKey,
    Code::ServerOnly,
    Code::ApiUnavailable,
    Code::RateLimited,
    Code::QuotaExceeded,
    Code::TooLarge,
    Code::UriTooLong,
    Code::HeadersTooLarge,
    Code::Unavailable,
    Code::Internal,
];

/// The error codes of an operation by status.
pub(super) fn codes(
    operation: &Operation,
    requirements: &Requirements,
) -> BTreeMap<u16, Vec<Code>> {
    let is_possible = |code: Code| {
        ALWAYS.contains(&code)
            || operation.codes.contains(&code)
            || is_required(code, requirements)
            || match code {
                Code::NotFound => operation.path.contains('{'),
                Code::BadJson | Code::UnsupportedEncoding => operation.body.is_some(),
                Code::OutcomeUnknown => operation.method != Method::GET,
                Code::IdempotencyInFlight | Code::IdempotencyMismatch => {
                    let mut parameters = operation.parameters.iter();
                    parameters.any(|it| it.name == IDEMPOTENCY_KEY.name)
                }
                _ => false,
            }
    };
    let mut codes: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in Code::ALL.iter().copied().filter(|code| is_possible(*code)) {
        codes.entry(code.status().as_u16()).or_default().push(code);
    }
    codes
}

/// Whether the checks of a route with these requirements, or those of its service on such a write, can fail with `code`.
fn is_required(code: Code, requirements: &Requirements) -> bool {
    let effect = requirements.effect;
    let writes_listing = matches!(effect, Effect::Submit | Effect::Edit);
    match code {
        Code::SecretKeyRequired => requirements.keys != AllowedKeys::Any,
        Code::PlanRequired => requirements.endpoint.is_some() || requirements.webhook_events,
        Code::ModuleOff => requirements.module.is_some(),
        Code::Closed => effect != Effect::Read,
        Code::WriteNotAllowed | Code::NotYours | Code::TooManyPending | Code::Limit => {
            writes_listing
        }
        Code::PreconditionFailed => effect == Effect::Edit,
        _ => false,
    }
}

/// The name of the response component of these codes, of which generators of clients make the name of a type. A code has one status.
pub(super) fn component_name(codes: &[Code]) -> String {
    let words = codes.iter().flat_map(|code| code.as_str().split('_'));
    let words = words.map(|word| {
        let (first, rest) = word.split_at(1);
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    words.collect()
}

/// A response with one of these codes.
pub(super) fn response(status: u16, codes: &[Code]) -> Value {
    let lines: Vec<String> = codes
        .iter()
        .map(|code| format!("- `{}`: {} {}", code.as_str(), code.cause(), code.fix()))
        .collect();
    let mut headers = Map::new();
    header(&mut headers, "x-request-id", true);
    // Responses to calls that reached the quota check have them.
    header(&mut headers, "RateLimit", false);
    header(&mut headers, "RateLimit-Policy", false);
    match status {
        401 => header(&mut headers, "WWW-Authenticate", true),
        429 => header(&mut headers, "Retry-After", true),
        409 => header(&mut headers, "Retry-After", false),
        415 => header(&mut headers, "Accept-Encoding", true),
        503 => header(
            &mut headers,
            "Retry-After",
            !codes.contains(&Code::ModuleOff),
        ),
        _ => {}
    }
    json!({
        "description": lines.join("\n"),
        "headers": headers,
        "content": body(&reference("ErrorResponse")),
    })
}

/// The envelope of an error (§2.1). It is one for all, so that a client handles every error alike; the descriptions of responses name the codes
/// of each.
pub(super) fn schema() -> Value {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let error = json!({
        "type": "object",
        "properties": {
            "code": {
                "type": "string",
                KNOWN_VALUES: codes,
                "description": "More may come: branch on the status for one that you do not know.",
            },
            "message": {"type": "string", "minLength": 1, "description": "A sentence for people that says how to proceed."},
            "docs_url": {"type": "string", "format": "uri"},
            "resets_at": {
                "$ref": "#/components/schemas/Timestamp",
                "description": "With `quota_exceeded`: when the next month begins.",
            },
        },
        "required": ["code", "message", "docs_url"],
        "additionalProperties": true,
    });
    json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "const": false},
            "error": error,
            "fields": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"type": "string", "minLength": 1},
                "description": "With `invalid`: each bad field or parameter with its reason. The name may be a path, such as `links.play`.",
            },
            "meta": reference("ErrorMeta"),
        },
        "required": ["success", "error", "meta"],
        "additionalProperties": true,
    })
}
