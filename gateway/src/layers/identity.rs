//! Who calls: from the key that was sent to its caller, or why there is none (§5.1).

use std::sync::Arc;

use http::{Extensions, HeaderMap};
use kit::{Code, Fault};
use time::OffsetDateTime;

use super::client_ip;
use crate::app::App;
use crate::context::Context;
use crate::domain::key::Caller;
use crate::lookup::{Found, Unanswered};

/// The caller with a key that works. Where it comes from is only looked at for a key that is not in memory.
pub async fn caller(
    app: &App,
    context: &Context,
    headers: &HeaderMap,
    extensions: &Extensions,
    now: OffsetDateTime,
) -> Result<Arc<Caller>, Fault> {
    let presented = context.presented.ok_or_else(missing_key)?;
    let hash = presented.hash.ok_or_else(invalid_key)?;
    let found = if let Some(found) = app.lookup.recall(hash, now) {
        found
    } else {
        let from = client_ip::network(app, headers, extensions);
        app.lookup.ask(hash, from, now).await.map_err(unanswered)?
    };
    match found {
        Found::Caller(caller) if caller.works(now) => Ok(caller),
        Found::Caller(_) | Found::Nobody => Err(invalid_key()),
    }
}

fn missing_key() -> Fault {
    Fault::new(
        Code::MissingKey,
        "send your key as `Authorization: Bearer …`, in one such header",
    )
}

/// The one answer to every key that does not work: which of the reasons it is, strangers do not learn.
pub fn invalid_key() -> Fault {
    Fault::new(
        Code::InvalidKey,
        "this key does not work: mistyped, unknown, revoked, expired, rotated away, or its game is gone; use another",
    )
}

fn unanswered(why: Unanswered) -> Fault {
    match why {
        // Instead of `invalid_key`, which is all that a look-up could bring.
        Unanswered::TooMany(wait) => Fault {
            retry_after: Some(wait),
            ..Fault::new(
                Code::RateLimited,
                "your address has sent too many keys that nobody has, so this one was not looked up: check it, and wait as \
                 Retry-After says; keys that work are answered as before",
            )
        },
        // The key is not in memory, or was there for too long without its changes being seen.
        Unanswered::Failed(error) if kit::pg::is_unavailable(&error) => Fault {
            retry_after: Some(1),
            ..Fault::new(
                Code::Unavailable,
                "your key cannot be checked just now, for a part of the service does not answer; the key is as it was: try again in \
                 a moment",
            )
        },
        Unanswered::Failed(error) => Fault::internal(&error),
    }
}
