//! Mails to one person.

use pages::mails::{MailText, WrittenMail};
use pages::{Language, Texts};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::mail::{self, NewMessage};
use crate::store::people::Person;

/// The reader of a mail.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    pub address: &'a str,
    pub language: Language,
}

impl<'a> Reader<'a> {
    pub fn from_person(person: &'a Person) -> Self {
        Self { address: &person.email, language: person.language() }
    }
}

/// Queues a mail in the language of its reader.
pub async fn queue(
    connection: &mut PgConnection,
    reader: Reader<'_>,
    text: &MailText<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mail = text.write(reader.language);
    mail::insert(connection, message(reader.address, &mail), None, now).await
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
    mail::insert(connection, message(reader.address, &mail), None, now).await
}

/// A written mail to an address.
pub fn message<'a>(address: &'a str, mail: &'a WrittenMail) -> NewMessage<'a> {
    NewMessage { recipient: address, subject: &mail.subject, body: &mail.body }
}
