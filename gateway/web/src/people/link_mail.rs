//! Mails with links.

use axum::response::Response;
use kit::mail::{self, NewMessage};
use pages::people::MailSentPage;
use pages::{Fields, Shell};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::link;
use crate::SCHEMA;
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::link::Purpose;
use crate::page_error::PageError;
use crate::person_request::PersonRequest;
use crate::render::{self, FormState};
use crate::session::limits;
use crate::store::links::{self, LinkTarget};
use crate::store::people;

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

/// Mails a link to this address: to set a password if a person has it, to sign up otherwise.
///
/// Both cases have the same response and run the same statements, so neither the response nor its time shows whether the person exists.
pub async fn send(
    web: &Web,
    client: &ClientInfo,
    address: &str,
    wanted: LinkRequest<'_>,
) -> Result<Result<Response, FormState>, PageError> {
    let address = match email::parse(address) {
        Ok(address) => address,
        Err(problem) => {
            return Ok(Err(FormState::invalid(Fields::one("email", problem))));
        }
    };
    let now = web.clock.now();
    let network = client.network();
    let from = web.limits.count(limits::MAILS_FROM, &network, now).await?;
    if let Err(reached) = from {
        return Ok(Err(FormState::refused(&reached.too_many("mails"), &[])));
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
    let mail = LinkMail {
        address,
        target,
        next: wanted.next(),
        subject,
        reason,
    };
    send_link(&mut transaction, web, mail).await?;
    transaction.commit().await
}

/// A link to mail.
#[derive(Debug)]
pub struct LinkMail<'a> {
    pub address: &'a str,
    pub target: LinkTarget,
    /// The page to return to.
    pub next: Option<&'a str>,
    pub subject: &'a str,
    /// What the link is for, before the link.
    pub reason: &'a str,
}

/// Stores a link and queues its mail.
pub async fn send_link(
    connection: &mut PgConnection,
    web: &Web,
    link: LinkMail<'_>,
) -> Result<(), sqlx::Error> {
    let now = web.clock.now();
    let token = links::insert(&mut *connection, link.address, &link.target, now).await?;
    let lifetime = link.target.purpose().lifetime_text();
    let body = format!(
        "{}\n\n{}{}\n\nThe link works for {lifetime}, once. If you did not ask for it, leave it: nothing happens without its button.\n",
        link.reason,
        web.public_url,
        link::path(&token.text(), link.next)
    );
    let mail = NewMessage {
        recipient: link.address,
        subject: link.subject,
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

/// Records a change of how a person signs in, in the transaction of the change, and tells the person by mail.
pub(super) async fn record_and_inform(
    request: &PersonRequest,
    connection: &mut PgConnection,
    action: Action,
    subject: &str,
    text: &str,
) -> Result<(), sqlx::Error> {
    let (email, now) = (&request.person().email, request.app.clock.now());
    inform(&mut *connection, email, subject, text, now).await?;
    request.record_own(connection, action).await
}
