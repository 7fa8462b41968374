//! Mails to the people of an account, each in the language of its reader.

use pages::mails::MailText;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::role::Permission;
use crate::person_mail::{self, Reader};
use crate::store::members::{self, Member};

/// A mail to the members of an account with this permission.
#[derive(Debug, Clone)]
pub struct MemberMail<'a> {
    pub account: Uuid,
    pub permission: Permission,
    pub text: MailText<'a>,
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
        person_mail::queue(&mut *connection, reader(member), &mail.text, now).await?;
    }
    Ok(readers.len())
}

/// Queues a mail to the members who have not switched notices off; returns the number of its readers.
pub async fn queue_notice(
    connection: &mut PgConnection,
    mail: MemberMail<'_>,
    public_url: &str,
    now: OffsetDateTime,
) -> Result<usize, sqlx::Error> {
    let mut readers = members::of_account(&mut *connection, mail.account).await?;
    readers.retain(|member| member.role.may(mail.permission) && member.wants_notices);
    for member in &readers {
        let reader = reader(member);
        person_mail::queue_notice(&mut *connection, reader, &mail.text, public_url, now).await?;
    }
    Ok(readers.len())
}

fn reader(member: &Member) -> Reader<'_> {
    Reader { address: &member.email, language: member.language }
}
