//! Mails to the people of an account.

use kit::mail::{self, NewMessage};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::role::Permission;
use crate::store::members;

/// Queues a mail to the members of an account with this permission; returns their number.
pub async fn queue(
    connection: &mut PgConnection,
    (account, permission): (Uuid, Permission),
    (subject, body): (&str, &str),
    now: OffsetDateTime,
) -> Result<usize, sqlx::Error> {
    let mut readers = members::of_account(&mut *connection, account).await?;
    readers.retain(|member| member.role.may(permission));
    for member in &readers {
        let mail = NewMessage {
            recipient: &member.email,
            subject,
            body,
        };
        mail::insert(&mut *connection, SCHEMA, mail, now).await?;
    }
    Ok(readers.len())
}
