//! Error responses (§7). Statuses come from the table of [`crate::errors`]; the codes of an operation follow from what its route requires.

use std::collections::BTreeMap;

use http::Method;
use kit::Code;
use serde_json::{Map, Value, json};

use super::operations::Operation;
use super::parameters::IDEMPOTENCY_KEY;
use super::responses::{body, header, reference};
use super::schemas::KNOWN_VALUES;
use crate::domain::access::{AllowedKeys, Effect, Requirements};
use crate::errors::status;

/// Errors of every operation.
const ALWAYS: [Code; 13] = [
    // The host, at least, is checked.
    Code::Invalid,
    Code::MissingKey,
    Code::InvalidKey,
    // A token calls the account API, and nothing else does.
    Code::ScopeRequired,
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
    let is_token = matches!(requirements.keys, AllowedKeys::Token { .. });
    let is_possible = |code: Code| {
        // A token uses no calls of the month.
        (ALWAYS.contains(&code) && !(is_token && code == Code::QuotaExceeded))
            || operation.codes.contains(&code)
            || is_required(code, requirements)
            || match code {
                Code::NotFound => operation.path.contains('{'),
                Code::BadJson => operation.body.is_some(),
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
        codes.entry(status(code).as_u16()).or_default().push(code);
    }
    codes
}

/// Whether the checks of a route with these requirements, or those of its service on such a write, can fail with `code`.
fn is_required(code: Code, requirements: &Requirements) -> bool {
    let effect = requirements.effect;
    let writes_listing = matches!(effect, Effect::Submit | Effect::Edit);
    match code {
        Code::SecretKeyRequired => !matches!(
            requirements.keys,
            AllowedKeys::Any | AllowedKeys::Token { .. }
        ),
        Code::PlanRequired => requirements.endpoint.is_some() || requirements.webhook_events,
        Code::ModuleOff => requirements.module.is_some(),
        Code::Closed => !matches!(effect, Effect::Read | Effect::AlwaysOpen),
        Code::WriteNotAllowed | Code::NotYours | Code::TooManyPending | Code::Limit => {
            writes_listing
        }
        Code::PreconditionFailed => effect == Effect::Edit,
        _ => false,
    }
}

/// The name of the response component of these codes, of which generators of clients make the name of a type. A code has one status.
pub(super) fn component_name(codes: &[Code], is_token: bool) -> String {
    let has_own_text = is_token && codes.iter().any(|code| of_token(*code).is_some());
    let prefix = has_own_text.then_some("account");
    let words = codes.iter().flat_map(|code| code.as_str().split('_'));
    let words = prefix.into_iter().chain(words).map(|word| {
        let (first, rest) = word.split_at(1);
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    words.collect()
}

/// A response with one of these codes. Some mean something else in the account API.
pub(super) fn response(status: u16, codes: &[Code], is_token: bool) -> Value {
    let meaning = |code: Code| {
        let of_token = of_token(code).filter(|_| is_token);
        of_token.unwrap_or_else(|| meaning(code))
    };
    let lines: Vec<String> = codes
        .iter()
        .map(|code| format!("- `{}`: {}", code.as_str(), meaning(*code)))
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
        "content": body(&reference("Error")),
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
            "success": {"const": false},
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

/// The meaning of a code in the account API, if it differs.
const fn of_token(code: Code) -> Option<&'static str> {
    match code {
        Code::RateLimited => Some(
            "There were too many calls in this minute, new keys in 24 hours, addresses in an hour, or test events that wait.",
        ),
        Code::OutcomeUnknown => Some(
            "The change got no response and may have taken effect. Read the list of the keys, endpoints or deliveries before you repeat the \
             call; there is no `Idempotency-Key` here.",
        ),
        _ => None,
    }
}

/// When a code is returned, for people.
const fn meaning(code: Code) -> &'static str {
    match code {
        Code::Invalid => {
            "A field, a parameter or a header is bad; `fields` has each with its reason."
        }
        Code::BadJson => "The body is not a JSON object, or it broke off.",
        Code::BadRequest => "The report is rejected; the message names every bad field.",
        Code::MissingKey => "There is no key, or no value that looks like one.",
        Code::InvalidKey => "The key does not work (any more).",
        Code::SecretKeyRequired => {
            "The call needs another kind of key, or must come from a server."
        }
        Code::ScopeRequired => {
            "The call needs an account token with another scope, or a key in place of a token."
        }
        Code::WriteNotAllowed => "The key only reads.",
        Code::ServerOnly => "The call has an `Origin` header, as a web page sends it.",
        Code::NotYours => "`creator` names a page that is not the account's.",
        Code::PlanRequired => {
            "The plan does not include this call; the message names one that does."
        }
        Code::NotFound => "There is nothing with this name, or it is not the caller's.",
        Code::MethodNotAllowed => {
            "The path does not support this method; `Allow` lists the supported ones."
        }
        Code::TooManyPending => "The account has the maximum number of submissions pending review.",
        Code::IdempotencyInFlight => "The first call with this `Idempotency-Key` is still running.",
        Code::IdempotencyMismatch => {
            "An earlier call used this `Idempotency-Key` with another body."
        }
        Code::PreconditionFailed => "The listing is not at a revision that `If-Match` names.",
        Code::Gone => "The history of the cursor no longer exists: start again without it.",
        Code::TooLarge => "The body is over 256 KiB.",
        Code::UriTooLong => "Path and query are over 16 KiB.",
        Code::HeadersTooLarge => "The headers are over 32 KiB, or more than 100 fields.",
        Code::Limit => "The plan's writes of the day are used up.",
        Code::QuotaExceeded => {
            "The month's calls are used up; `error.resets_at` is the time of the reset."
        }
        Code::RateLimited => "There were too many calls in this minute.",
        Code::TooSoon => "The report comes too soon after the previous one.",
        Code::ModuleOff => "Staff have turned off the economy, or writes by API.",
        Code::ApiUnavailable => "Staff have turned off the API.",
        Code::Closed => "There are no submissions, or no changes at all, for a while.",
        Code::Unavailable => "A part of the service does not respond.",
        Code::OutcomeUnknown => {
            "The write got no response and may have taken effect. Repeat it with the same `Idempotency-Key` only."
        }
        Code::Internal => "An internal error, which is logged under the request id.",
    }
}
