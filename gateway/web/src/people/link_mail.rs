//! Mails with links.

use axum::response::Response;
use http::StatusCode;
use kit::mail::{self, NewMessage};
use pages::people::MailSentPage;
use pages::{Fields, Shell};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::link;
use crate::SCHEMA;
use crate::app::Web;
use crate::domain::email;
use crate::domain::link::Purpose;
use crate::page_error::PageError;
use crate::render;
use crate::session::limits;
use crate::store::links::{self, LinkTarget};
use crate::store::people;
use crate::viewer::ClientInfo;

/// The purpose of a requested link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkRequest<'a> {
    SignUp {
        /// The page to return to.
        next: Option<&'a str>,
    },
    Reset,
}

impl<'a> LinkRequest<'a> {
    const fn next(self) -> Option<&'a str> {
        match self {
            Self::SignUp { next } => next,
            Self::Reset => None,
        }
    }
}

/// The form was refused: its errors, and the status of its page.
pub struct Refusal {
    pub errors: Fields,
    pub status: StatusCode,
}

/// Mails a link to this address: to set a password if a person has it, to sign up otherwise.
///
/// Both cases have the same response and run the same statements, so neither the response nor its time shows whether the person exists.
pub async fn send(
    web: &Web,
    client: &ClientInfo,
    address: &str,
    wanted: LinkRequest<'_>,
) -> Result<Result<Response, Refusal>, PageError> {
    let address = match email::parse(address) {
        Ok(address) => address,
        Err(problem) => {
            return Ok(Err(Refusal {
                errors: Fields::one("email", problem),
                status: StatusCode::UNPROCESSABLE_ENTITY,
            }));
        }
    };
    let now = web.clock.now();
    let network = client.network();
    let from = web.limits.count(limits::MAILS_FROM, &network, now).await?;
    if let Err(reached) = from {
        let text = reached.too_many("mails");
        return Ok(Err(Refusal {
            errors: Fields::general(text),
            status: StatusCode::TOO_MANY_REQUESTS,
        }));
    }
    // Beyond the limit of an address, send no mail and show no error: the address may belong to somebody else.
    let to = web.limits.count(limits::MAILS_TO, &address, now).await?;
    if to.is_ok() {
        queue(web, &address, wanted).await?;
    }
    let purpose = match wanted {
        LinkRequest::SignUp { .. } => Purpose::SignUp,
        LinkRequest::Reset => Purpose::Reset,
    };
    Ok(Ok(render::ok(&MailSentPage {
        shell: Shell::default(),
        email: address,
        lifetime: purpose.lifetime_text(),
        mail_folder: web.mail_folder.clone(),
    })))
}

async fn queue(web: &Web, address: &str, wanted: LinkRequest<'_>) -> Result<(), sqlx::Error> {
    let mut transaction = web.pool.begin().await?;
    let person = people::by_email(&mut *transaction, address).await?;
    let target = match &person {
        Some(person) => LinkTarget::Reset { person: person.id },
        None => LinkTarget::SignUp,
    };
    let (subject, reason) = match (wanted, &person) {
        (LinkRequest::SignUp { .. }, None) => (
            "Create your account at Mchezo",
            "Open this page to choose a password and make your first key:",
        ),
        (LinkRequest::SignUp { .. }, Some(_)) => (
            "You have an account at Mchezo",
            "Somebody wants to create an account with this address, which has one. Sign in with your password; if you have forgotten it, set a new one here:",
        ),
        (LinkRequest::Reset, Some(_)) => (
            "Set a new password at Mchezo",
            "Open this page to set a new password:",
        ),
        (LinkRequest::Reset, None) => (
            "There is no account with this address at Mchezo",
            "Somebody asked for a new password, but no account has this address. Perhaps you used another one. To create an account with this address, open this page:",
        ),
    };
    let words = (subject, reason);
    send_link_to(
        &mut transaction,
        web,
        (address, wanted.next()),
        &target,
        words,
    )
    .await?;
    transaction.commit().await
}

/// Stores a link and queues its mail.
pub async fn send_link(
    connection: &mut PgConnection,
    web: &Web,
    address: &str,
    target: &LinkTarget,
    words: (&str, &str),
) -> Result<(), sqlx::Error> {
    send_link_to(connection, web, (address, None), target, words).await
}

/// Stores a link and queues its mail, with a page to return to.
async fn send_link_to(
    connection: &mut PgConnection,
    web: &Web,
    (address, next): (&str, Option<&str>),
    target: &LinkTarget,
    (subject, reason): (&str, &str),
) -> Result<(), sqlx::Error> {
    let now = web.clock.now();
    let token = links::insert(&mut *connection, address, target, now).await?;
    let lifetime = target.purpose().lifetime_text();
    let body = format!(
        "{reason}\n\n{}{}\n\nThe link works for {lifetime}, once. If you did not ask for it, leave it: nothing happens without its button.\n",
        web.public_url,
        link::path(&token.text(), next)
    );
    let mail = NewMessage {
        recipient: address,
        subject,
        body: &body,
    };
    mail::insert(connection, SCHEMA, mail, now).await
}

/// Queues a mail without a link.
pub async fn inform(
    connection: &mut PgConnection,
    address: &str,
    subject: &str,
    body: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let mail = NewMessage {
        recipient: address,
        subject,
        body,
    };
    mail::insert(connection, SCHEMA, mail, now).await
}
