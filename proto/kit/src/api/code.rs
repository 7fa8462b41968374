//! The table of error codes (§7): the statuses of each, and for people its cause and what its caller can do.

use http::StatusCode;

macro_rules! codes {
    ($($variant:ident = $text:literal, $status:ident, $grpc:ident, $cause:literal, $fix:literal;)+) => {
        /// An error code of §7.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $cause] $variant,)+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The code in `error.code`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text,)+ }
            }

            /// The code with this name.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Code::$variant),)+ _ => None }
            }

            /// The HTTP status of the API.
            pub const fn status(self) -> StatusCode {
                match self { $(Code::$variant => StatusCode::$status,)+ }
            }

            /// The nearest gRPC code, for generic tools. Callers use [`Code`].
            pub(crate) const fn grpc(self) -> tonic::Code {
                match self { $(Code::$variant => tonic::Code::$grpc,)+ }
            }

            /// Why the call was refused or failed, for people.
            pub const fn cause(self) -> &'static str {
                match self { $(Code::$variant => $cause,)+ }
            }

            /// What the caller can do, for people.
            pub const fn fix(self) -> &'static str {
                match self { $(Code::$variant => $fix,)+ }
            }
        }
    };
}

codes! {
    Invalid = "invalid", BAD_REQUEST, InvalidArgument,
        "A field of the body, a parameter of the query or a header is not acceptable.",
        "Read `fields` in the response: it has a reason for each.";
    BadJson = "bad_json", BAD_REQUEST, InvalidArgument,
        "The body is not a JSON object, or it broke off.",
        "Send one JSON object in UTF-8, complete and without delay.";
    BadRequest = "bad_request", BAD_REQUEST, InvalidArgument,
        "The economy report is rejected, for example because its `meal` is 0.",
        "Read `error.message`, which names the bad fields, correct the report and send it again.";
    MissingKey = "missing_key", UNAUTHORIZED, Unauthenticated,
        "There was no key, or a value that does not look like one.",
        "Send the header `Authorization: Bearer` with the whole key.";
    InvalidKey = "invalid_key", UNAUTHORIZED, Unauthenticated,
        "The key is unknown, revoked or past its grace period, or its game is gone.",
        "See its state on the page Keys, and use another key or create one.";
    SecretKeyRequired = "secret_key_required", FORBIDDEN, PermissionDenied,
        "The call needs a secret key, sent by a server; a call of the economy needs that of the game.",
        "Create such a key, and call from the game's server.";
    WriteNotAllowed = "write_not_allowed", FORBIDDEN, PermissionDenied,
        "The key can only read.",
        "Create a key with May write; the rights of a key never change.";
    ServerOnly = "server_only", FORBIDDEN, PermissionDenied,
        "The call came from a web page: it has an `Origin` header.",
        "Call from a server, so that nobody reads the key in the page.";
    NotYours = "not_yours", FORBIDDEN, PermissionDenied,
        "`creator` is the handle of a page that is not this account's.",
        "Use the handle of your own page, or claim the page under Listings.";
    PlanRequired = "plan_required", FORBIDDEN, PermissionDenied,
        "The plan of the account does not include this call for live keys.",
        "`error.message` names a plan that does; the page Plans has all of them. A test key can call it on every plan.";
    NotFound = "not_found", NOT_FOUND, NotFound,
        "There is nothing at this path or with this name, or not for this key: test and live data are separate.",
        "Check the path and the slug, and whether the key is for test or live data.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, Unimplemented,
        "The path does not support this method.",
        "Use a method that the header `Allow` of the response lists.";
    TooManyPending = "too_many_pending", CONFLICT, FailedPrecondition,
        "The account already has the maximum number of submissions or claims that wait for a review.",
        "Wait until staff have reviewed some, or take one down under Listings: what waits for its review can be changed and submitted again later.";
    IdempotencyMismatch = "idempotency_mismatch", UNPROCESSABLE_ENTITY, FailedPrecondition,
        "An earlier call used this `Idempotency-Key` with another body.",
        "Use a new `Idempotency-Key` for each new body.";
    PreconditionFailed = "precondition_failed", PRECONDITION_FAILED, FailedPrecondition,
        "The listing has changed since the revision in `If-Match`.",
        "Read the listing again, apply the change to it, and send its new `ETag`.";
    Gone = "gone", GONE, OutOfRange,
        "The messages after the `after` of `/webhooks/messages` are no longer kept.",
        "Start again without it.";
    TooLarge = "too_large", PAYLOAD_TOO_LARGE, InvalidArgument,
        "The body is over 64 KiB.",
        "Shorten it; pictures are uploaded under Listings.";
    UriTooLong = "uri_too_long", URI_TOO_LONG, InvalidArgument,
        "Path and query are over 16 KiB.",
        "Send fewer or shorter parameters.";
    UnsupportedEncoding = "unsupported_encoding", UNSUPPORTED_MEDIA_TYPE, InvalidArgument,
        "The body has a `Content-Encoding`, such as gzip; bodies are read as they are.",
        "Send the body uncompressed, and leave the header out.";
    HeadersTooLarge = "headers_too_large", REQUEST_HEADER_FIELDS_TOO_LARGE, InvalidArgument,
        "The headers are over 32 KiB, or more than 100.",
        "Send fewer headers, above all fewer cookies.";
    Limit = "limit", TOO_MANY_REQUESTS, ResourceExhausted,
        "The writes that the plan allows per day are used up.",
        "Wait until 00:00 UTC, as `Retry-After` says, or see the page Plans.";
    QuotaExceeded = "quota_exceeded", TOO_MANY_REQUESTS, ResourceExhausted,
        "The calls of the month are used up, or the share of them that public keys may use.",
        "Wait until `error.resets_at`, use a test key meanwhile, or see the page Plans.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, ResourceExhausted,
        "There were too many calls in this minute (of the key, of a player, or refused ones from the address), or too many bodies at once.",
        "Wait for `Retry-After` seconds, and spread calls by the header `RateLimit`.";
    TooSoon = "too_soon", TOO_MANY_REQUESTS, ResourceExhausted,
        "The economy report came too soon after the previous one.",
        "Wait for `Retry-After` seconds; report every 65 minutes.";
    ModuleOff = "module_off", SERVICE_UNAVAILABLE, Unavailable,
        "Staff have turned off the economy, or writes by the API, for a while.",
        "Try again later; other calls work.";
    ApiUnavailable = "api_unavailable", SERVICE_UNAVAILABLE, Unavailable,
        "Staff have turned off the API for a while.",
        "Try again later.";
    Closed = "closed", SERVICE_UNAVAILABLE, Unavailable,
        "Submissions are paused, or nothing can be changed, for a while.",
        "Keep the body, and send it again later.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, Unavailable,
        "A part of the service did not respond.",
        "Repeat the call after `Retry-After` seconds.";
    OutcomeUnknown = "outcome_unknown", GATEWAY_TIMEOUT, DeadlineExceeded,
        "The write got no response in time: it may or may not have taken effect.",
        "Repeat it with the same `Idempotency-Key`; without one, look in `GET /me/listings` first.";
    Internal = "internal", INTERNAL_SERVER_ERROR, Internal,
        "Something broke on our side.",
        "Repeat the call later. If it keeps failing, send the request id to staff.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_has_its_own_cause_and_fix() {
        let mut seen = BTreeSet::new();
        for code in Code::ALL {
            let (cause, fix) = (code.cause(), code.fix());
            assert!(cause.ends_with('.') && fix.ends_with('.'), "{code:?}");
            assert!(seen.insert(cause) && seen.insert(fix), "{code:?}");
        }
    }

    #[test]
    fn every_code_is_found_by_its_name() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.as_str()), Some(*code));
        }
    }

    #[test]
    fn statuses_and_codes_are_those_of_the_contract() {
        let contract = include_str!("../../../CONTRACT.md");
        let (_, errors) = contract.split_once("\n## 7. Errors\n").unwrap();
        let (errors, _) = errors.split_once("\n## 8. ").unwrap();
        let rows: BTreeSet<(String, u16)> = errors
            .lines()
            .filter_map(|line| {
                let mut cells = line.strip_prefix("| ")?.split(" | ");
                let status: u16 = cells.next()?.parse().ok()?;
                let code = cells.next()?.trim_matches('`');
                Some((code.to_owned(), status))
            })
            .collect();
        let codes = Code::ALL.iter().map(|code| (code.as_str().to_owned(), code.status().as_u16()));
        assert_eq!(codes.collect::<BTreeSet<_>>(), rows);
    }
}
