//! Exchanges: registered and revoked by staff.

use kit::Fault;
use kit::audit::Subject;
use kit::feed::ApplyResult;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::staff_action::AuthorizedAction;
use crate::store::exchanges;

#[derive(Debug, Clone)]
pub enum ExchangeChange {
    Create { token_sha256: Vec<u8> },
    Revoke,
}

/// Changes the exchange called `name`; returns whether anything changed.
pub(super) async fn change(
    connection: &mut PgConnection,
    by: &AuthorizedAction,
    name: &str,
    change: &ExchangeChange,
    now: OffsetDateTime,
) -> ApplyResult<bool> {
    let changed = match change {
        ExchangeChange::Create { token_sha256 } => {
            let created =
                exchanges::create(connection, name, token_sha256, &by.member.name, now).await?;
            if !created {
                let reason =
                    "This name was used before, and names are never reused: choose another.";
                return Err(Fault::invalid_field("name", reason).into());
            }
            true
        }
        ExchangeChange::Revoke => exchanges::revoke(connection, name, now).await?,
    };
    Ok((changed, Vec::new()))
}

/// The audit's entry.
pub(super) fn subject(name: &str) -> Subject {
    Subject {
        entity: "exchange",
        name: name.to_owned(),
        details: json!({}),
    }
}
