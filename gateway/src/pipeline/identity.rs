//! Authentication: finds the caller of the presented key (§5.1).

use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kit::{Code, Fault};
use time::OffsetDateTime;

use crate::app::Gateway;
use crate::client_ip;
use crate::context::Context;
use crate::domain::key::Caller;
use crate::domain::secret::{Hash, KeyFormat};
use crate::lookup::QueryError;
use crate::overload::admission::Admitted;

/// The caller of a working key.
pub(super) async fn caller(
    app: &Gateway,
    context: &mut Context,
    request: &mut Admitted<'_>,
    now: OffsetDateTime,
) -> Result<Arc<Caller>, Fault> {
    let presented_key = context
        .presented_key
        .ok_or_else(|| missing_key(&request.head.headers, &app.format))?;
    let hash = presented_key.hash.ok_or_else(invalid_key)?;
    let found = match app.lookup.cached(hash, now) {
        Some(caller) => Some(caller),
        // Boxed, so that the futures of most calls are small.
        None => Box::pin(find(app, hash, request, now)).await?,
    };
    context.owner.clone_from(&found);
    let caller = found.filter(|caller| caller.works(now));
    context.is_authenticated = caller.is_some();
    caller.ok_or_else(invalid_key)
}

/// Looks up a key. If this process has not seen it yet, it may be a guess: the client's address must have refused calls left, and the
/// request has no admission permit meanwhile, so that guessed keys keep no other request from being admitted.
async fn find(
    app: &Gateway,
    hash: Hash,
    request: &mut Admitted<'_>,
    now: OffsetDateTime,
) -> Result<Option<Arc<Caller>>, Fault> {
    let may_be_guess = !app.lookup.is_known(hash);
    if may_be_guess {
        let from = client_ip::network(app, &request.head);
        app.refused_calls.check(from, now)?;
        request.permit = None;
    }
    let found = app.lookup.find(hash, now).await.map_err(failed)?;
    if may_be_guess && found.is_some() {
        request.acquire_permit().await?;
    }
    Ok(found)
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
pub(super) fn invalid_key() -> Fault {
    Fault::new(
        Code::InvalidKey,
        "This key does not work. It is mistyped, unknown, revoked or rotated, its game is not published, or its \
         account does not own the game's page. Use another key, or make one in the dashboard.",
    )
}

/// The key is not in the cache, or its entry is too old to be trusted without reading changes.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: QueryError) -> Fault {
    if let QueryError::Failed(error) = &error
        && !kit::pg::is_unavailable(error)
        // A newer version has created the key, whose gateways accept it.
        && !matches!(error, sqlx::Error::ColumnDecode { .. })
    {
        return Fault::internal(error);
    }
    let message = "Your key cannot be checked at the moment, because a part of the service does not respond. The key itself is unchanged. \
                   Try again in a moment.";
    Fault::new(Code::Unavailable, message).with_retry_after(1)
}
