//! Mails to one person.

use pages::mails::{MailText, WrittenMail};
use pages::{Language, Texts};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::mail::{self, NewMessage};
use crate::store::links::NewLink;
use crate::store::people::Person;

/// The reader of a mail.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    pub address: &'a str,
    pub language: Language,
}

impl<'a> Reader<'a> {
    pub fn of(person: &'a Person) -> Self {
        Self {
            address: &person.email,
            language: person.language(),
        }
    }
}

/// Queues a mail in the language of its reader.
pub async fn queue(
    connection: &mut PgConnection,
    reader: Reader<'_>,
    text: &MailText<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    insert(
        connection,
        reader.address,
        &text.write(reader.language),
        now,
    )
    .await
}

/// Queues a notice, which its reader may switch off; it says so.
pub async fn queue_notice(
    connection: &mut PgConnection,
    reader: Reader<'_>,
    text: &MailText<'_>,
    public_url: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let page = format!("{public_url}/you#settings");
    let foot = Texts::of(reader.language).say_of("mail-switch-foot", &page);
    let mail = text.write(reader.language).and_paragraph(&foot);
    insert(connection, reader.address, &mail, now).await
}

/// Queues a written mail.
pub async fn insert(
    connection: &mut PgConnection,
    address: &str,
    mail: &WrittenMail,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    mail::insert(connection, message(address, mail), None, now).await
}

/// Queues a written mail with this link.
pub async fn insert_with_link(
    connection: &mut PgConnection,
    address: &str,
    mail: &WrittenMail,
    link: &NewLink,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let link = mail::Link {
        id: link.id,
        expires_at: link.expires_at,
    };
    mail::insert(connection, message(address, mail), Some(link), now).await
}

fn message<'a>(address: &'a str, mail: &'a WrittenMail) -> NewMessage<'a> {
    NewMessage {
        recipient: address,
        subject: &mail.subject,
        body: &mail.body,
    }
}
