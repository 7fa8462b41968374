//! Explains error codes (§7) to a caller, with the next step.

use kit::Code;

/// Why a call was refused or failed, and what its caller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorHelp {
    pub cause: &'static str,
    pub mend: &'static str,
}

/// The caller closed the connection before the answer; the log has it as 499.
pub const CLOSED_BY_CALLER: ErrorHelp = ErrorHelp {
    cause: "The caller closed the connection before the answer.",
    mend: "Give the call a longer time limit. A write may have taken effect: look before you repeat it.",
};

/// A status without a known code.
const UNKNOWN: ErrorHelp = ErrorHelp {
    cause: "The call was refused or failed.",
    mend: "Repeat it and read `error.message` in the answer.",
};

/// The help for a call in the log.
pub fn of_call(status: u32, code: &str) -> Option<ErrorHelp> {
    match (status, Code::parse(code)) {
        (_, Some(code)) => Some(help(code)),
        (499, None) => Some(CLOSED_BY_CALLER),
        (400.., None) => Some(UNKNOWN),
        _ => None,
    }
}

/// The help for a code.
pub const fn help(code: Code) -> ErrorHelp {
    let (cause, mend) = match code {
        Code::Invalid | Code::BadJson | Code::BadRequest => of_body(code),
        Code::MissingKey
        | Code::InvalidKey
        | Code::SecretKeyRequired
        | Code::WriteNotAllowed
        | Code::ServerOnly
        | Code::NotYours
        | Code::ScopeRequired
        | Code::PlanRequired => of_key(code),
        Code::Limit
        | Code::QuotaExceeded
        | Code::RateLimited
        | Code::TooSoon
        | Code::TooManyPending => of_limit(code),
        Code::ModuleOff | Code::ApiUnavailable | Code::Closed => of_switch(code),
        _ => of_rest(code),
    };
    ErrorHelp { cause, mend }
}

/// The HTTP status of a code (§7).
pub const fn status(code: Code) -> u16 {
    match code {
        Code::Invalid | Code::BadJson | Code::BadRequest => 400,
        Code::MissingKey | Code::InvalidKey => 401,
        Code::SecretKeyRequired
        | Code::WriteNotAllowed
        | Code::ServerOnly
        | Code::NotYours
        | Code::ScopeRequired
        | Code::PlanRequired => 403,
        Code::NotFound => 404,
        Code::MethodNotAllowed => 405,
        Code::TooManyPending | Code::IdempotencyInFlight => 409,
        Code::Gone => 410,
        Code::PreconditionFailed => 412,
        Code::TooLarge => 413,
        Code::UriTooLong => 414,
        Code::IdempotencyMismatch => 422,
        Code::Limit | Code::QuotaExceeded | Code::RateLimited | Code::TooSoon => 429,
        Code::HeadersTooLarge => 431,
        Code::Internal => 500,
        Code::ModuleOff | Code::ApiUnavailable | Code::Closed | Code::Unavailable => 503,
        Code::OutcomeUnknown => 504,
    }
}

const fn of_body(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::BadJson => (
            "The body is not a JSON object, or it broke off.",
            "Send one JSON object in UTF-8 with its whole length, within ten seconds.",
        ),
        Code::BadRequest => (
            "The economy report contradicts itself, for example with a `meal` of 0.",
            "Read `error.message`, correct the report and send it again.",
        ),
        _ => (
            "A field of the body or a parameter of the query is not acceptable.",
            "Read `fields` in the answer: it has a reason for each.",
        ),
    }
}

const fn of_key(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::MissingKey => (
            "There was no key, or a value that does not look like one.",
            "Send the header `Authorization: Bearer` with the whole key.",
        ),
        Code::InvalidKey => (
            "The key is unknown, revoked, expired or past its grace, or its game is gone.",
            "See its state on the page Keys, and use another key or make one.",
        ),
        Code::SecretKeyRequired => (
            "The call needs the secret key of the game, sent by a server.",
            "Make a secret key of the game, and call from its server.",
        ),
        Code::WriteNotAllowed => (
            "The key can only read.",
            "Make a key with May write; the rights of a key never change.",
        ),
        Code::ServerOnly => (
            "The call came from a web page: it has an `Origin` header.",
            "Call from a server, so that nobody reads the key in the page.",
        ),
        Code::NotYours => (
            "`creator` is the handle of a page that is not this account's.",
            "Use the handle of your own page, or claim the page under Listings.",
        ),
        Code::ScopeRequired => (
            "A call of the account API came without an account token that has its scope, or a token called something else.",
            "Make a token with the scope on the page Tokens, and use keys for all other calls.",
        ),
        _ => (
            "The plan of the account does not include this endpoint for live keys.",
            "See the page Plans; a test key can call it on every plan.",
        ),
    }
}

