//! Mails to the people of an account.

use kit::mail::{self, NewMessage};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::role::Permission;
use crate::store::members;

/// A mail to the members of an account with this permission.
#[derive(Debug, Clone, Copy)]
pub struct MemberMail<'a> {
    pub account: Uuid,
    pub permission: Permission,
    pub subject: &'a str,
    pub body: &'a str,
}

/// Queues a mail; returns the number of its readers.
pub async fn queue(
    connection: &mut PgConnection,
    mail: MemberMail<'_>,
    now: OffsetDateTime,
) -> Result<usize, sqlx::Error> {
    let mut readers = members::of_account(&mut *connection, mail.account).await?;
    readers.retain(|member| member.role.may(mail.permission));
    for member in &readers {
        let message = NewMessage {
            recipient: &member.email,
            subject: mail.subject,
            body: mail.body,
        };
        mail::insert(&mut *connection, SCHEMA, message, now).await?;
    }
    Ok(readers.len())
}
