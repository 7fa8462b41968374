//! Authentication: finds the caller of the presented key (§5.1).

use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{Extensions, HeaderMap};
use kit::{Code, Fault};
use time::OffsetDateTime;

use super::client_ip;
use crate::app::App;
use crate::context::Context;
use crate::domain::key::Caller;
use crate::domain::secret::KeyFormat;
use crate::lookup::{FindError, KeyOwner};

/// The caller of a working key. The client's address is determined only if the key is not in the cache.
pub async fn caller(
    app: &App,
    context: &Context,
    headers: &HeaderMap,
    extensions: &Extensions,
    now: OffsetDateTime,
) -> Result<Arc<Caller>, Fault> {
    let presented_key = context
        .presented_key
        .ok_or_else(|| missing_key(headers, &app.format))?;
    let hash = presented_key.hash.ok_or_else(invalid_key)?;
    let found = if let Some(found) = app.lookup.cached(hash, now) {
        found
    } else {
        let from = client_ip::network(app, headers, extensions);
        app.lookup
            .find(hash, from, now)
            .await
            .map_err(lookup_error)?
    };
    match found {
        KeyOwner::Caller(caller) if caller.works(now) => Ok(caller),
        KeyOwner::Caller(_) | KeyOwner::Nobody => Err(invalid_key()),
    }
}

/// The gateway reads the key from the `Authorization` header alone.
fn missing_key(headers: &HeaderMap, format: &KeyFormat) -> Fault {
    let prefix = format.prefix();
    let reason = match headers.get_all(AUTHORIZATION).iter().count() {
        0 => "The request has no Authorization header, the only place where the key is read.",
        1 => "The Authorization header was read, and its value is not an API key.",
        _ => "The request has several Authorization headers, and the key is read from one.",
    };
    Fault::new(
        Code::MissingKey,
        format!(
            "{reason} Send the header `Authorization: Bearer <key>` once, with the whole key: `{prefix}live_` or `{prefix}test_` and what \
             follows."
        ),
    )
}

/// One error for every key that does not work, so that strangers do not learn the reason.
pub fn invalid_key() -> Fault {
    Fault::new(
        Code::InvalidKey,
        "This key does not work. It is mistyped, unknown, revoked, expired or rotated, or its game is not published. Use another key.",
    )
}

fn lookup_error(error: FindError) -> Fault {
    match error {
        // The key is unknown, so a lookup could only have ended in `invalid_key`.
        FindError::RateLimited(wait) => Fault {
            retry_after: Some(wait),
            ..Fault::new(
                Code::RateLimited,
                "This key was not looked up, because your address has sent too many unknown keys. Check the key, and try again after the \
                 seconds in Retry-After. Working keys are not affected.",
            )
        },
        // The key is not in the cache, or its entry is too old to be trusted without reading changes.
        FindError::Database(error) if kit::pg::is_unavailable(&error) => Fault {
            retry_after: Some(1),
            ..Fault::new(
                Code::Unavailable,
                "Your key cannot be checked at the moment, because a part of the service does not respond. The key itself is unchanged. Try \
                 again in a moment.",
            )
        },
        FindError::Database(error) => Fault::internal(&error),
    }
}
