//! Error responses (§7), one for each status. Statuses and texts come from the table of [`Code`].

use std::collections::{BTreeMap, BTreeSet};

use http::{Method, StatusCode};
use kit::Code;
use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::reference::{body, reference};
use super::responses::header;
use super::schemas::KNOWN_VALUES;

/// Errors of every operation.
const ALWAYS: [Code; 9] = [
    // The host, at least, is checked.
    Code::Invalid,
    Code::MissingKey,
    Code::ServerOnly,
    Code::RateLimited,
    Code::TooLarge,
    Code::UriTooLong,
    Code::HeadersTooLarge,
    Code::Unavailable,
    Code::Internal,
];

/// The statuses of the errors of an operation, each with the name of its response.
pub(super) fn statuses(operation: &Operation) -> BTreeMap<StatusCode, String> {
    let is_write = operation.method != Method::GET;
    let others = [
        (Code::NotFound, operation.path.contains('{')),
        (Code::TooManyPending, is_write),
        (Code::UnsupportedEncoding, is_write),
        (Code::OutcomeUnknown, is_write),
        (Code::IdempotencyMismatch, operation.method == Method::POST),
        (Code::PreconditionFailed, operation.method == Method::PATCH),
    ];
    let others = others.into_iter().filter(|(_, is_possible)| *is_possible);
    let codes = ALWAYS.into_iter().chain(others.map(|(code, _)| code));
    let codes = codes.chain(operation.codes.iter().copied());
    codes.map(|code| (code.status(), name(code.status()))).collect()
}

/// The name of the response with this status, such as `NotFound`. Generators of clients name a type after it.
fn name(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or_default();
    reason.split([' ', '-']).collect()
}

/// The responses of errors by their names, each with every code of its status.
pub(super) fn responses(statuses: &BTreeSet<StatusCode>) -> BTreeMap<String, Value> {
    let responses = statuses.iter();
    responses.map(|status| (name(*status), response(*status))).collect()
}

fn response(status: StatusCode) -> Value {
    let codes = Code::ALL.iter().filter(|code| code.status() == status);
    let lines: Vec<String> = codes
        .map(|code| format!("- `{}`: {} {}", code.as_str(), code.cause(), code.fix()))
        .collect();
    let mut headers = Map::new();
    header(&mut headers, "x-request-id", true);
    // Responses to calls that reached the quota check have them.
    header(&mut headers, "RateLimit", false);
    header(&mut headers, "RateLimit-Policy", false);
    match status.as_u16() {
        401 => header(&mut headers, "WWW-Authenticate", true),
        429 => header(&mut headers, "Retry-After", true),
        // Some of its codes have it.
        503 => header(&mut headers, "Retry-After", false),
        415 => header(&mut headers, "Accept-Encoding", true),
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
    });
    json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "example": false},
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
    })
}