const fn of_limit(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::Limit => (
            "The writes of the day that the plan has are used up.",
            "Wait until 00:00 UTC, as `Retry-After` says, or see the page Plans.",
        ),
        Code::QuotaExceeded => (
            "The calls of the month are used up, or the half of them that public keys may use.",
            "Wait until `error.resets_at`, use a test key meanwhile, or see the page Plans.",
        ),
        Code::RateLimited => (
            "Too many calls in a minute: of the key, of a player, or refused ones from the address.",
            "Wait for `Retry-After` seconds, and spread calls by the header `RateLimit`.",
        ),
        Code::TooSoon => (
            "The economy report came too soon after the previous one.",
            "Wait for `Retry-After` seconds; report about once an hour.",
        ),
        _ => (
            "As many submissions or claims wait for review as an account may have.",
            "Wait until staff have reviewed some, or withdraw one under Listings.",
        ),
    }
}

const fn of_switch(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::ModuleOff => (
            "Staff have turned off the economy, or writes by the API, for a while.",
            "Try again later; other calls work.",
        ),
        Code::ApiUnavailable => (
            "Staff have turned off the API for a while.",
            "Try again later.",
        ),
        _ => (
            "Submissions are paused, or nothing can be changed, for a while.",
            "Keep the body, and send it again later.",
        ),
    }
}

const fn of_rest(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::NotFound => (
            "There is nothing at this path, or not for this key: test and live data are apart.",
            "Check the path and the slug, and whether the key is for test or live data.",
        ),
        Code::MethodNotAllowed => (
            "The path does not support this method.",
            "Use a method that the header `Allow` of the answer lists.",
        ),
        Code::IdempotencyInFlight => (
            "The first call with this `Idempotency-Key` is still running.",
            "Wait a moment and repeat the same call: it gets the answer of the first.",
        ),
        Code::IdempotencyMismatch => (
            "An earlier call used this `Idempotency-Key` with another body.",
            "Use a new `Idempotency-Key` for each new body.",
        ),
        Code::PreconditionFailed => (
            "The listing has changed since the revision in `If-Match`.",
            "Read the listing again, apply the change to it, and send its new `ETag`.",
        ),
        Code::Gone => (
            "The `cursor` of `/changes` belongs to a history that no longer exists.",
            "Start again without a cursor, and at the end delete the listings that did not appear again.",
        ),
        Code::TooLarge => (
            "The body is over 256 KiB.",
            "Shorten it; pictures are uploaded under Listings.",
        ),
        Code::UriTooLong => (
            "Path and query are over 16 KiB.",
            "Send fewer or shorter parameters.",
        ),
        Code::HeadersTooLarge => (
            "The headers are over 32 KiB, or more than 100.",
            "Send fewer headers, above all fewer cookies.",
        ),
        Code::Unavailable => (
            "A part of the service did not respond.",
            "Repeat the call after `Retry-After` seconds.",
        ),
        Code::OutcomeUnknown => (
            "The write got no response in time: it may or may not have taken effect.",
            "Repeat it with the same `Idempotency-Key`; without one, look in `GET /me/listings` first.",
        ),
        _ => (
            "Something broke on our side.",
            "Repeat the call later. If it stays, tell staff the request id.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_has_its_own_cause_and_mend() {
        let mut seen = BTreeSet::new();
        for code in Code::ALL {
            let ErrorHelp { cause, mend } = help(*code);
            assert!(cause.ends_with('.') && mend.ends_with('.'), "{code:?}");
            assert!(seen.insert(cause) && seen.insert(mend), "{code:?}");
            assert_eq!(of_call(400, code.as_str()), Some(help(*code)));
        }
    }

    #[test]
    fn statuses_and_codes_are_those_of_the_contract() {
        let contract = include_str!("../../../../proto/CONTRACT.md");
        let (_, errors) = contract.split_once("\n## 7. Errors\n").unwrap();
        let (errors, _) = errors.split_once("\n### 7.1 ").unwrap();
        let rows = errors.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let status: u16 = cells.next()?.parse().ok()?;
            let code = cells.next()?.trim_matches('`');
            Some((code.to_owned(), status))
        });
        let rows: BTreeSet<(String, u16)> = rows.collect();
        let codes = Code::ALL.iter();
        let codes = codes.map(|code| (code.as_str().to_owned(), status(*code)));
        assert_eq!(codes.collect::<BTreeSet<_>>(), rows);
    }

    #[test]
    fn a_call_without_a_code_has_help_unless_it_succeeded() {
        assert_eq!(of_call(200, ""), None);
        assert_eq!(of_call(304, ""), None);
        assert_eq!(of_call(499, ""), Some(CLOSED_BY_CALLER));
        assert_eq!(of_call(418, "newer_code"), Some(UNKNOWN));
    }
}
