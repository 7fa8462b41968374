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
pub enum ExchangeCommand {
    Create { token_sha256: Vec<u8> },
    Revoke,
}

/// Creates the exchange called `name`, or revokes its token; returns whether anything changed.
pub(super) async fn create_or_revoke(
    connection: &mut PgConnection,
    by: &AuthorizedAction,
    name: &str,
    command: &ExchangeCommand,
    now: OffsetDateTime,
) -> ApplyResult<bool> {
    let changed = match command {
        ExchangeCommand::Create { token_sha256 } => {
            let created =
                exchanges::create(connection, name, token_sha256, &by.member.name, now).await?;
            if !created {
                let reason =
                    "This name was used before, and names are never reused: choose another.";
                return Err(Fault::invalid_field("name", reason).into());
            }
            true
        }
        ExchangeCommand::Revoke => exchanges::revoke(connection, name, now).await?,
    };
    Ok((changed, Vec::new()))
}

pub(super) fn audit_subject(name: &str) -> Subject {
    Subject {
        entity: "exchange",
        name: name.to_owned(),
        details: json!({}),
    }
}
