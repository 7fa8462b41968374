//! Authentication: finds the caller of the presented key (§5.1).

use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kit::{Code, Fault};

use super::checks::Checks;
use crate::context::{Context, Identity};
use crate::domain::access::invalid_key;
use crate::domain::key::Caller;
use crate::domain::secret::{Hash, KeyFormat};
use crate::lookup::QueryError;
use crate::store::column;

impl Checks<'_> {
    /// The caller of a working key.
    pub(super) async fn caller(&self, context: &mut Context) -> Result<Arc<Caller>, Fault> {
        let presented_key = context
            .presented_key
            .ok_or_else(|| missing_key(&self.head.headers, &self.app.format))?;
        let hash = presented_key.hash.ok_or_else(invalid_key)?;
        let found = match self.app.lookup.cached(hash, self.now) {
            Some(caller) => Some(caller),
            // Boxed, so that the futures of most calls are small.
            None => Box::pin(self.find(hash, context)).await?,
        };
        let caller = found.ok_or_else(invalid_key)?;
        if !caller.works(self.now) {
            context.identity = Identity::NotWorking(caller);
            return Err(invalid_key());
        }
        context.identity = Identity::Working(Arc::clone(&caller));
        Ok(caller)
    }

    /// Looks up a key. If this process has not seen it yet, it may be a guess: the client's network must have refused calls left, and the
    /// request has no admission permit meanwhile, so that guessed keys keep no other request from being admitted.
    async fn find(&self, hash: Hash, context: &mut Context) -> Result<Option<Arc<Caller>>, Fault> {
        let lookup = &self.app.lookup;
        let may_be_guess = !lookup.is_known(hash);
        if may_be_guess {
            self.app.refused_calls.check(self.network(), self.now)?;
            context.permit = None;
        }
        let found = lookup.find(hash, self.now).await.map_err(failed)?;
        if may_be_guess && found.is_some() {
            context.permit = Some(self.admission.acquire(self.head).await?);
        }
        Ok(found)
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

/// The key is not in the cache, or its entry is too old to be trusted without reading changes.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: QueryError) -> Fault {
    if let QueryError::Failed(error) = &error
        && !kit::pg::is_unavailable(error)
        && !column::is_newer_row(error)
    {
        return Fault::internal(error);
    }
    let message = "Your key cannot be checked at the moment, because a part of the service does not respond. The key itself is unchanged. \
                   Try again in a moment.";
    Fault::new(Code::Unavailable, message).with_retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unexpected_null_is_a_fault_of_this_version() {
        let error = sqlx::Error::ColumnDecode {
            index: "plan".to_owned(),
            source: Box::new(sqlx::error::UnexpectedNullError),
        };
        assert_eq!(failed(QueryError::Failed(error)).code, Code::Internal);
    }
}
